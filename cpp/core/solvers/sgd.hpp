// Stochastic gradient descent on the primal in the form of a perceptron with a margin that grows (Panagiotakopoulos,
// Tsampouka 2013). With steps 1 / (lambda t) and u_t = a_t / (lambda t): at each presentation a += y x if y <a, x> <=
// lambda t, then t += 1. No step scales the weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "linear/weight_vector.hpp"
#include "random/epoch_order.hpp"
#include "random/random.hpp"
#include "solvers/linear_solver.hpp"

namespace svm {

/// 1 / (lambda t) after t presentations, and 0 before the first.
inline double inverse_of_time(double lambda, const Counters& counters) noexcept {
  return counters.presentations > 0 ? 1.0 / (lambda * static_cast<double>(counters.presentations)) : 0.0;
}

/// Updates in `multiplicity` presentations in a row of an example, at thresholds `threshold`, `threshold` + lambda,
/// ..., where its response y <a, x> is `response` before the first.
[[gnu::noinline]] inline std::uint64_t multiple_update(double threshold, double lambda, double response,
                                                       double squared_norm, std::uint32_t multiplicity) noexcept {
  const auto last = static_cast<double>(multiplicity - 1);
  // If an update adds less to the response than a presentation to the threshold, every presentation after the first is
  // an update.
  const double room = (threshold + lambda * last - response) / std::max(squared_norm, lambda);
  return room < 0.0 ? 0 : static_cast<std::uint64_t>(std::min(std::floor(room), last)) + 1;
}

struct SgdRandomSettings {
  double lambda = 1.0;

  auto fields() { return std::tuple(required("lambda", lambda)); }
};

/// SGD-r: examples at random, with replacement.
class SgdRandom final : public DirectLoop<SgdRandom, FeatureSolver> {
 public:
  SgdRandom(const FeatureMatrix& matrix, const SgdRandomSettings& settings, std::uint64_t seed)
      : DirectLoop(matrix),
        lambda_(require_setting(settings.lambda, "lambda")),
        random_(seed, Purpose::sampling),
        next_(random_.below(matrix.size())),
        a_(matrix.dimension()) {}

  void weights(double* out) const override { a_.copy(inverse_of_time(lambda_, counters()), out); }
  void archive(StateArchive& state) override {
    FeatureSolver::archive(state);
    state.part("random", random_);
    state.index("next", next_, size());
    state.part("a", a_);
  }
  bool step() override {
    Counters& counters = features_.counters();
    const std::size_t i = next_;
    next_ = random_.below(features_.size());
    features_.prefetch_row(next_);
    const RowView x = features_.row(i);
    const double y = features_.label(i);
    features_.charge_inner_product();
    const double dot = a_.dot(x);
    if (y * dot <= lambda_ * static_cast<double>(counters.presentations)) a_.add(x, y, dot, features_.squared_norm(i));
    ++counters.iterations;
    ++counters.presentations;
    return true;
  }

 private:
  double lambda_;
  Random random_;
  std::size_t next_;  // drawn one step ahead, so that its row can be prefetched
  WeightVector a_;
};

struct SgdSettings {
  double lambda = 1.0;
  double eps = 0.01;          ///< stops when (J - L) / L <= eps at the end of a pass
  double check_factor = 1.2;  ///< J is computed where the estimate of (J - L) / L is at most this many eps
  /// Presentations in a row of each example, by one inner product: in the first pass, the second, ..., and from the
  /// start
  std::vector<std::uint32_t> multiplicities{1};

  auto fields() {
    return std::tuple(required("lambda", lambda), required("eps", eps), required("check_factor", check_factor),
                      required("multiplicities", multiplicities));
  }
};

/// SGD-s and SGD-m: complete passes, each in a fresh order, and a lower bound on the optimum at the end of each.
template <typename Real>
class SgdPasses final : public DirectLoop<SgdPasses<Real>, FeatureSolver> {
  using Loop = DirectLoop<SgdPasses<Real>, FeatureSolver>;
  using Loop::features_;

