#include "data.hpp"

namespace svm::test {
namespace {

template <typename Real>
void naive(char* transa, char* transb, int* m, int* n, int* k, Real* alpha, Real* a, int* lda, Real* b, int* ldb,
           Real* beta, Real* c, int* ldc) {
  const auto at = [](const Real* matrix, int leading, char transposed, int row, int column) {
    const int first = transposed == 'N' ? row : column;
    const int second = transposed == 'N' ? column : row;
    return static_cast<double>(matrix[static_cast<std::ptrdiff_t>(second) * leading + first]);
  };
  for (int j = 0; j < *n; ++j) {
    for (int i = 0; i < *m; ++i) {
      double sum = 0.0;
      for (int p = 0; p < *k; ++p) sum += at(a, *lda, *transa, i, p) * at(b, *ldb, *transb, p, j);
      Real& out = c[static_cast<std::ptrdiff_t>(j) * *ldc + i];
      const double before = *beta == Real{0} ? 0.0 : static_cast<double>(*beta * out);
      out = static_cast<Real>(static_cast<double>(*alpha) * sum + before);
    }
  }
}

}  // namespace

void use_naive_gemm() { set_gemm(naive<float>, naive<double>); }

}  // namespace svm::test
