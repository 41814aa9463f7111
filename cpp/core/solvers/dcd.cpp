#include "solvers/dcd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"

namespace svm {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
// The estimate of a pass uses earlier weights and is larger than the gap at its end.
constexpr double gap_over_estimate = 1.5;
// Coordinates may be left out wrongly: all return when the gap of the others has fallen to this part.
constexpr double renewal_ratio = 0.1;

/// The term of an example in the duality gap.
double gap_of(double margin, double alpha, double C) noexcept {
  const double loss = 1.0 - margin;
  return (loss > 0.0 ? C - alpha : -alpha) * loss;
}

}  // namespace

Dcd::Dcd(const FeatureMatrix& matrix, const DcdSettings& settings, std::uint64_t seed)
    : DirectLoop(matrix),
      settings_(settings),
      scale_(settings.C * static_cast<double>(matrix.size())),
      random_(seed, Purpose::order),
      w_(matrix.dimension()),
      alpha_(matrix.size()),
      check_below_(gap_over_estimate * settings.eps) {
  require_setting(settings.C, "C");
  require_setting(settings.eps, "eps");
  activate_all();
  if (settings.permutation) random_.shuffle(active_);
}

void Dcd::archive(StateArchive& state) {
  FeatureSolver::archive(state);
  state.part("random", random_);
  state.part("w", w_);
  state.values("alpha", alpha_);
  state.number("sum_alpha", sum_alpha_);
  state.index_list("active", active_, size());
  state.number("position", position_);
  state.number("kept", kept_);
  state.number("largest", largest_);
  state.number("smallest", smallest_);
  state.number("shrink_above", shrink_above_);
  state.number("shrink_below", shrink_below_);
  state.number("gap_seen", gap_seen_);
  state.number("check_below", check_below_);
  state.number("whole", whole_);
  state.number("gap_of_all", gap_of_all_);
  state.check(converged() || (kept_ <= position_ && position_ < active_.size()), "position",
              " and the coordinates kept are not places in a pass");
}

bool Dcd::step() {
  Counters& counters = features_.counters();
  const std::size_t i = active_[position_++];
  if (const std::size_t ahead = position_ + CountedFeatures::offsets_ahead; ahead < active_.size()) {
    features_.prefetch_offset(active_[ahead]);
  }
  if (const std::size_t ahead = position_ + CountedFeatures::rows_ahead; ahead < active_.size()) {
    features_.prefetch_row(active_[ahead]);
  }
  const double C = settings_.C;
  const RowView x = features_.row(i);
  const double y = features_.label(i);
  features_.charge_inner_product();
  ++counters.iterations;
  ++counters.presentations;
  const double dot = w_.dot(x);
  const double before = alpha_[i];
  const double gradient = y * dot - 1.0;
  const bool shrunk = (before == 0.0 && gradient > shrink_above_) || (before == C && gradient < shrink_below_);
  if (!shrunk) {
    active_[kept_++] = static_cast<std::uint32_t>(i);
    gap_seen_ += gap_of(y * dot, before, C);
    const double projected =
        before == 0.0 ? std::min(gradient, 0.0) : (before == C ? std::max(gradient, 0.0) : gradient);
    largest_ = std::max(largest_, projected);
    smallest_ = std::min(smallest_, projected);
    if (projected != 0.0) {
      const double squared_norm = features_.squared_norm(i);
      // A zero row does not change the weights: its coordinate goes to the bound in the direction of its gradient.
      const double free = squared_norm > 0.0 ? before - gradient / squared_norm : C;
      const double after = std::clamp(free, 0.0, C);
      alpha_[i] = after;
      sum_alpha_ += after - before;
      w_.add(x, y * (after - before), dot, squared_norm);
    }
  }
  if (position_ == active_.size()) end_pass();
  return true;
}

void Dcd::end_pass() {
  active_.resize(kept_);
  const bool check = active_.empty() || gap_seen_ <= check_below_ * dual();
  if (check && close_enough()) return converge();
  if (whole_) gap_of_all_ = gap_seen_;
  whole_ = check || gap_seen_ <= renewal_ratio * gap_of_all_;
  if (whole_) {
    activate_all();
  } else if (settings_.shrinking) {
    shrink_above_ = largest_ > 0.0 ? largest_ : infinite;
    shrink_below_ = smallest_ < 0.0 ? smallest_ : -infinite;
  }
  largest_ = -infinite;
  smallest_ = infinite;
  gap_seen_ = 0.0;
  position_ = kept_ = 0;
  if (settings_.permutation) random_.shuffle(active_);
}

/// Computes P - D; returns whether it is small enough. If not, and the gap of the active coordinates alone is too
/// large, lowers `check_below_` by the factor that is missing.
bool Dcd::close_enough() {
  sum_alpha_ = std::accumulate(alpha_.begin(), alpha_.end(), 0.0);
  w_.refresh_norm();
  std::vector<char> active(alpha_.size());
  for (const std::uint32_t i : active_) active[i] = 1;
  double gap = 0.0;
  double gap_of_active = 0.0;
  for (std::size_t i = 0; i < alpha_.size(); ++i) {
    features_.charge_inner_product();
    const double part = gap_of(features_.label(i) * w_.dot(features_.row(i)), alpha_[i], settings_.C);
    gap += part;
    if (active[i] != 0) gap_of_active += part;
  }
  const double enough = settings_.eps * dual();
  if (gap <= enough) return true;
  if (gap_of_active > enough) check_below_ *= enough / gap_of_active;
  return false;
}

/// Makes all coordinates active.
void Dcd::activate_all() {
  if (active_.size() < alpha_.size()) {
    active_.resize(alpha_.size());
    std::iota(active_.begin(), active_.end(), 0U);
  }
  shrink_above_ = infinite;
  shrink_below_ = -infinite;
  largest_ = -infinite;
  smallest_ = infinite;
}

}  // namespace svm
