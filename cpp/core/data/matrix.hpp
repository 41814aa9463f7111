// A read-only view of a data matrix, dense or sparse (CSR). The caller keeps the arrays alive.
#pragma once

#include <cstddef>
#include <cstdint>

namespace svm {

struct MatrixView {
  std::size_t rows = 0;
  std::size_t columns = 0;
  const float* values = nullptr;          ///< dense: rows x columns, row-major; sparse: the stored values
  const std::int64_t* offsets = nullptr;  ///< sparse (CSR): rows + 1 offsets; dense: null
  const std::int32_t* indices = nullptr;  ///< sparse (CSR): column of each stored value; dense: null

  bool sparse() const noexcept { return offsets != nullptr; }
  std::size_t stored(std::size_t row) const noexcept {
    return sparse() ? static_cast<std::size_t>(offsets[row + 1] - offsets[row]) : columns;
  }
  std::size_t stored() const noexcept {
    return sparse() ? static_cast<std::size_t>(offsets[rows] - offsets[0]) : rows * columns;
  }
};

}  // namespace svm
