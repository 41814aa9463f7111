// The two BLAS routines that the core needs, as pointers handed in by whoever loads the core.
#pragma once

namespace svm {

/// Fortran SGEMM or DGEMM with 32-bit integers.
template <typename Real>
using Gemm = void (*)(char* transa, char* transb, int* m, int* n, int* k, Real* alpha, Real* a, int* lda, Real* b,
                      int* ldb, Real* beta, Real* c, int* ldc);

void set_gemm(Gemm<float> single_precision, Gemm<double> double_precision) noexcept;

/// Row-major C (m x n, leading dimension ldc) = A (m x k) B^T (n x k) + beta C.
void multiply_transposed(const float* a, const float* b, float* c, int m, int n, int k, int ldc, float beta);

/// Row-major C (m x n) += A^T (k x m) B (k x n).
void accumulate_transposed(const double* a, const double* b, double* c, int m, int n, int k);

}  // namespace svm
