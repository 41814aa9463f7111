// The two BLAS routines that the core needs. The caller sets them as function pointers.
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

/// The number of threads, at most `threads`, for which there is memory to call BLAS. OpenBLAS allocates 32 MiB in each
/// thread and hangs if it cannot. Throws std::bad_alloc if there is not enough memory for one.
unsigned threads_with_memory(unsigned threads);

/// `parallel_for` for tasks that call BLAS: with no more threads than there is memory for. Returns how many of the
/// requested threads did not run, for lack of memory or because the system did not start them.
template <typename Body>
unsigned parallel_blas(std::size_t tasks, unsigned threads, const Body& body) {
  const auto wanted = static_cast<unsigned>(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(tasks, 1)));
  const unsigned possible = threads_with_memory(wanted);
  return wanted - possible + parallel_for(tasks, possible, body);
}

/// Row-major C (m x n, leading dimension ldc) = A (m x k) B^T (n x k) + beta C.
void multiply_transposed(const float* a, const float* b, float* c, int m, int n, int k, int ldc, float beta);

/// Row-major C (m x n) += A^T (k x m) B (k x n); `stride` is the leading dimension of B and C.
void accumulate_transposed(const double* a, const double* b, double* c, int m, int n, int k, int stride);

}  // namespace svm
