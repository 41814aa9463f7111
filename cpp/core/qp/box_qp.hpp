// A concave quadratic programme of a few variables in a box, optionally with fixed sum: the problem of a working set.
#pragma once

#include <cstddef>
#include <vector>

namespace svm {

/// maximise D(d) = <g, d> - 1/2 <d, H d> over low <= d <= high, where the box contains 0, and sum d = 0 if `balanced`.
/// H is positive semidefinite up to rounding: equal or dependent variables are allowed.
///
/// A primal active-set method (Nocedal, Wright: Numerical Optimization, section 16.5) that starts at d = 0. Each step
/// goes to the maximum along a direction of ascent, so D never falls. The direction is Newton's over the independent
/// variables inside the box; when these are at their maximum, a direction of zero curvature for each dependent
/// variable.
class BoxQp {
 public:
  explicit BoxQp(bool balanced) : balanced_(balanced) {}

  /// Starts a new problem of `size` variables; the caller fills it in.
  void reset(std::size_t size);
  std::size_t size() const noexcept { return gradient_.size(); }
  /// g_k, the gradient at d = 0.
  double& gradient(std::size_t k) noexcept { return gradient_[k]; }
  double& H(std::size_t k, std::size_t l) noexcept { return H_[k * size() + l]; }
  double& low(std::size_t k) noexcept { return low_[k]; }
  double& high(std::size_t k) noexcept { return high_[k]; }

  /// Solves the problem up to rounding; variables at a bound are there exactly.
  const std::vector<double>& solve();

 private:
  bool rises(std::size_t k) const noexcept { return step_[k] < high_[k]; }
  bool falls(std::size_t k) const noexcept { return step_[k] > low_[k]; }
  double curvature(std::size_t k, std::size_t l) const noexcept { return H_[k * size() + l]; }
  /// Computes the slopes and their rounding errors, the steepest variables upwards and downwards, and the violation.
  void update_slopes();
  /// Makes one more variable free; returns false if the steepest ones are free already.
  bool enter();
  bool is_free(std::size_t k) const noexcept;
  /// Sets `direction_`; returns false if the free variables are at their maximum.
  bool find_direction();
  /// The slope and H without the constraint on the sum: if balanced, it eliminates the first free variable.
  double reduced_slope(std::size_t k) const noexcept;
  double reduced_curvature(std::size_t k, std::size_t l) const noexcept;
  void factorize();
  /// x <- A^-1 x, with A the reduced H of the `rank_` independent variables.
  void solve_factor(std::vector<double>& x) const noexcept;
  /// Moves to the maximum along `direction_`; variables that reach a bound become fixed. Returns false if nothing
  /// changed.
  bool climb();
  /// Moves the steepest variables alone.
  void climb_steepest();

  bool balanced_;
  std::vector<double> gradient_;
  std::vector<double> H_;
  std::vector<double> low_;
  std::vector<double> high_;

  std::vector<double> step_;    // d
  std::vector<double> slopes_;  // g - H d
  double rounding_ = 0.0;       // a violation up to this is rounding error
  double violation_ = 0.0;
  std::size_t top_ = 0;
  std::size_t bottom_ = 0;

  std::vector<std::size_t> free_;  // those that may move
  std::vector<double> direction_;  // of all variables
  // The free variables that are left, in the order of the factor: independent ones first.
  std::vector<std::size_t> order_;
  std::vector<double> along_;   // the direction in this order
  std::vector<double> factor_;  // row k: L_k0 ... L_kk, for dependent variables the first rank_ only
  std::size_t rank_ = 0;
};

}  // namespace svm
