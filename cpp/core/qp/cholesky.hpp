// The Cholesky factor of a matrix, updated in O(m^2) when a row and column is appended or removed.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "base/state.hpp"

namespace svm {

/// A = R^T R with R upper triangular, m x m.
class Cholesky {
 public:
  std::size_t size() const noexcept { return columns_.size(); }
  void clear() noexcept { columns_.clear(); }
  /// Appends a row and column: `column` is the new one of A, m + 1 values with its diagonal element last. If the
  /// square of its pivot is below `least`, the diagonal element is increased to make it so; the increase is returned.
  double append(std::vector<double> column, double least);
  /// Removes row and column k.
  void remove(std::size_t k);
  /// x <- R^-T x, m values.
  void forward(double* x) const noexcept;
  /// x <- R^-1 x, m values.
  void back(double* x) const noexcept;
  /// Column k of R, k + 1 values.
  const std::vector<double>& column(std::size_t k) const noexcept { return columns_[k]; }
  void archive(StateArchive& state) {
    state.lists("columns", columns_);
    if (!state.reads()) return;
    bool sound = true;
    for (std::size_t k = 0; k < size(); ++k) {
      sound = sound && columns_[k].size() == k + 1 && columns_[k][k] > 0.0;
      for (const double value : columns_[k]) sound = sound && std::isfinite(value);
    }
    state.check(sound, "columns", " are not those of a triangle with a positive diagonal");
  }
  /// x <- A^-1 x, m values.
  void solve(double* x) const noexcept {
    forward(x);
    back(x);
  }

 private:
  std::vector<std::vector<double>> columns_;  // column k of R: k + 1 values
};

}  // namespace svm
