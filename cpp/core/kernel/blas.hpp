// The two BLAS routines that the core needs, as pointers handed in by whoever loads the core.
#pragma once

#include <algorithm>
#include <cstddef>

#include "parallel/parallel_for.hpp"

namespace svm {

/// Fortran SGEMM or DGEMM with 32-bit integers.
template <typename Real>
using Gemm = void (*)(char* transa, char* transb, int* m, int* n, int* k, Real* alpha, Real* a, int* lda, Real* b,
                      int* ldb, Real* beta, Real* c, int* ldc);

void set_gemm(Gemm<float> single_precision, Gemm<double> double_precision) noexcept;

/// How many of `threads` can call BLAS: as many as the system has memory for. OpenBLAS takes a buffer of 32 MiB in each thread
/// and asks for it for ever where there is none. Throws std::bad_alloc where there is not even one.
unsigned threads_with_memory(unsigned threads);

/// `parallel_for` of tasks that call BLAS: on no more threads than the system has memory for. Returns how many of them, and
/// of those that the system has refused, are missing.
template <typename Body>
unsigned parallel_blas(std::size_t tasks, unsigned threads, const Body& body) {
  const auto wanted = static_cast<unsigned>(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(tasks, 1)));
  const unsigned possible = threads_with_memory(wanted);
  return wanted - possible + parallel_for(tasks, possible, body);
}

/// Row-major C (m x n, leading dimension ldc) = A (m x k) B^T (n x k) + beta C.
void multiply_transposed(const float* a, const float* b, float* c, int m, int n, int k, int ldc, float beta);

/// Row-major C (m x n) += A^T (k x m) B (k x n).
void accumulate_transposed(const double* a, const double* b, double* c, int m, int n, int k);

}  // namespace svm
