// The two BLAS routines that the core needs. The caller sets them as function pointers.
#pragma once

#include <cstddef>
#include <functional>

namespace svm {

/// Fortran SGEMM or DGEMM with 32-bit integers.
template <typename Real>
using Gemm = void (*)(char* transa, char* transb, int* m, int* n, int* k, Real* alpha, Real* a, int* lda, Real* b,
                      int* ldb, Real* beta, Real* c, int* ldc);

void set_gemm(Gemm<float> single_precision, Gemm<double> double_precision) noexcept;

/// Called on the calling thread after each of its tasks, with the fraction done; returns false to stop the work.
using Progress = std::function<bool(double)>;

/// The result of `parallel_blas`.
struct Work {
  bool finished;     ///< false: stopped by `progress`
  unsigned refused;  ///< of the requested threads, those that did not run: the system has no memory or room for them
  double cpu_of_others;  ///< CPU seconds of threads other than the calling one
};

/// `parallel_for` for tasks that call BLAS, with no more threads than there is memory for: OpenBLAS allocates 32 MiB in
/// each thread and hangs if it cannot. Throws std::bad_alloc if there is not enough memory for one.
Work parallel_blas(std::size_t tasks, unsigned threads, const Progress& progress,
                   const std::function<void(std::size_t)>& body);

/// Row-major C (m x n, leading dimension ldc) = A (m x k) B^T (n x k).
void multiply_transposed(const float* a, const float* b, float* c, int m, int n, int k, int ldc);

/// Row-major C (m x n) += A^T (k x m) B (k x n); `stride` is the leading dimension of B and C.
void accumulate_transposed(const double* a, const double* b, double* c, int m, int n, int k, int stride);

}  // namespace svm
