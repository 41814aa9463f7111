#include "blas.hpp"

#include "error.hpp"

namespace svm {
namespace {

Sgemm sgemm = nullptr;

// Row-major matrices are their transposes in Fortran's order, so C = op(A) op(B) is asked for as C^T = op(B)^T op(A)^T.
void call(char first, char second, int m, int n, int k, const float* a, int lda, const float* b, int ldb, float beta,
          float* c, int ldc) {
  require(sgemm != nullptr, "no SGEMM routine has been set: call set_sgemm first");
  float one = 1.0F;
  sgemm(&first, &second, &m, &n, &k, &one, const_cast<float*>(a), &lda, const_cast<float*>(b), &ldb, &beta, c, &ldc);
}

}  // namespace

void set_sgemm(Sgemm routine) noexcept { sgemm = routine; }

void multiply_transposed(const float* a, const float* b, float* c, int m, int n, int k, int ldc, float beta) {
  call('T', 'N', n, m, k, b, k, a, k, beta, c, ldc);
}

void accumulate_transposed(const float* a, int lda, const float* b, float* c, int m, int n, int k) {
  call('N', 'T', n, m, k, b, n, a, lda, 1.0F, c, n);
}

}  // namespace svm
