// A sum of rows, v, in float64 or float32. The weights of a method are a multiple of it that the method knows: so scaling them
// costs nothing, and adding a row as much as the row has stored coordinates.
#pragma once

#include <cstddef>
#include <type_traits>

#include "base/aligned.hpp"
#include "data/row_operations.hpp"
#include "base/state.hpp"

namespace svm {

template <typename Real>
class Weights {
  static_assert(std::is_same_v<Real, double> || std::is_same_v<Real, float>);

 public:
  explicit Weights(std::size_t dimension) : v_(dimension) {}

  /// <v, x>.
  double dot(const RowView& x) const noexcept { return svm::dot(loops_, x, v_.data()); }
  /// v += amount x, given <v, x> and |x|^2.
  void add(const RowView& x, double amount, double dot, double squared_norm) noexcept;
  /// What `add` does to |v|^2; v itself is written by the caller.
  void note_added(double amount, double dot, double squared_norm) noexcept;
  /// v *= factor, which takes O(d).
  void multiply(double factor) noexcept;
  /// |v|^2, kept up to date by `add` and `multiply`.
  double squared_norm() const noexcept { return squared_norm_; }
  /// Computes |v|^2 anew from v, which takes O(d): without the rounding errors of many additions.
  void refresh_norm() noexcept;
  /// scale v, d values.
  void copy(double scale, double* out) const noexcept;
  const Real* values() const noexcept { return v_.data(); }
  /// To be written at will; |v|^2 is then that of before until `refresh_norm`.
  Real* values() noexcept { return v_.data(); }
  void archive(StateArchive& state) {
    state.values("v", v_);
    state.number("squared_norm", squared_norm_);
  }

 private:
  const simd::Loops& loops_ = simd::loops();
  AlignedVector<Real> v_;
  double squared_norm_ = 0.0;
};

using WeightVector = Weights<double>;

}  // namespace svm
