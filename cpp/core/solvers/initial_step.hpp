// SGD with steps proportional to 1 / (lambda (t + t0)), t = 1, 2, ...: t0, which sets the first step, is given or tuned
// on a sample.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "random/epoch_order.hpp"
#include "solvers/linear_solver.hpp"

namespace svm {

/// How t0 is chosen.
struct Tuning {
  std::size_t sample = 1000;   ///< examples, or n, as in Bottou's programs
  std::uint64_t passes = 1;    ///< over the sample, in a trial of a t0
  bool powers_of_ten = false;  ///< t0 is a power of ten
  double least = 1.0;          ///< t0 is at least this; 1: the steps of Pegasos
};

/// Searches the t0 = 1 / (lambda eta0) of lowest cost_of(t0). The first step eta0 starts at 1 / (mean squared norm),
/// which is 1 for rows of norm 1 as in Bottou's programs. t0 is halved while that lowers the cost; if the first halving
/// does not, it is doubled while that does. With powers of ten it starts at the nearest one and changes by factors of
/// ten.
template <typename Cost>
double best_t0(double lambda, double mean_squared_norm, const Tuning& tuning, const Cost& cost_of) {
  constexpr int most_changes = 30;
  const double eta = mean_squared_norm > 0.0 ? 1.0 / std::max(mean_squared_norm, lambda) : 1.0 / lambda;
  double t0 = 1.0 / (lambda * eta);
  if (tuning.powers_of_ten) {
    double power = 1.0;
    while (power < tuning.least || power * std::sqrt(10.0) < t0) power *= 10.0;
    t0 = power;
  }
  const double factor = tuning.powers_of_ten ? 10.0 : 2.0;
  double cost = cost_of(t0);
  const auto descend = [&](bool down) {
    const double first = t0;
    for (int k = 0; k < most_changes; ++k) {
      const double next = down ? t0 / factor : t0 * factor;
      if (down && next < tuning.least) break;
      const double other = cost_of(next);
      if (!(other < cost)) break;
      cost = other;
      t0 = next;
    }
    return t0 != first;
  };
  if (!descend(true)) descend(false);
  return t0;
}

/// Presents the examples in a random order to a rule, which has
///   Settings              with lambda and t0; a rule is made from the features and these,
///   tuning(n)             how t0 is chosen for n examples,
///   fresh()               whether each pass has another order,
///   start(t0)             resets: w = 0, and the next step is t = 1,
///   end_epoch()           is called after each pass,
///   present(features, i)  makes one step; charges row i and its inner products,
///   weights(), scale()    w = scale() weights(),
///   squared_norm()        |w|^2,
///   archive(state)        writes or reads the members that change.
/// If t0 is not given, the first step tunes it. A trial of a t0 consists of passes of the rule over a sample, drawn with
/// replacement, and the objective on that sample. Trials are charged as presentations, not as iterations.
template <typename SgdRule>
class TunedSgd final : public DirectLoop<TunedSgd<SgdRule>, FeatureSolver> {
  using Loop = DirectLoop<TunedSgd<SgdRule>, FeatureSolver>;
  using Loop::features_;

 public:
  using Rule = SgdRule;
  using Settings = typename Rule::Settings;

  TunedSgd(const FeatureMatrix& matrix, const Settings& settings, std::uint64_t seed)
      : Loop(matrix),
        lambda_(settings.lambda),
        t0_(settings.t0),
        rule_(matrix, settings),
        tuning_(rule_.tuning(matrix.size())),
        order_(matrix.size(), seed, rule_.fresh()),
        sampling_(seed, Purpose::sampling) {
    require_setting(lambda_, "lambda");
    if (t0_) require_setting(*t0_, "t0");
    using Value = std::remove_reference_t<decltype(*rule_.weights().values())>;
    if (std::is_same_v<Value, const float> && matrix.largest_norm() > 0.0) {
      require_setting(matrix.largest_norm() / (lambda_ * std::max(t0_.value_or(1.0), 1.0)),
                      "with float32 weights the longest step, max |x| / (lambda t0),");
    }
    if (t0_) rule_.start(*t0_);
  }

  void weights(double* out) const override { rule_.weights().copy(rule_.scale(), out); }
  /// The t0 in use; none before it has been tuned.
  std::optional<double> t0() const noexcept { return t0_; }
  const Rule& rule() const noexcept { return rule_; }
  void archive(StateArchive& state) override {
    Loop::archive(state);
    double t0 = t0_.value_or(0.0);
    state.finite("t0", t0, 0.0);
    if (state.reads()) t0_ = t0 > 0.0 ? std::optional<double>(t0) : std::nullopt;
    state.part("rule", rule_);
    state.part("order", order_);
    state.part("sampling", sampling_);
  }
  bool step() override {
    if (!t0_) tune();
    const std::size_t i = order_.now();
    order_.prefetch(features_);
    rule_.present(features_, i);
    if (order_.advance()) rule_.end_epoch();
    ++features_.counters().iterations;
    ++features_.counters().presentations;
    return true;
  }

 private:
  void tune() {
    std::vector<std::size_t> sample(std::min(features_.size(), tuning_.sample));
    double squares = 0.0;
    for (std::size_t& i : sample) {
      i = sampling_.below(features_.size());
      squares += features_.squared_norm(i);
    }
    const double mean = squares / static_cast<double>(sample.size());
    t0_ = best_t0(lambda_, mean, tuning_, [&](double t0) { return trial(sample, t0); });
    rule_.start(*t0_);
  }

  double trial(const std::vector<std::size_t>& sample, double t0) {
    rule_.start(t0);
    for (std::uint64_t k = 0; k < tuning_.passes; ++k) {
      for (const std::size_t i : sample) rule_.present(features_, i);
      rule_.end_epoch();
    }
    double hinge = 0.0;
    for (const std::size_t i : sample) {
      features_.charge_inner_product();
      hinge += std::max(0.0, 1.0 - rule_.scale() * features_.label(i) * rule_.weights().dot(features_.row(i)));
    }
    features_.counters().presentations += (tuning_.passes + 1) * sample.size();
    return 0.5 * lambda_ * rule_.squared_norm() + hinge / static_cast<double>(sample.size());
  }

  double lambda_;
  std::optional<double> t0_;
  Rule rule_;
  Tuning tuning_;
  EpochOrder order_;
  Random sampling_;
};

}  // namespace svm
