#include "data/transpose.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace svm {

Transpose::Transpose(const MatrixView& matrix) {
  values_.resize(matrix.stored());
  if (matrix.sparse()) {
    copy_sparse(matrix);
  } else {
    copy_dense(matrix);
  }
}

void Transpose::copy_dense(const MatrixView& matrix) {
  constexpr std::size_t tile = 32;  // rows and columns at a time, so that source and copy stay in the cache
  for (std::size_t first = 0; first < matrix.rows; first += tile) {
    for (std::size_t left = 0; left < matrix.columns; left += tile) {
      for (std::size_t k = left; k < std::min(left + tile, matrix.columns); ++k) {
        for (std::size_t i = first; i < std::min(first + tile, matrix.rows); ++i) {
          values_[k * matrix.rows + i] = matrix.values[i * matrix.columns + k];
        }
      }
    }
  }
  view_ = {matrix.columns, matrix.rows, values_.data(), nullptr, nullptr};
}

void Transpose::copy_sparse(const MatrixView& matrix) {
  indices_.resize(values_.size());
  // Column k's values are counted at k + 2. After the sums, k + 1 has the place of its next value: at the end, where
  // the column ends.
  offsets_.assign(matrix.columns + 2, 0);
  for (std::int64_t p = matrix.offsets[0]; p < matrix.offsets[matrix.rows]; ++p) {
    ++offsets_[static_cast<std::size_t>(matrix.indices[p]) + 2];
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::int64_t p = matrix.offsets[i]; p < matrix.offsets[i + 1]; ++p) {
      const auto place = static_cast<std::size_t>(offsets_[static_cast<std::size_t>(matrix.indices[p]) + 1]++);
      values_[place] = matrix.values[p];
      indices_[place] = static_cast<std::int32_t>(i);
    }
  }
  view_ = {matrix.columns, matrix.rows, values_.data(), offsets_.data(), indices_.data()};
}

}  // namespace svm
