#include "solvers/sgd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"

namespace svm {
namespace {

/// 1 / (lambda t), and 0 before the first presentation.
double shrink(double lambda, const Counters& counters) noexcept {
  return counters.presentations > 0 ? 1.0 / (lambda * static_cast<double>(counters.presentations)) : 0.0;
}

}  // namespace

std::uint64_t multiple_update(double threshold, double lambda, double response, double squared_norm,
                              std::uint32_t multiplicity) noexcept {
  const auto last = static_cast<double>(multiplicity - 1);
  // If an update adds less to the response than a presentation to the threshold, every presentation after the first is
  // an update.
  const double room = (threshold + lambda * last - response) / std::max(squared_norm, lambda);
  return room < 0.0 ? 0 : static_cast<std::uint64_t>(std::min(std::floor(room), last)) + 1;
}

SgdRandom::SgdRandom(const FeatureMatrix& matrix, double lambda, std::uint64_t seed)
    : DirectLoop(matrix),
      lambda_(require_positive(lambda, "lambda")),
      random_(seed, Purpose::sampling),
      next_(random_.below(matrix.size())),
      a_(matrix.dimension()) {}

void SgdRandom::weights(double* out) const { a_.copy(shrink(lambda_, counters()), out); }

void SgdRandom::archive(StateArchive& state) {
  FeatureSolver::archive(state);
  state.part("random", random_);
  state.index("next", next_, size());
  state.part("a", a_);
}

bool SgdRandom::step() {
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

template <typename Real>
SgdPasses<Real>::SgdPasses(const FeatureMatrix& matrix, const SgdSettings& settings, std::uint64_t seed)
    : Loop(matrix),
      settings_(settings),
      order_(matrix.size(), seed),
      a_(matrix.dimension()),
      updates_(matrix.size()),
      lower_bound_(std::numeric_limits<double>::quiet_NaN()) {
  require_positive(settings.lambda, "lambda");
  require_positive(settings.eps, "eps");
  require_positive(settings.check_factor, "check_factor");
  require(!settings.multiplicities.empty(), "there must be a multiplicity");
  for (const std::uint32_t multiplicity : settings.multiplicities) {
    require(multiplicity > 0, "an example is presented at least once in a row, not 0 times");
  }
  multiplicity_ = settings.multiplicities.front();
}

template <typename Real>
void SgdPasses<Real>::weights(double* out) const {
  a_.copy(shrink(settings_.lambda, features_.counters()), out);
}

template <typename Real>
void SgdPasses<Real>::archive(StateArchive& state) {
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
  state.number("close_enough", converged_);
  state.check(multiplicity_ == settings_.multiplicities[passes_ % settings_.multiplicities.size()], "multiplicity",
              " is not that of this pass");
}

// flatten inlines the callees, a few instructions each: a presentation takes tens of nanoseconds.
template <typename Real>
[[gnu::flatten]] bool SgdPasses<Real>::step() {
  if (converged_) return false;
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

template <typename Real>
void SgdPasses<Real>::end_pass() {
  if constexpr (std::is_same_v<Real, float>) a_.refresh_norm();
  const auto n = static_cast<double>(features_.size());
  const auto t = static_cast<double>(features_.counters().presentations);
  const double regulariser = a_.squared_norm() / (2.0 * settings_.lambda * t * t);
  lower_bound_ = static_cast<double>(all_updates_) / t - regulariser;
  const double enough = settings_.eps * lower_bound_;
  if (regulariser + hinge_ / n - lower_bound_ <= settings_.check_factor * enough) {
    ++checks_;
    const double primal = regulariser + hinge_sum(features_, a_, shrink(settings_.lambda, features_.counters())) / n;
    converged_ = primal - lower_bound_ <= enough;
  }
  hinge_ = 0.0;
  ++passes_;
  multiplicity_ = settings_.multiplicities[passes_ % settings_.multiplicities.size()];
}

template class SgdPasses<double>;
template class SgdPasses<float>;

}  // namespace svm
