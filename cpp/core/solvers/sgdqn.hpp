// SGD-QN (Bordes, Bottou, Gallinari 2009; erratum 2010): stochastic steps with a separate gain for each weight, and a
// regulariser that acts every few steps, on explicit weights.
#pragma once

#include "base/aligned.hpp"
#include "linear/weight_vector.hpp"
#include "solvers/initial_step.hpp"

namespace svm {

enum class SgdQnVariant {
  corrected,  ///< curvatures are added up: the published program, after the erratum
  original,   ///< ratios are averaged: the algorithm of 2009
};

struct SgdQnSettings {
  double lambda = 1.0;
  SgdQnVariant variant = SgdQnVariant::corrected;
  std::int64_t skip = 16;           ///< the period for dense rows
  std::int64_t tuning_passes = 10;  ///< corrected: over the sample, in a trial of a t0
  bool permutation = true;          ///< each pass has a new random order
  bool restart = true;              ///< corrected: each pass counts the steps to the regulariser's next action anew
};

/// w += y G x where y <w, x> < 1; every `period` steps, before that, w -= period lambda G w. The next step compares its
/// gradient at w and at the w before, which gives a curvature c_i = change of the gradient / change of w_i. Where
/// neither changed, c_i = lambda.
///
/// corrected: G_ii = 1 / (lambda t0) at first. When the loss of the example has appeared or vanished, 1 / G_ii grows by
/// the steps since the last time, times c_i clipped to [0.1 lambda, 100 lambda], or 101 lambda if x_i is not 0 and w_i
/// did not change.
///
/// original: G = B / (t + t0). B_ii += (2 / r) (1 / c_i - B_ii), r = 2, 3, ..., clipped to [0.01 / lambda, 1 / lambda].
/// B = 1 / lambda at first.
template <typename Real>
class SgdQnRule {
 public:
  /// The regulariser takes O(d), which should equal the cost of `skip` dense steps; so the period is skip d / (mean
  /// number of stored coordinates of a row).
  SgdQnRule(const FeatureMatrix& matrix, const SgdQnSettings& settings);

  /// The corrected variant searches t0 as the published program does: powers of ten, tried on a tenth of the examples,
  /// but on at least 1,000 and at most 10,000.
  Tuning tuning(std::size_t n) const noexcept;
  bool fresh() const noexcept { return settings_.permutation; }
  void end_epoch() noexcept;
  void start(double t0);
  void present(CountedFeatures& features, std::size_t i);
  const Weights<Real>& weights() const noexcept { return v_; }
  double scale() const noexcept { return 1.0; }
  double squared_norm() noexcept;
  std::uint64_t period() const noexcept { return period_; }
  void archive(StateArchive& state);

 private:
  bool corrected() const noexcept { return settings_.variant == SgdQnVariant::corrected; }
  bool restarts() const noexcept { return corrected() && settings_.restart; }
  void regularise() noexcept;
  /// 1 / (t + t0) where `gain_` has not that factor.
  double rate() const noexcept { return corrected() ? 1.0 : 1.0 / time_; }
  /// c_i / lambda of stored coordinate k of an example whose loss has appeared or vanished.
  double curvature(const RowView& x, std::size_t k, double sign) const noexcept;
  void add_curvatures(const RowView& x, double sign);
  void average_ratios(const RowView& x, double sign) noexcept;
  void add(const RowView& x, double amount) noexcept;

  SgdQnSettings settings_;
  std::uint64_t period_;
  double least_t0_;  // corrected: with a smaller one the regulariser would change the signs of weights
  Weights<Real> v_;
  Weights<Real> before_;      // v before the last action of the regulariser
  AlignedVector<Real> gain_;  // lambda G; original: lambda B
  std::uint64_t left_ = 0;    // steps until the regulariser acts
  bool regularised_ = false;  // in the last step
  double time_ = 0.0;         // t; original: t + t0
  double added_ = 0.0;        // corrected: the t at which curvatures were added last
  double r_ = 2.0;            // original
};

template <typename Real>
using SgdQn = TunedSgd<SgdQnRule<Real>>;

}  // namespace svm
