// The inner loops on explicit weights, in a namespace named after the instruction set; `loops.hpp` describes them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/half.hpp"

namespace svm::simd::SVM_SIMD_NAME {

double dot(const float* x, const double* w, std::size_t d);
double dot_and_prefetch(const float* x, const double* w, std::size_t d, const float* upcoming);
double dot_and_prefetch(const BFloat16* x, const double* w, std::size_t d, const BFloat16* upcoming);
double dot_and_prefetch(const Float16* x, const double* w, std::size_t d, const Float16* upcoming);
double dot(const float* x, const float* w, std::size_t d);
double sparse_dot(const std::int32_t* indices, const float* values, std::size_t stored, const double* w);
double sparse_dot(const std::int32_t* indices, const float* values, std::size_t stored, const float* w);
void add(double* v, const float* x, double a, std::size_t n);
void add(double* v, const BFloat16* x, double a, std::size_t n);
void add(double* v, const Float16* x, double a, std::size_t n);
void add(float* w, const float* x, double a, std::size_t d);
void sparse_add(double* w, const std::int32_t* indices, const float* values, std::size_t stored, double a);
void sparse_add(float* w, const std::int32_t* indices, const float* values, std::size_t stored, double a);
void scale_split(double* q, std::size_t n, double level, double above, double others, double* sums);
void sum_sixteens(const double* values, const std::size_t* which, std::size_t count, double* sums);
void sum_squared_sixteens(const double* values, const std::size_t* which, std::size_t count, double* sums);

}  // namespace svm::simd::SVM_SIMD_NAME
