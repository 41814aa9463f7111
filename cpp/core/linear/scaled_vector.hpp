// A vector w = scale v, where v is a sum of rows: multiplying w takes O(1), and adding a row takes as many operations
// as the row has stored coordinates.
#pragma once

#include <cmath>
#include <cstddef>

#include "linear/weight_vector.hpp"

namespace svm {

/// A row is presented, w may be multiplied, and then the row may be added. A scale that has left its range is
/// multiplied into v, which is rare.
template <typename Real>
class ScaledVector {
 public:
  explicit ScaledVector(std::size_t dimension) : v_(dimension) {}

  /// <w, x>, and keeps <v, x> for `add`. `upcoming`: as in `Weights::dot`.
  template <typename Row, typename... Upcoming>
  double present(const Row& x, Upcoming... upcoming) noexcept {
    product_ = v_.dot(x, upcoming...);
    return scale_ * product_;
  }
  /// w += amount x, where x is the row that was presented last, given |x|^2.
  template <typename Row>
  void add(const Row& x, double amount, double squared_norm) noexcept {
    if (scale_ != 1.0) {  // else the row is added without waiting for a division
      keep_in_range();
      amount /= scale_;
    }
    v_.add(x, amount, product_, squared_norm);
  }
  /// w *= factor.
  void multiply(double factor) noexcept {
    scale_ *= factor;
    keep_in_range();
  }
  /// Moves w to the nearest point with |w| <= radius; returns the factor by which it multiplied w.
  double project(double radius) noexcept {
    const double squared = squared_norm();
    if (!(squared > radius * radius)) return 1.0;
    const double factor = radius / std::sqrt(squared);
    scale_ *= factor;
    return factor;
  }
  /// |w|^2; see `Weights::squared_norm`.
  double squared_norm() const noexcept { return scale_ * scale_ * v_.squared_norm(); }
  /// Recomputes |w|^2 from w in O(d), which removes accumulated rounding errors.
  void refresh_norm() noexcept { v_.refresh_norm(); }
  /// Writes factor w, d values.
  void copy(double factor, double* out) const noexcept { v_.copy(factor * scale_, out); }
  void archive(StateArchive& state) {
    v_.archive(state);
    state.number("scale", scale_);
  }

 private:
  static constexpr double smallest_scale = 1e-6;
  static constexpr double largest_scale = 1e6;

  void keep_in_range() noexcept {
    if (std::abs(scale_) >= smallest_scale && std::abs(scale_) <= largest_scale) return;
    v_.multiply(scale_);
    product_ *= scale_;
    scale_ = 1.0;
  }

  Weights<Real> v_;
  double scale_ = 1.0;
  double product_ = 0.0;  // <v, x> of the row that was presented last
};

}  // namespace svm