 public:
  SgdPasses(const FeatureMatrix& matrix, const SgdSettings& settings, std::uint64_t seed)
      : Loop(matrix),
        settings_(settings),
        order_(matrix.size(), seed),
        a_(matrix.dimension()),
        updates_(matrix.size()) {
    require_setting(settings.lambda, "lambda");
    require_setting(settings.eps, "eps");
    require_setting(settings.check_factor, "check_factor");
    require(!settings.multiplicities.empty(), "there must be a multiplicity");
    for (const std::uint32_t multiplicity : settings.multiplicities) {
      require(multiplicity > 0, "an example is presented at least once in a row, not 0 times");
    }
    multiplicity_ = settings.multiplicities.front();
  }

  void weights(double* out) const override { a_.copy(inverse_of_time(settings_.lambda, features_.counters()), out); }
  /// L = M / t - |a|^2 / (2 lambda t^2) at the end of the last pass, after M updates.
  double lower_bound() const override { return lower_bound_; }
  /// Updates by each example, c_k (n): at the end of a pass of T epochs, C c_k / T is feasible in the dual.
  const std::vector<std::uint32_t>& updates() const noexcept { return updates_; }
  /// Times that J was computed.
  std::uint64_t checks() const noexcept { return checks_; }
  void archive(StateArchive& state) override {
    Loop::archive(state);
    state.part("order", order_);
    state.part("a", a_);
    state.values("updates", updates_);
    state.number("all_updates", all_updates_);
    state.number("passes", passes_);
    state.number("multiplicity", multiplicity_);
    state.number("hinge", hinge_);
    state.number("lower_bound", lower_bound_);
    state.number("checks", checks_);
    state.check(multiplicity_ == settings_.multiplicities[passes_ % settings_.multiplicities.size()], "multiplicity",
                " is not that of this pass");
  }
  // flatten inlines the callees, a few instructions each: a presentation takes tens of nanoseconds.
  [[gnu::flatten]] bool step() override {
    Counters& counters = features_.counters();
    const std::size_t i = order_.now();
    order_.prefetch(features_);
    __builtin_prefetch(updates_.data() + order_.ahead(CountedFeatures::rows_ahead));
    const RowView x = features_.row(i);
    const double y = features_.label(i);
    features_.charge_inner_product();
    const double dot = a_.dot(x);
    const double response = y * dot;
    const double threshold = settings_.lambda * static_cast<double>(counters.presentations);
    if (response <= threshold + settings_.lambda * static_cast<double>(multiplicity_ - 1)) {
      // The estimate of J uses each loss at the time of its presentation; at t = 0 the weights are 0.
      hinge_ += counters.presentations > 0 ? std::max(0.0, 1.0 - response / threshold) : 1.0;
      const double squared_norm = features_.squared_norm(i);
      std::uint64_t count = 1;
      if (multiplicity_ > 1) {
        count = multiple_update(threshold, settings_.lambda, response, squared_norm, multiplicity_);
      }
      a_.add(x, y * static_cast<double>(count), dot, squared_norm);
      updates_[i] += static_cast<std::uint32_t>(count);
      all_updates_ += count;
    }
    ++counters.iterations;
    counters.presentations += multiplicity_;
    if (order_.advance()) end_pass();
    return true;
  }

 private:
  void end_pass() {
    if constexpr (std::is_same_v<Real, float>) a_.refresh_norm();
    const auto n = static_cast<double>(features_.size());
    const auto t = static_cast<double>(features_.counters().presentations);
    const double regulariser = a_.squared_norm() / (2.0 * settings_.lambda * t * t);
    lower_bound_ = static_cast<double>(all_updates_) / t - regulariser;
    const double enough = settings_.eps * lower_bound_;
    if (regulariser + hinge_ / n - lower_bound_ <= settings_.check_factor * enough) {
      ++checks_;
      const double primal =
          regulariser + hinge_sum(features_, a_, inverse_of_time(settings_.lambda, features_.counters())) / n;
      if (primal - lower_bound_ <= enough) this->converge();
    }
    hinge_ = 0.0;
    ++passes_;
    multiplicity_ = settings_.multiplicities[passes_ % settings_.multiplicities.size()];
  }

  SgdSettings settings_;
  EpochOrder order_;
  Weights<Real> a_;
  std::vector<std::uint32_t> updates_;
  std::uint64_t all_updates_ = 0;
  std::uint64_t passes_ = 0;
  std::uint32_t multiplicity_;
  double hinge_ = 0.0;  // sum of the losses seen in this pass
  double lower_bound_ = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t checks_ = 0;
};

}  // namespace svm
