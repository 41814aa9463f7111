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
  Transpose(const Transpose&) = delete;
  Transpose(Transpose&&) = default;
  Transpose& operator=(const Transpose&) = delete;
  Transpose& operator=(Transpose&&) = default;
  ~Transpose() = default;

  const MatrixView& view() const noexcept { return view_; }

 private:
  void copy_dense(const MatrixView& matrix);
  void copy_sparse(const MatrixView& matrix);

  MatrixView view_;
  std::vector<float> values_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> indices_;
};

}  // namespace svm
