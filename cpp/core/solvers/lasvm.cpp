#include "solvers/lasvm.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/swap_remove.hpp"
#include "simd/loops.hpp"

namespace svm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// LIBSVM's constant for a direction of zero curvature.
constexpr double least_curvature = 1e-12;

}  // namespace

Lasvm::Lasvm(RowSource& source, const LasvmSettings& settings, std::uint64_t seed)
    : KernelSolver(source), settings_(settings), expansion_(rows_), order_(source.size(), seed) {
  require_setting(settings.C, "C");
  require_setting(settings.tolerance, "the tolerance", 0.0);
  require(settings.delta_max > 0.0, "delta_max must be positive, or left out");
  if (settings.bias) {
    Random random(seed, Purpose::sampling);
    seed_expansion(random);
  }
  clear_outside();
  find_violating_pair();
}

void Lasvm::seed_expansion(Random& random) {
  const std::size_t positives = rows_.positives();
  for (const bool up : {true, false}) {
    const std::size_t first = up ? 0 : positives;
    const std::size_t count = up ? positives : size() - positives;
    for (std::size_t wanted = std::min(seeds, count); wanted > 0;) {
      const std::size_t i = first + random.below(count);
      if (expansion_.contains(i)) continue;
      expansion_.add(i);
      append(up ? 1.0 : -1.0);
      --wanted;
    }
  }
}

void Lasvm::append(double gradient) {
  low_.push_back(positive(alpha_.size()) ? 0.0 : -settings_.C);
  alpha_.push_back(0.0);
  gradients_.push_back(gradient);
}

void Lasvm::coefficients(double* out) const {
  std::fill_n(out, size(), 0.0);
  for (std::size_t s = 0; s < alpha_.size(); ++s) out[expansion_.member(s)] = alpha_[s];
}

double Lasvm::bias() const {
  const bool both = std::isfinite(top_gradient_) && std::isfinite(bottom_gradient_);
  return settings_.bias && both ? 0.5 * (top_gradient_ + bottom_gradient_) : 0.0;
}

void Lasvm::archive(StateArchive& state) {
  KernelSolver::archive(state);
  state.part("expansion", expansion_);
  state.part("order", order_);
  state.finite_list("alpha", alpha_);
  state.finite_list("gradients", gradients_);
  state.check(alpha_.size() == expansion_.size() && gradients_.size() == expansion_.size(), "alpha",
              ", the gradients and the members of the expansion are not equally many");
  const std::size_t slots = std::max<std::size_t>(expansion_.size(), 1);
  state.index("top", top_, slots);
  state.index("bottom", bottom_, slots);
  state.number("top_gradient", top_gradient_);
  state.number("bottom_gradient", bottom_gradient_);
  state.number("delta", delta_);
  state.number("finishing", finishing_);
  state.number("reprocess_next", reprocess_next_);
  state.number("changed", changed_);
  state.part("outside_top", outside_top_, size());
  state.part("outside_bottom", outside_bottom_, size());
  state.number("passes", passes_);
  if (!state.reads()) return;
  low_.resize(alpha_.size());
  for (std::size_t s = 0; s < low_.size(); ++s) low_[s] = positive(s) ? 0.0 : -settings_.C;
  find_violating_pair();  // recomputes the pair, so that its indices are valid
}

bool Lasvm::step() {
  Counters& counters = rows_.counters();
  if (finishing_) {
    if (delta_ > settings_.tolerance && reprocess()) {
      ++counters.iterations;
      counters.presentations += settings_.bias ? 2 : 1;
      return true;
    }
    drop_idle();
    if (settings_.passes > 0 || !(changed_ || append_outside())) return false;
    finishing_ = changed_ = false;
  }
  ++counters.iterations;
  if (reprocess_next_) {
    counters.presentations += settings_.bias ? 2 : 1;
    reprocess_next_ = reprocess() && delta_ > settings_.delta_max;
    return true;
  }
  ++counters.presentations;
  const bool processed = process(order_.now());
  const bool reprocessed = reprocess();
  if (processed || reprocessed) {
    changed_ = true;
    clear_outside();
  }
  reprocess_next_ = reprocessed && delta_ > settings_.delta_max;
  if (order_.advance()) finishing_ = ++passes_ >= settings_.passes;
  return true;
}

bool Lasvm::process(std::size_t k) {
  if (expansion_.contains(k)) return false;
  const bool up = k < rows_.positives();
  const float* row = expansion_.evaluate(k);
  const double gradient = (up ? 1.0 : -1.0) - simd::loops().dot(row, alpha_.data(), alpha_.size());
  const std::size_t slot = alpha_.size();
  row = expansion_.append_evaluated(k);
  append(gradient);
  bool moved = false;
  if (!settings_.bias) {
    if ((up ? gradient : -gradient) > settings_.tolerance) moved = step_single(slot, row);
  } else if (up) {
    if (gradient - bottom_gradient_ > settings_.tolerance) moved = step_pair(slot, bottom_, row, nullptr);
  } else {
    if (top_gradient_ - gradient > settings_.tolerance) moved = step_pair(top_, slot, nullptr, row);
  }
  if (up ? gradient > outside_top_.gradient : gradient < outside_bottom_.gradient)
    (up ? outside_top_ : outside_bottom_) = {gradient, k};
  find_violating_pair();
  return moved;
}

