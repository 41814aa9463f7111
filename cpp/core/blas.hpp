// The one BLAS routine that the core needs, as a pointer handed in by whoever loads the core.
#pragma once

namespace svm {

/// Fortran SGEMM with 32-bit integers.
using Sgemm = void (*)(char* transa, char* transb, int* m, int* n, int* k, float* alpha, float* a, int* lda, float* b,
                       int* ldb, float* beta, float* c, int* ldc);

void set_sgemm(Sgemm routine) noexcept;

/// Row-major C (m x n, leading dimension ldc) = A (m x k) B^T (n x k) + beta C.
void multiply_transposed(const float* a, const float* b, float* c, int m, int n, int k, int ldc, float beta);

/// Row-major C (m x n) += A^T (k x m, leading dimension lda) B (k x n).
void accumulate_transposed(const float* a, int lda, const float* b, float* c, int m, int n, int k);

}  // namespace svm
