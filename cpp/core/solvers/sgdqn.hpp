// SGD-QN (Bordes, Bottou, Gallinari 2009): stochastic steps with a separate gain for each weight, and a regulariser
// that acts every few steps, on explicit weights.
#pragma once

#include "base/aligned.hpp"
#include "linear/weight_vector.hpp"
#include "solvers/initial_step.hpp"

namespace svm {

/// w += B y x / (t + t0) where y <w, x> < 1; every `period` steps, before that, w -= period lambda / (t + t0) B w. The
/// next step compares its gradient at w and at the w before: B_ii += (2 / r) (change of w_i / change of the gradient -
/// B_ii), r = 2, 3, ..., clipped to [0.01 / lambda, 1 / lambda]. B = 1 / lambda at first.
template <typename Real>
class SgdQnRule {
 public:
  /// skip: the period for dense rows. The regulariser takes O(d), which should equal the cost of `skip` dense steps; so
  /// the period is skip d / (mean number of stored coordinates of a row).
  SgdQnRule(const FeatureMatrix& matrix, double lambda, std::int64_t skip);

  void start(double t0);
  void present(CountedFeatures& features, std::size_t i);
  const Weights<Real>& weights() const noexcept { return v_; }
  double scale() const noexcept { return 1.0; }
  double squared_norm() noexcept;
  std::uint64_t period() const noexcept { return period_; }
  void archive(StateArchive& state);

 private:
  void regularise() noexcept;
  void learn_gains(const RowView& x, double y, bool violated, bool violated_before) noexcept;
  void add(const RowView& x, double amount) noexcept;

  double lambda_;
  std::uint64_t period_;
  Weights<Real> v_;
  Weights<Real> before_;      // v before the last action of the regulariser
  AlignedVector<Real> gain_;  // lambda B
  std::uint64_t left_ = 0;    // steps until the regulariser acts
  bool regularised_ = false;  // in the last step
  double time_ = 0.0;         // t + t0
  double r_ = 2.0;
};

template <typename Real>
using SgdQn = TunedSgd<SgdQnRule<Real>>;

}  // namespace svm