void Lasvm::clear_outside() {
  outside_top_ = {-infinity, 0};
  outside_bottom_ = {infinity, 0};
}

// Two examples may violate as a pair although neither violates with a member, if all members are at their bounds. The
// paper's single pass misses such pairs.
bool Lasvm::append_outside() {
  if (!settings_.bias || !(outside_top_.gradient - outside_bottom_.gradient > settings_.tolerance)) return false;
  bool added = false;
  for (const Candidate& candidate : {outside_top_, outside_bottom_}) {
    if (expansion_.contains(candidate.example)) continue;  // already a member, with alpha = 0
    expansion_.add(candidate.example);
    append(candidate.gradient);
    added = true;
  }
  clear_outside();
  find_violating_pair();
  return added;
}

bool Lasvm::reprocess() {
  bool moved = false;
  if (delta_ > settings_.tolerance) {
    moved = settings_.bias ? step_pair(top_, bottom_, nullptr, nullptr) : step_single(top_, nullptr);
    if (moved) find_violating_pair();
  }
  drop_idle();
  return moved;
}

bool Lasvm::step_pair(std::size_t top, std::size_t bottom, const float* top_row, const float* bottom_row) {
  if (top_row == nullptr) top_row = expansion_.row(top);
  if (bottom_row == nullptr) bottom_row = expansion_.row(bottom);
  const double curvature = rows_.diagonal(expansion_.member(top)) + rows_.diagonal(expansion_.member(bottom)) -
                           2.0 * static_cast<double>(top_row[bottom]);
  const double amount =
      std::min({(gradients_[top] - gradients_[bottom]) / (curvature > 0.0 ? curvature : least_curvature),
                highest(top) - alpha_[top], alpha_[bottom] - low_[bottom]});
  const bool rises = shift_alpha(top, amount);
  const bool falls = shift_alpha(bottom, -amount);
  if (!rises && !falls) return false;  // the remaining violation is rounding error
  simd::loops().add(gradients_.data(), top_row, -amount, gradients_.size());
  simd::loops().add(gradients_.data(), bottom_row, amount, gradients_.size());
  return true;
}

bool Lasvm::step_single(std::size_t slot, const float* row) {
  const double diagonal = rows_.diagonal(expansion_.member(slot));
  const double low = low_[slot] - alpha_[slot];
  const double high = highest(slot) - alpha_[slot];
  const double amount = std::clamp(gradients_[slot] / (diagonal > 0.0 ? diagonal : least_curvature), low, high);
  if (row == nullptr) row = expansion_.row(slot);
  if (!shift_alpha(slot, amount)) return false;
  simd::loops().add(gradients_.data(), row, -amount, gradients_.size());
  return true;
}

// A member that reaches a bound is set to it exactly; otherwise rounding could leave it a candidate.
bool Lasvm::shift_alpha(std::size_t slot, double amount) {
  const double before = alpha_[slot];
  const double bound = amount > 0.0 ? highest(slot) : low_[slot];
  alpha_[slot] = amount == bound - before ? bound : before + amount;
  return alpha_[slot] != before;
}

void Lasvm::find_violating_pair() {
  if (settings_.bias) {
    const std::size_t n = gradients_.size();
    const auto pair = simd::loops().violating_pair(gradients_.data(), alpha_.data(), low_.data(), settings_.C, n);
    if (pair.rising < n) top_ = pair.rising;
    if (pair.falling < n) bottom_ = pair.falling;
    top_gradient_ = pair.rising < n ? pair.top : -infinity;
    bottom_gradient_ = pair.falling < n ? pair.bottom : infinity;
    delta_ = top_gradient_ - bottom_gradient_;
    return;
  }
  // Without bias, as in `Smo`: the largest gain of a clipped step.
  delta_ = 0.0;
  double best = -1.0;
  for (std::size_t s = 0; s < gradients_.size(); ++s) {
    const double gradient = gradients_[s];
    const double room = (gradient > 0.0 ? highest(s) : low_[s]) - alpha_[s];
    if (room == 0.0) continue;
    const double diagonal = rows_.diagonal(expansion_.member(s));
    const double full = gradient / (diagonal > 0.0 ? diagonal : least_curvature);
    const double amount = std::abs(full) < std::abs(room) ? full : room;
    const double gain = amount * (gradient - 0.5 * amount * diagonal);
    delta_ = std::max(delta_, std::abs(gradient));
    if (gain > best) {
      best = gain;
      top_ = bottom_ = s;
    }
  }
}

// Removes members with alpha = 0 that are in no violating pair. In the paper they stay if REPROCESS found no violating
// pair; here they are removed then too, as in the authors' program: otherwise the expansion would grow although nothing
// is violated.
void Lasvm::drop_idle() {
  bool any = false;
  for (std::size_t s = alpha_.size(); s-- > 0;) {
    if (alpha_[s] != 0.0 || !(positive(s) ? gradients_[s] <= bottom_gradient_ : gradients_[s] >= top_gradient_))
      continue;
    expansion_.remove(s);
    swap_remove(alpha_, s);
    swap_remove(low_, s);
    swap_remove(gradients_, s);
    any = true;
  }
  if (any) find_violating_pair();
}

}  // namespace svm
