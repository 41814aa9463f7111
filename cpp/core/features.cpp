#include "features.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "error.hpp"

namespace svm {
namespace {

constexpr std::size_t line = 16;           // float32 values in a line of the processor's cache
constexpr std::size_t expected_lines = 8;  // of a row; what follows, the processor fetches by itself

}  // namespace

FeatureMatrix::FeatureMatrix(MatrixView rows, MatrixView columns, std::size_t positives)
    : FeatureMatrix(rows, positives) {
  require(positives > 0 && positives < rows.rows,
          "a training set needs examples of both classes: " + std::to_string(positives) + " of " +
              std::to_string(rows.rows) + " are positive");
  require(columns.rows == rows.columns && columns.columns == rows.rows && columns.sparse() == rows.sparse() &&
              columns.stored() == rows.stored(),
          "the columns are not the transpose of the rows");
  columns_ = columns;
}

FeatureMatrix::FeatureMatrix(MatrixView rows, std::size_t positives)
    : rows_(rows), positives_(positives), squared_norms_(rows.rows) {
  require(rows.rows > 0 && rows.columns > 0, "features need at least one row and one column, got " +
                                                 std::to_string(rows.rows) + " x " + std::to_string(rows.columns));
  require(positives <= rows.rows, std::to_string(positives) + " of " + std::to_string(rows.rows) + " are positive");
  for (std::size_t i = 0; i < rows.rows; ++i) squared_norms_[i] = svm::squared_norm(row(i));
  double largest = 0.0;
  for (const double square : squared_norms_) largest = std::max(largest, square);
  largest_norm_ = std::sqrt(largest);
}

std::size_t FeatureMatrix::place_of(const Slice& row) const noexcept {
  // rows lie one after the other; of empty ones, and the one after them, it is the last
  std::size_t begin = 0;
  std::size_t end = size();
  while (end - begin > 1) {
    const std::size_t middle = begin + (end - begin) / 2;
    (this->row(middle).values <= row.values ? begin : end) = middle;
  }
  return begin;
}

void FeatureMatrix::expect_row(std::size_t i) const noexcept {
  const Slice x = row(i);
  const auto expect = [&x](std::size_t k) {
    __builtin_prefetch(x.values + k);
    if (x.indices != nullptr) __builtin_prefetch(x.indices + k);
  };
  expect(0);  // a row begins anywhere in its first line
  expect(line);
  // short rows vary in length: without a loop there is nothing to mispredict
  if (x.size <= line) return;
  for (std::size_t k = 2 * line; k < std::min(x.size, line * expected_lines) + line; k += line) expect(k);
}

}  // namespace svm
