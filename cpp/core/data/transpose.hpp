// The transpose of a data matrix.
#pragma once

#include "data/data_matrix.hpp"

namespace svm {

/// The transpose of a matrix, stored in the same way, dense or CSR with rising indices. The default is that of no matrix.
class Transpose : public DataMatrix {
 public:
  Transpose() = default;
  explicit Transpose(const MatrixView& matrix);
};

}  // namespace svm
