#include "data.hpp"

namespace svm::test {

void naive_sgemm(char* transa, char* transb, int* m, int* n, int* k, float* alpha, float* a, int* lda, float* b,
                 int* ldb, float* beta, float* c, int* ldc) {
  const auto at = [](const float* matrix, int leading, char transposed, int row, int column) {
    const int first = transposed == 'N' ? row : column;
    const int second = transposed == 'N' ? column : row;
    return static_cast<double>(matrix[static_cast<std::ptrdiff_t>(second) * leading + first]);
  };
  for (int j = 0; j < *n; ++j) {
    for (int i = 0; i < *m; ++i) {
      double sum = 0.0;
      for (int p = 0; p < *k; ++p) sum += at(a, *lda, *transa, i, p) * at(b, *ldb, *transb, p, j);
      float& out = c[static_cast<std::ptrdiff_t>(j) * *ldc + i];
      const double before = *beta == 0.0F ? 0.0 : static_cast<double>(*beta * out);
      out = static_cast<float>(static_cast<double>(*alpha) * sum + before);
    }
  }
}

}  // namespace svm::test
