// Random inputs for the tests, from the core's own stream.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "data/matrix.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"
#include "random/random.hpp"

namespace svm::test {

/// SGEMM or DGEMM by plain loops.
template <typename Real>
void naive_gemm(char* transa, char* transb, int* m, int* n, int* k, Real* alpha, Real* a, int* lda, Real* b, int* ldb,
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

/// Lets the core call plain loops instead of BLAS.
inline void use_naive_gemm() { set_gemm(naive_gemm<float>, naive_gemm<double>); }

/// n normal values; `ties`: rounded to one digit.
inline std::vector<double> normals(Random& random, std::size_t n, bool tied = false) {
  std::vector<double> values(n);
  for (double& value : values) value = tied ? std::round(10.0 * random.normal()) / 10.0 : random.normal();
  return values;
}

/// n x d normal values, of which a share is zero.
inline std::vector<float> sparse_normals(std::size_t n, std::size_t d, std::uint64_t seed, double zeros) {
  Random random(seed, Purpose::data);
  std::vector<float> values(n * d);
  for (float& place : values) {
    const auto value = static_cast<float>(random.normal());
    if (random.uniform() >= zeros) place = value;
  }
  return values;
}

/// A data matrix and its arrays, dense, and the same as CSR.
struct Data {
  std::vector<float> dense;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<float> values;
  std::size_t rows;
  std::size_t columns;

  Data(std::size_t n, std::size_t d, std::uint64_t seed, double zeros = 0.5)
      : Data(n, d, sparse_normals(n, d, seed, zeros)) {}
  /// content: n x d values, by rows.
  Data(std::size_t n, std::size_t d, std::vector<float> content) : dense(std::move(content)), rows(n), columns(d) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < d; ++k) {
        if (dense[i * d + k] == 0.0F) continue;
        indices.push_back(static_cast<std::int32_t>(k));
        values.push_back(dense[i * d + k]);
      }
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    }
  }

  MatrixView view(bool sparse) const {
    MatrixView view;
    view.rows = rows;
    view.columns = columns;
    view.values = sparse ? values.data() : dense.data();
    view.offsets = sparse ? offsets.data() : nullptr;
    view.indices = sparse ? indices.data() : nullptr;
    return view;
  }

  /// K(x_i, x_j) in float64, from differences.
  double kernel(const KernelFunction& function, std::size_t i, std::size_t j) const {
    double product = 0.0;
    double distance = 0.0;
    for (std::size_t k = 0; k < columns; ++k) {
      const auto a = static_cast<double>(dense[i * columns + k]);
      const auto b = static_cast<double>(dense[j * columns + k]);
      product += a * b;
      distance += (a - b) * (a - b);
    }
    switch (function.kind) {
      case KernelFunction::Kind::gaussian: return std::exp(-function.gamma * distance);
      case KernelFunction::Kind::polynomial:
        return std::pow(function.gamma * product + function.coef0, function.degree);
      case KernelFunction::Kind::linear: break;
    }
    return product;
  }
};

}  // namespace svm::test
