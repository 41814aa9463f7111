// Read-only views of a data matrix, dense or sparse (CSR), and of its rows. The caller keeps the arrays alive.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.hpp"

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
  bool is_checked = false;                ///< set by `checked`

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

/// The largest |x|^2, and the largest kernel value, that are allowed. float32 ends at 3.4e38.
inline constexpr double largest_allowed = 1e30;
/// The smallest of a training set's largest |x|^2, and of its largest kernel value, unless all points are 0. Normal
/// numbers of float32 begin at 1.2e-38.
inline constexpr double smallest_allowed = 1e-30;

/// Returns the view, marked as checked. Throws InvalidArgument unless offsets do not fall, column indices rise within each
/// row and are below `columns`, and values are finite. A view that has been checked is not checked again.
MatrixView checked(const MatrixView& matrix);

/// A checked view of the arrays of a CSR matrix, which have data() and size(). Throws InvalidArgument unless their sizes
/// fit, offsets begin at 0, and they are as `checked` requires.
template <typename Offsets, typename Indices, typename Values>
MatrixView csr_view(const Offsets& offsets, const Indices& indices, const Values& values, std::size_t columns) {
  require(offsets.size() >= 1, "offsets are a vector of rows + 1 elements");
  require(indices.size() == values.size(), "indices and values are vectors of one length");
  const auto rows = static_cast<std::size_t>(offsets.size()) - 1;
  require(offsets.data()[0] == 0 && offsets.data()[rows] == static_cast<std::int64_t>(values.size()),
          "offsets run from 0 to the number of stored values");
  return checked({rows, columns, values.data(), offsets.data(), indices.data()});
}

}  // namespace svm
