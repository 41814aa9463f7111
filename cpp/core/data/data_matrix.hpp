// A data matrix, dense or sparse (CSR), with arrays of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "data/matrix.hpp"

namespace svm {

class DataMatrix {
 public:
  /// No matrix.
  DataMatrix() = default;
  /// Dense: rows x columns values, row-major. Throws InvalidArgument for another number of values, or one that is not
  /// finite.
  DataMatrix(std::size_t rows, std::size_t columns, std::vector<float> values);
  /// Sparse (CSR). Throws InvalidArgument as `csr_view` does.
  DataMatrix(std::vector<std::int64_t> offsets, std::vector<std::int32_t> indices, std::vector<float> values,
             std::size_t columns);
  /// A copy of some rows of a checked matrix, stored in the same way.
  DataMatrix(const MatrixView& matrix, const std::vector<std::size_t>& rows);

  MatrixView view() const noexcept {
    if (offsets_.empty()) return {rows_, columns_, values_.data(), nullptr, nullptr, true};
    return {rows_, columns_, values_.data(), offsets_.data(), indices_.data(), true};
  }

 protected:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<float> values_;
  std::vector<std::int64_t> offsets_;  // none if dense
  std::vector<std::int32_t> indices_;
};

}  // namespace svm
