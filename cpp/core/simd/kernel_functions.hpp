// Kernel values from inner products, in a namespace named after the instruction set; `loops.hpp` describes the
// functions.
#pragma once

#include <cstddef>

namespace svm::simd::SVM_SIMD_NAME {

void gaussian(float* x, const float* norms, float norm, float gamma, std::size_t n);
void polynomial(float* x, float gamma, float coef0, int degree, std::size_t n);

}  // namespace svm::simd::SVM_SIMD_NAME
