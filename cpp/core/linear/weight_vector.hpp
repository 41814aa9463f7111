// Explicit weights as a sum of rows, in float64 or float32: plain, or with a scale of their own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "base/aligned.hpp"
#include "base/state.hpp"
#include "data/row_operations.hpp"

namespace svm {

/// A sum v of rows. A method that scales its weights w = scale v keeps the scale, itself or by ScaledVector.
template <typename Real>
class Weights {
  static_assert(std::is_same_v<Real, double> || std::is_same_v<Real, float>);

 public:
  explicit Weights(std::size_t dimension) : v_(dimension) {}

  /// <v, x>.
  double dot(const RowView& x) const noexcept { return svm::dot(loops_, x, v_.data()); }
  /// <v, x>; prefetches the row whose values begin at `upcoming`.
  template <typename Row>
  double dot(const Row& x, decltype(Row::values) upcoming) const noexcept {
    return svm::dot(loops_, x, v_.data(), upcoming);
  }
  /// v += amount x, given <v, x> and |x|^2.
  template <typename Row>
  void add(const Row& x, double amount, double dot, double squared_norm) noexcept {
    squared_norm_ = std::max(squared_norm_ + amount * (2.0 * dot + amount * squared_norm), 0.0);
    svm::add(loops_, v_.data(), x, amount);
  }
  /// v *= factor, which takes O(d).
  void multiply(double factor) noexcept {
    for (Real& value : v_) value = static_cast<Real>(factor * static_cast<double>(value));
    squared_norm_ *= factor * factor;
  }
  /// v = 0, whatever it was.
  void clear() noexcept {
    std::fill(v_.begin(), v_.end(), Real{0});
    squared_norm_ = 0.0;
  }
  /// |v|^2, updated by `add` and `multiply` in float64. Where v is float32 it misses the rounding of v: 1e-10 a step,
  /// so a method of many steps calls `refresh_norm` now and then.
  double squared_norm() const noexcept { return squared_norm_; }
  /// Recomputes |v|^2 from v in O(d), which removes accumulated rounding errors.
  void refresh_norm() noexcept {
    squared_norm_ = 0.0;
    for (const Real value : v_) squared_norm_ += static_cast<double>(value) * static_cast<double>(value);
  }
  /// Writes scale v, d values.
  void copy(double scale, double* out) const noexcept {
    for (std::size_t j = 0; j < v_.size(); ++j) out[j] = scale * static_cast<double>(v_[j]);
  }
  const Real* values() const noexcept { return v_.data(); }
  /// For writing; call `refresh_norm` afterwards to update |v|^2.
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

/// A vector w = scale v, where v is a sum of rows: multiplying w takes O(1), and adding a row takes as many operations as
/// the row has stored coordinates. A row is presented, w may be multiplied, and then the row may be added. A scale that has left its range is
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

/// The sum over all examples of max(0, 1 - y_i <scale v, x_i>), charged as one pass.
template <typename Real>
double hinge_sum(CountedFeatures& features, const Weights<Real>& v, double scale) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    features.charge_inner_product();
    sum += std::max(0.0, 1.0 - scale * features.label(i) * v.dot(features.row(i)));
  }
  return sum;
}

}  // namespace svm
