// The inner loops of sequential minimal optimisation, in a namespace named after the instruction set; `loops.hpp`
// describes them.
#pragma once

#include "simd/loops.hpp"

namespace svm::simd::SVM_SIMD_NAME {

Best add_and_best_gain(const DualRange& range, const float* x, double a);
double gain(double response, double alpha, double diagonal, double C);
Best add_two_and_best_up(const DualRange& range, const float* x, double a, const float* z, double b, double sign);
Best best_partner(const DualRange& range, const float* x, double sign, double top, double diagonal);
double partner_score(double response, double alpha, double diagonal, double entry, double C, double sign, double top,
                     double top_diagonal);
ViolatingPair violating_pair(const double* gradients, const double* alpha, const double* low, double C, std::size_t n);

}  // namespace svm::simd::SVM_SIMD_NAME
