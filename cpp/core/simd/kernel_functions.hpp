// Inner products by columns and kernel values, in a namespace named after the instruction set; `loops.hpp` describes the
// functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace svm::simd::SVM_SIMD_NAME {

void column_dots(const float* values, const std::uint32_t* which, std::size_t stored, const float* columns,
                 std::size_t stride, std::size_t n, float* out);
void gaussian(float* x, const float* norms, float norm, float gamma, std::size_t n);
void polynomial(float* x, float gamma, float coef0, int degree, std::size_t n);
void exponential(double* x, std::size_t n);

}  // namespace svm::simd::SVM_SIMD_NAME
