// SGD-QN (Bordes, Bottou, Gallinari 2009; erratum 2010): stochastic steps with a separate gain for each weight, and a
// regulariser that acts every few steps, on explicit weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
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
  std::optional<double> t0 = std::nullopt;  ///< none: tuned on a sample
  std::int64_t skip = 16;                   ///< the period for dense rows
  std::int64_t tuning_passes = 10;          ///< corrected: over the sample, in a trial of a t0
  bool permutation = true;                  ///< each pass has a new random order
  bool restart = true;  ///< corrected: each pass counts the steps to the regulariser's next action anew

  auto fields() {
    return std::tuple(required("lambda", lambda), field("variant", variant), field("t0", t0), field("skip", skip),
                      field("tuning_passes", tuning_passes), field("permutation", permutation),
                      field("restart", restart));
  }
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
  using Settings = SgdQnSettings;

  /// The regulariser takes O(d), which should equal the cost of `skip` dense steps; so the period is skip d / (mean
  /// number of stored coordinates of a row).
  SgdQnRule(const FeatureMatrix& matrix, const SgdQnSettings& settings)
      : settings_(settings),
        period_(period_of(matrix, settings.skip)),
        // a regulariser that counts anew in each pass may never act
        least_t0_(restarts() && period_ > matrix.size() ? 1.0 : static_cast<double>(period_)),
        v_(matrix.dimension()),
        before_(matrix.dimension()),
        gain_(matrix.dimension()) {
    require(settings.tuning_passes >= 1 && settings.tuning_passes <= most_passes,
            "tuning_passes must be from 1 to 100");
  }

  /// The corrected variant searches t0 as the published program does: powers of ten, tried on a tenth of the examples,
  /// but on at least 1,000 and at most 10,000.
  Tuning tuning(std::size_t n) const noexcept {
    if (!corrected()) return {};
    return {std::clamp<std::size_t>(n / 10, 1000, 10000), static_cast<std::uint64_t>(settings_.tuning_passes), true,
            least_t0_};
  }
  bool fresh() const noexcept { return settings_.permutation; }
  void end_epoch() noexcept {
    if (!restarts()) return;
    left_ = period_;
    regularised_ = false;
  }
  void start(double t0) {
    if (corrected()) {
      require(t0 >= least_t0_, "t0 must be at least " + std::to_string(static_cast<std::uint64_t>(least_t0_)) +
                                   ": the steps between two actions of the regulariser, or 1 if it never acts");
    }
    v_.clear();
    std::fill(gain_.begin(), gain_.end(), corrected() ? static_cast<Real>(1.0 / t0) : Real{1});
    left_ = period_;
    regularised_ = false;
    time_ = corrected() ? 0.0 : t0;
    added_ = 0.0;
    r_ = 2.0;
  }
  void present(CountedFeatures& features, std::size_t i) {
    const RowView x = features.row(i);
    const double y = features.label(i);
    features.charge_inner_product();
    const bool violated = y * v_.dot(x) < 1.0;
    time_ += 1.0;
    if (regularised_) {
      features.charge_inner_product();
      const bool violated_before = y * before_.dot(x) < 1.0;
      // The change of the loss's gradient is sign x.
      const double sign = violated == violated_before ? 0.0 : (violated ? -y : y);
      if (!corrected()) {
        average_ratios(x, sign);
      } else if (sign != 0.0) {
        add_curvatures(x, sign);
      }
      regularised_ = false;
    }
    if (left_ > 1) {
      --left_;
    } else {
      regularise();
    }
    if (violated) add(x, y * rate() / settings_.lambda);
  }
  const Weights<Real>& weights() const noexcept { return v_; }
  double scale() const noexcept { return 1.0; }
  double squared_norm() noexcept {
    v_.refresh_norm();
    return v_.squared_norm();
  }
  std::uint64_t period() const noexcept { return period_; }
  void archive(StateArchive& state) {
    state.part("v", v_);
    state.part("before", before_);
    state.values("gain", gain_);
    state.count("left", left_, period_);
    state.number("regularised", regularised_);
    state.number("time", time_);
    state.number("added", added_);
    state.number("r", r_);
  }

 private:
  // original
  static constexpr double least_gain = 0.01;
  // corrected, as in the published program; in units of lambda
  static constexpr double least_curvature = 0.1;
  static constexpr double largest_curvature = 100.0;
  static constexpr double curvature_of_unmoved = 1.0 + largest_curvature;
  static constexpr std::int64_t most_passes = 100;
  static constexpr double largest_period = 0x1p62;

  static std::uint64_t period_of(const FeatureMatrix& matrix, std::int64_t skip) {
    require(skip >= 1, "skip must be a whole number >= 1");
    const double cells = static_cast<double>(matrix.size()) * static_cast<double>(matrix.dimension());
    const auto stored = static_cast<double>(std::max<std::size_t>(matrix.stored(), 1));
    return static_cast<std::uint64_t>(std::min(std::round(static_cast<double>(skip) * cells / stored), largest_period));
  }
  bool corrected() const noexcept { return settings_.variant == SgdQnVariant::corrected; }
  bool restarts() const noexcept { return corrected() && settings_.restart; }
  void regularise() noexcept {
    const auto part = static_cast<Real>(static_cast<double>(period_) * rate());  // times a gain it is at most 1
    Real* v = v_.values();
    Real* before = before_.values();
    for (std::size_t j = 0; j < gain_.size(); ++j) {
      before[j] = v[j];
      v[j] -= part * gain_[j] * v[j];
    }
    left_ = period_;
    regularised_ = true;
  }
  /// 1 / (t + t0) where `gain_` has not that factor.
  double rate() const noexcept { return corrected() ? 1.0 : 1.0 / time_; }
  /// c_i / lambda of stored coordinate k of an example whose loss has appeared or vanished.
  double curvature(const RowView& x, std::size_t k, double sign) const noexcept {
    const std::size_t j = x.at(k);
    const double moved = static_cast<double>(v_.values()[j]) - static_cast<double>(before_.values()[j]);
    return 1.0 + sign * static_cast<double>(x.values[k]) / (settings_.lambda * moved);
  }
  void add_curvatures(const RowView& x, double sign) {
    const double steps = time_ - added_;
    added_ = time_;
    const auto grown = [&](Real gain, double curvature) {
      return static_cast<Real>(1.0 / (1.0 / static_cast<double>(gain) + steps * curvature));
    };
    std::vector<Real> grown_gains;  // the new gains of the example's coordinates
    for (std::size_t k = 0; k < x.size; ++k) {
      const std::size_t j = x.at(k);
      const bool still = v_.values()[j] == before_.values()[j];
      const double c =
          still ? curvature_of_unmoved : std::clamp(curvature(x, k, sign), least_curvature, largest_curvature);
      grown_gains.push_back(grown(gain_[j], x.values[k] == 0.0F ? 1.0 : c));
    }
    for (Real& gain : gain_) gain = grown(gain, 1.0);
    for (std::size_t k = 0; k < x.size; ++k) gain_[x.at(k)] = grown_gains[k];
  }
  void average_ratios(const RowView& x, double sign) noexcept {
    const double share = 2.0 / r_;
    r_ += 1.0;
    for (Real& gain : gain_) gain += static_cast<Real>(share) * (Real{1} - gain);
    for (std::size_t k = 0; sign != 0.0 && k < x.size; ++k) {
      if (x.values[k] == 0.0F) continue;
      Real& gain = gain_[x.at(k)];
      const double ratio = 1.0 / curvature(x, k, sign);
      gain = static_cast<Real>(std::clamp(static_cast<double>(gain) + share * (ratio - 1.0), least_gain, 1.0));
    }
  }
  void add(const RowView& x, double amount) noexcept {
    const auto factor = static_cast<Real>(amount);
    Real* v = v_.values();
    if (x.indices == nullptr) {
      for (std::size_t j = 0; j < x.size; ++j) v[j] += factor * gain_[j] * static_cast<Real>(x.values[j]);
      return;
    }
    for (std::size_t k = 0; k < x.size; ++k) {
      const auto j = static_cast<std::size_t>(x.indices[k]);
      v[j] += factor * gain_[j] * static_cast<Real>(x.values[k]);
    }
  }

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
