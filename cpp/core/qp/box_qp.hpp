// A concave quadratic programme of a few variables in a box, with or without a constraint on their sum: the problem of a
// working set.
#pragma once

#include <cstddef>
#include <vector>

namespace svm {

/// maximise D(d) = <g, d> - 1/2 <d, H d> over low <= d <= high, where the box holds 0, and sum d = 0 where it is balanced. H is
/// positive semidefinite up to rounding: equal or dependent variables are allowed.
///
/// A primal active-set method (Nocedal, Wright: Numerical Optimization, section 16.5) that starts at d = 0. Each of its steps
/// goes to the maximum along a direction of ascent, so D never falls. Over the variables inside the box the direction is
/// Newton's for as many as are independent, then one without curvature for each that depends on them.
class BoxQp {
 public:
  explicit BoxQp(bool balanced) : balanced_(balanced) {}

  /// Makes room for a problem of `size` variables, to be filled in.
  void reset(std::size_t size);
  std::size_t size() const noexcept { return gradient_.size(); }
  /// g_k, the gradient at d = 0.
  double& gradient(std::size_t k) noexcept { return gradient_[k]; }
  double& H(std::size_t k, std::size_t l) noexcept { return H_[k * size() + l]; }
  double& low(std::size_t k) noexcept { return low_[k]; }
  double& high(std::size_t k) noexcept { return high_[k]; }

  /// Goes to the maximum, up to rounding; variables at a bound are there exactly.
  const std::vector<double>& solve();
  /// Once solved: by how much the conditions of a maximum are violated, largest slope that may rise less smallest that may fall.
  double violation() const noexcept { return violation_; }
  /// D at the solution.
  double value() const noexcept;

 private:
  bool rises(std::size_t k) const noexcept { return step_[k] < high_[k]; }
  bool falls(std::size_t k) const noexcept { return step_[k] > low_[k]; }
  double curvature(std::size_t k, std::size_t l) const noexcept { return H_[k * size() + l]; }
  /// Slopes and what rounding makes of them, the steepest variables upwards and downwards, the violation.
  void update_slopes();
  /// One more variable is to be moved into the box; false where the steepest are inside already.
  bool enter();
  bool is_free(std::size_t k) const noexcept;
  /// Sets `direction_`; false where the free variables are at their maximum.
  bool find_direction();
  void reduce();
  void factorize();
  /// x <- A^-1 x, with A the reduced H of the `rank_` independent variables.
  void solve_factor(std::vector<double>& x) const noexcept;
  /// To the maximum along `direction_`; variables that reach a bound are free no more. False: nothing changed.
  bool climb();
  /// The best that the steepest variables alone can do.
  void climb_steepest();

  bool balanced_;
  std::vector<double> gradient_;
  std::vector<double> H_;
  std::vector<double> low_;
  std::vector<double> high_;

  std::vector<double> step_;    // d
  std::vector<double> slopes_;  // g - H d
  double rounding_ = 0.0;       // violations that are rounding
  double violation_ = 0.0;
  std::size_t top_ = 0;
  std::size_t bottom_ = 0;

  std::vector<std::size_t> free_;  // those that may move
  std::vector<double> direction_;  // of all variables
  std::vector<double> along_;      // the same in the order of own_
  // The free variables without a constraint: where it is balanced, the first of them pays for what the others take.
  std::vector<std::size_t> own_;        // variables, in the order of the factor: independent ones first
  std::vector<double> reduced_slopes_;  // one for each of own_
  std::vector<double> reduced_;         // H, own_.size() squared
  std::vector<double> scales_;          // sizes of the terms that make a diagonal element
  std::vector<double> factor_;          // row k: L_k0 ... L_kk, for dependent variables the first rank_ only
  std::size_t rank_ = 0;
};

}  // namespace svm
