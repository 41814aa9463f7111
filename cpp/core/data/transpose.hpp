// The transpose of a data matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "data/matrix.hpp"

namespace svm {

/// The transpose of a matrix, stored in the same way, dense or CSR with rising indices. The default is that of no matrix.
class Transpose {
 public:
  Transpose() = default;
  explicit Transpose(const MatrixView& matrix);

  MatrixView view() const noexcept {
    if (offsets_.empty()) return {rows_, columns_, values_.data(), nullptr, nullptr};
    return {rows_, columns_, values_.data(), offsets_.data(), indices_.data()};
  }

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<float> values_;
  std::vector<std::int64_t> offsets_;  // none if dense
  std::vector<std::int32_t> indices_;
};

}  // namespace svm
