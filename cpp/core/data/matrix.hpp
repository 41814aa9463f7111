// Read-only views of a data matrix, dense or sparse (CSR), and of its rows. The caller keeps the arrays alive.
#pragma once

#include <cstddef>
#include <cstdint>

namespace svm {

/// One row or column. Sparse: values[k] at index indices[k], rising. Dense (indices is null): values[k] at index k.
struct RowView {
  const float* values = nullptr;
  const std::int32_t* indices = nullptr;
  std::size_t size = 0;

  std::size_t at(std::size_t k) const noexcept { return indices != nullptr ? static_cast<std::size_t>(indices[k]) : k; }
};

/// |x|^2.
inline double squared_norm(const RowView& x) noexcept {
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size; ++k) sum += static_cast<double>(x.values[k]) * static_cast<double>(x.values[k]);
  return sum;
}

struct MatrixView {
  std::size_t rows = 0;
  std::size_t columns = 0;
  const float* values = nullptr;          ///< dense: rows x columns, row-major; sparse: the stored values
  const std::int64_t* offsets = nullptr;  ///< sparse (CSR): rows + 1 offsets; dense: null
  const std::int32_t* indices = nullptr;  ///< sparse (CSR): column of each stored value; dense: null

  bool sparse() const noexcept { return offsets != nullptr; }
  RowView row(std::size_t i) const noexcept {
    if (!sparse()) return {values + i * columns, nullptr, columns};
    return {values + offsets[i], indices + offsets[i], stored(i)};
  }
  std::size_t stored(std::size_t row) const noexcept {
    return sparse() ? static_cast<std::size_t>(offsets[row + 1] - offsets[row]) : columns;
  }
  std::size_t stored() const noexcept {
    return sparse() ? static_cast<std::size_t>(offsets[rows] - offsets[0]) : rows * columns;
  }
};

}  // namespace svm
