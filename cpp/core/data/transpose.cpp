#include "data/transpose.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace svm {
namespace {

void transpose_dense(const MatrixView& matrix, float* out) {
  constexpr std::size_t tile = 32;  // rows and columns at a time, so that source and copy stay in the cache
  for (std::size_t first = 0; first < matrix.rows; first += tile) {
    for (std::size_t left = 0; left < matrix.columns; left += tile) {
      for (std::size_t k = left; k < std::min(left + tile, matrix.columns); ++k) {
        for (std::size_t i = first; i < std::min(first + tile, matrix.rows); ++i) {
          out[k * matrix.rows + i] = matrix.values[i * matrix.columns + k];
        }
      }
    }
  }
}

}  // namespace

Transpose::Transpose(const MatrixView& matrix) {
  rows_ = matrix.columns;
  columns_ = matrix.rows;
  values_.resize(matrix.stored());
  if (!matrix.sparse()) {
    transpose_dense(matrix, values_.data());
    return;
  }
  indices_.resize(values_.size());
  // Column k's values are counted at k + 2. After the sums, k + 1 has the place of its next value: at the end, where
  // the column ends.
  offsets_.assign(matrix.columns + 2, 0);
  for (std::int64_t p = matrix.offsets[0]; p < matrix.offsets[matrix.rows]; ++p) {
    ++offsets_[static_cast<std::size_t>(matrix.indices[p]) + 2];
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const RowView row = matrix.row(i);
    for (std::size_t k = 0; k < row.size; ++k) {
      const auto place = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(row.indices[k]) + 1]++);
      values_[place] = row.values[k];
      indices_[place] = static_cast<std::int32_t>(i);
    }
  }
}

}  // namespace svm
