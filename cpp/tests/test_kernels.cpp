// Kernel tiles and rows, dense and sparse, against float64.
#include <algorithm>

#include "check.hpp"
#include "data.hpp"

using svm::KernelFunction;
using svm::Points;

int main() {
  svm::test::skip_without_instruction_set();
  const svm::test::Data one(5, 3, 0);
  CHECK(svm::test::refuses(
      [&] {
        const Points x(one.view(false));
        std::vector<float> tile(25);
        svm::kernel_tile(KernelFunction{}, x, 0, 5, x, 0, 5, tile.data(), 5);
      },
      "no BLAS"));
  svm::test::use_naive_gemm();
  const KernelFunction functions[] = {{KernelFunction::Kind::gaussian, 0.25, 0.0, 1},
                                      {KernelFunction::Kind::polynomial, 0.5, 1.0, 3},
                                      {KernelFunction::Kind::linear, 1.0, 0.0, 1}};
  for (const std::size_t d : {1U, 7U, 16U, 33U}) {
    const svm::test::Data data(41, d, d);
    for (const KernelFunction& function : functions) {
      for (const bool sparse : {false, true}) {
        const Points x(data.view(sparse));
        const auto expected = [&](std::size_t i, std::size_t j) { return data.kernel(function, i, j); };
        const auto close = [](float found, double wanted) {
          return svm::test::near(static_cast<double>(found), wanted, 3e-6 * (1.0 + std::abs(wanted)));
        };
        // A tile inside the matrix, wider stride than count, written nowhere else.
        std::vector<float> tile(20 * 30, -7.0F);
        svm::kernel_tile(function, x, 3, 18, x, 11, 25, tile.data(), 30);
        for (std::size_t a = 0; a < 20; ++a) {
          for (std::size_t b = 0; b < 30; ++b) {
            const float found = tile[a * 30 + b];
            CHECK(a < 18 && b < 25 ? close(found, expected(3 + a, 11 + b)) : found == -7.0F);
          }
        }
        Points by_columns(data.view(sparse));
        by_columns.keep_columns();
        std::vector<float> row(41);
        std::vector<float> other(41);
        for (std::size_t i = 0; i < 41; ++i) {
          svm::kernel_row(function, x, i, row.data());
          svm::kernel_row(function, by_columns, i, other.data());
          for (std::size_t j = 0; j < 41; ++j) CHECK(close(row[j], expected(i, j)) && close(other[j], expected(i, j)));
          CHECK(row[i] == static_cast<float>(function.self(static_cast<double>(x.norms()[i]))));
          if (sparse) CHECK(by_columns.has_columns() && other == row);
        }
      }
    }
    CHECK(svm::test::refuses(
        [&] {
          const Points dense(data.view(false));
          const Points csr(data.view(true));
          std::vector<float> tile(4);
          svm::kernel_tile(functions[0], dense, 0, 2, csr, 0, 2, tile.data(), 2);
        },
        "same width and storage"));
  }
  // Clusters so far from the origin that float32 holds no distance: the values are computed from differences, and have
  // the same bits in tiles, rows and single values.
  for (const double gamma : {0.02, 1.0, 1e4}) {
    svm::test::Data far(41, 9, 3);
    for (std::size_t i = 0; i < 41; ++i) {
      for (std::size_t k = 0; k < 9; ++k) far.dense[i * 9 + k] += i % 2 == 0 ? 3000.0F : -7000.0F;
    }
    std::copy_n(far.dense.begin(), 9, far.dense.begin() + 18);  // a duplicate
    far.values = far.dense;
    far.indices.resize(far.values.size());
    for (std::size_t p = 0; p < far.indices.size(); ++p) far.indices[p] = static_cast<std::int32_t>(p % 9);
    for (std::size_t i = 0; i <= 41; ++i) far.offsets[i] = static_cast<std::int64_t>(9 * i);
    const KernelFunction gaussian{KernelFunction::Kind::gaussian, gamma, 0.0, 1};
    for (const bool sparse : {false, true}) {
      const Points x(far.view(sparse));
      Points by_columns(far.view(sparse));
      by_columns.keep_columns();
      std::vector<float> tile(41 * 41);
      svm::kernel_tile(gaussian, x, 0, 41, x, 0, 41, tile.data(), 41);
      std::vector<std::uint32_t> backwards(41);
      for (std::uint32_t j = 0; j < 41; ++j) backwards[j] = 40 - j;
      for (std::size_t i = 0; i < 41; ++i) {
        std::vector<float> row(41);
        std::vector<float> other(41);
        std::vector<float> values(41);
        svm::kernel_row(gaussian, x, i, row.data());
        svm::kernel_row(gaussian, by_columns, i, other.data());
        svm::kernel_values(gaussian, x, i, backwards.data(), 41, values.data());
        std::reverse(values.begin(), values.end());
        const auto begin = tile.begin() + static_cast<std::ptrdiff_t>(41 * i);
        CHECK(std::equal(row.begin(), row.end(), begin) && other == row && values == row);
        for (std::size_t j = 0; j < 41; ++j) {
          CHECK(svm::test::near(static_cast<double>(row[j]), far.kernel(gaussian, i, j), 1e-7));
          CHECK(row[j] == tile[41 * j + i]);
        }
      }
      CHECK(tile[0] == 1.0F && tile[2] == 1.0F);
    }
  }
  // More points than one strip of sums, mostly zeros and without zeros.
  const svm::test::Data large(4500, 9, 1);
  std::vector<float> mostly_zeros(large.dense);
  for (std::size_t i = 0; i < 4500; ++i) mostly_zeros[i * 9 + 4] = 0.0F;  // of the others about half are
  std::vector<float> filled(large.dense);
  std::replace(filled.begin(), filled.end(), 0.0F, 2.0F);
  svm::MatrixView view = large.view(false);
  for (const float* values : {mostly_zeros.data(), filled.data()}) {
    view.values = values;
    Points plain(view);
    Points by_columns(view);
    by_columns.keep_columns();
    CHECK(!plain.has_columns() && by_columns.has_columns());
    std::vector<float> row(4500);
    std::vector<float> other(4500);
    for (const std::size_t i : {0U, 17U, 4499U}) {
      svm::kernel_row(functions[0], plain, i, row.data());
      svm::kernel_row(functions[0], by_columns, i, other.data());
      for (std::size_t j = 0; j < 4500; ++j) {
        CHECK(svm::test::near(static_cast<double>(row[j]), static_cast<double>(other[j]), 3e-6));
      }
      const float there = other[4321];
      svm::kernel_row(functions[0], by_columns, 4321, other.data());
      CHECK(i == 4321 || other[i] == there);
    }
  }
  return svm::test::finish();
}
