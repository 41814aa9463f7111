#include "lasvm.hpp"

#include <algorithm>
#include <cmath>

#include "error.hpp"
#include "simd.hpp"
#include "take_away.hpp"

namespace svm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// LIBSVM's constant for a direction of no curvature.
constexpr double flat = 1e-12;

}  // namespace

Lasvm::Lasvm(RowSource& source, const LasvmSettings& settings, std::uint64_t seed)
    : KernelSolver(source), settings_(settings), expansion_(rows_), order_(source.size(), seed) {
  require(std::isfinite(settings.C) && settings.C > 0.0, "C must be finite and positive");
  require(std::isfinite(settings.tolerance) && settings.tolerance >= 0.0,
          "the tolerance must be finite and not negative");
  require(settings.delta_max > 0.0, "delta_max must be positive, or left out");
  if (settings.bias) {
    Random random(seed, Purpose::sampling);
    seed_expansion(random);
  }
  forget_outsiders();
  search();
}

void Lasvm::seed_expansion(Random& random) {
  const std::size_t positives = rows_.positives();
  for (const bool up : {true, false}) {
    const std::size_t first = up ? 0 : positives;
    const std::size_t count = up ? positives : size() - positives;
    for (std::size_t wanted = std::min(seeds, count); wanted > 0;) {
      const std::size_t i = first + random.below(count);
      if (expansion_.holds(i)) continue;
      expansion_.add(i);
      append(up ? 1.0 : -1.0);
      --wanted;
    }
  }
}

void Lasvm::append(double slope) {
  alpha_.push_back(0.0);
  slopes_.push_back(slope);
}

void Lasvm::coefficients(double* out) const {
  std::fill_n(out, size(), 0.0);
  for (std::size_t s = 0; s < alpha_.size(); ++s) out[expansion_.member(s)] = alpha_[s];
}

double Lasvm::bias() const {
  const bool both = std::isfinite(top_slope_) && std::isfinite(bottom_slope_);
  return settings_.bias && both ? 0.5 * (top_slope_ + bottom_slope_) : 0.0;
}

void Lasvm::archive(StateArchive& state) {
  KernelSolver::archive(state);
  state.part("expansion", expansion_);
  state.part("order", order_);
  state.finite_list("alpha", alpha_);
  state.finite_list("slopes", slopes_);
  state.check(alpha_.size() == expansion_.size() && slopes_.size() == expansion_.size(), "alpha",
              ", the slopes and the members of the expansion are not equally many");
  const std::size_t slots = std::max<std::size_t>(expansion_.size(), 1);
  state.index("top", top_, slots);
  state.index("bottom", bottom_, slots);
  state.number("top_slope", top_slope_);
  state.number("bottom_slope", bottom_slope_);
  state.number("delta", delta_);
  state.number("finishing", finishing_);
  state.number("again", again_);
  state.number("changed", changed_);
  state.part("outer_top", outer_top_, size());
  state.part("outer_bottom", outer_bottom_, size());
  state.number("passes", passes_);
  if (state.reads()) search();  // the same ends and slopes, of members that there are
}

bool Lasvm::step() {
  Counters& counters = rows_.counters();
  if (finishing_) {
    if (delta_ > settings_.tolerance && reprocess()) {
      ++counters.iterations;
      counters.presentations += settings_.bias ? 2 : 1;
      return true;
    }
    drop_others();
    if (settings_.passes > 0 || !(changed_ || add_outsiders())) return false;
    finishing_ = changed_ = false;
  }
  ++counters.iterations;
  if (again_) {
    counters.presentations += settings_.bias ? 2 : 1;
    again_ = reprocess() && delta_ > settings_.delta_max;
    return true;
  }
  ++counters.presentations;
  const bool processed = process(order_.now());
  const bool reprocessed = reprocess();
  if (processed || reprocessed) {
    changed_ = true;
    forget_outsiders();
  }
  again_ = reprocessed && delta_ > settings_.delta_max;
  if (order_.advance()) finishing_ = ++passes_ >= settings_.passes;
  return true;
}

bool Lasvm::process(std::size_t k) {
  if (expansion_.holds(k)) return false;
  const bool up = k < rows_.positives();
  const float* row = expansion_.look_at(k);
  const double slope = (up ? 1.0 : -1.0) - simd::kernels().dot(row, alpha_.data(), alpha_.size());
  const std::size_t slot = alpha_.size();
  row = expansion_.join(k);
  append(slope);
  bool moved = false;
  if (!settings_.bias) {
    if ((up ? slope : -slope) > settings_.tolerance) moved = move_alone(slot, row);
  } else if (up) {
    if (slope - bottom_slope_ > settings_.tolerance) moved = move(slot, bottom_, row, nullptr);
  } else {
    if (top_slope_ - slope > settings_.tolerance) moved = move(top_, slot, nullptr, row);
  }
  if (up ? slope > outer_top_.slope : slope < outer_bottom_.slope) (up ? outer_top_ : outer_bottom_) = {slope, k};
  search();
  return moved;
}

void Lasvm::forget_outsiders() {
  outer_top_ = {-infinity, 0};
  outer_bottom_ = {infinity, 0};
}

// Neither of a pair need violate with a member: where all members are at their bounds, the slopes at which these would move
// lie apart. One pass, as in the paper, leaves such pairs out.
bool Lasvm::add_outsiders() {
  if (!settings_.bias || !(outer_top_.slope - outer_bottom_.slope > settings_.tolerance)) return false;
  bool added = false;
  for (const Outsider& outsider : {outer_top_, outer_bottom_}) {
    if (expansion_.holds(outsider.example)) continue;  // it has stayed, with alpha = 0
    expansion_.add(outsider.example);
    append(outsider.slope);
    added = true;
  }
  forget_outsiders();
  search();
  return added;
}

bool Lasvm::reprocess() {
  bool moved = false;
  if (delta_ > settings_.tolerance) {
    moved = settings_.bias ? move(top_, bottom_, nullptr, nullptr) : move_alone(top_, nullptr);
    if (moved) search();
  }
  drop_others();
  return moved;
}

bool Lasvm::move(std::size_t top, std::size_t bottom, const float* top_row, const float* bottom_row) {
  if (top_row == nullptr) top_row = expansion_.row(top);
  if (bottom_row == nullptr) bottom_row = expansion_.row(bottom);
  const double curvature = rows_.diagonal(expansion_.member(top)) + rows_.diagonal(expansion_.member(bottom)) -
                           2.0 * static_cast<double>(top_row[bottom]);
  const double amount = std::min({(slopes_[top] - slopes_[bottom]) / (curvature > 0.0 ? curvature : flat),
                                  highest(top) - alpha_[top], alpha_[bottom] - lowest(bottom)});
  const bool rises = shift(top, amount);
  const bool falls = shift(bottom, -amount);
  if (!rises && !falls) return false;  // what is left of the violation is rounding
  simd::kernels().add(slopes_.data(), top_row, -amount, slopes_.size());
  simd::kernels().add(slopes_.data(), bottom_row, amount, slopes_.size());
  return true;
}

bool Lasvm::move_alone(std::size_t slot, const float* row) {
  const double diagonal = rows_.diagonal(expansion_.member(slot));
  const double low = lowest(slot) - alpha_[slot];
  const double high = highest(slot) - alpha_[slot];
  const double amount = std::clamp(slopes_[slot] / (diagonal > 0.0 ? diagonal : flat), low, high);
  if (row == nullptr) row = expansion_.row(slot);
  if (!shift(slot, amount)) return false;
  simd::kernels().add(slopes_.data(), row, -amount, slopes_.size());
  return true;
}

// At a bound exactly, so that no rounding keeps the member a candidate.
bool Lasvm::shift(std::size_t slot, double amount) {
  const double before = alpha_[slot];
  const double bound = amount > 0.0 ? highest(slot) : lowest(slot);
  alpha_[slot] = amount == bound - before ? bound : before + amount;
  return alpha_[slot] != before;
}

void Lasvm::search() {
  if (settings_.bias) {
    top_slope_ = -infinity;
    bottom_slope_ = infinity;
    for (std::size_t s = 0; s < slopes_.size(); ++s) {
      if (slopes_[s] > top_slope_ && alpha_[s] < highest(s)) {
        top_slope_ = slopes_[s];
        top_ = s;
      }
      if (slopes_[s] < bottom_slope_ && alpha_[s] > lowest(s)) {
        bottom_slope_ = slopes_[s];
        bottom_ = s;
      }
    }
    delta_ = top_slope_ - bottom_slope_;
    return;
  }
  // As in `Smo`: the largest gain of a clipped step.
  delta_ = 0.0;
  double best = -1.0;
  for (std::size_t s = 0; s < slopes_.size(); ++s) {
    const double slope = slopes_[s];
    const double room = (slope > 0.0 ? highest(s) : lowest(s)) - alpha_[s];
    if (room == 0.0) continue;
    const double diagonal = rows_.diagonal(expansion_.member(s));
    const double full = slope / (diagonal > 0.0 ? diagonal : flat);
    const double amount = std::abs(full) < std::abs(room) ? full : room;
    const double gain = amount * (slope - 0.5 * amount * diagonal);
    delta_ = std::max(delta_, std::abs(slope));
    if (gain > best) {
      best = gain;
      top_ = bottom_ = s;
    }
  }
}

// Members with alpha = 0 that no violating pair can have. In the paper they stay where REPROCESS found no such pair; here they
// leave then, too, as in the authors' program: else the expansion would grow while nothing is violated.
void Lasvm::drop_others() {
  const double least = settings_.bias ? bottom_slope_ : 0.0;
  const double most = settings_.bias ? top_slope_ : 0.0;
  bool any = false;
  for (std::size_t s = alpha_.size(); s-- > 0;) {
    if (alpha_[s] != 0.0 || !(positive(s) ? slopes_[s] <= least : slopes_[s] >= most)) continue;
    expansion_.remove(s);
    take_away(alpha_, s);
    take_away(slopes_, s);
    any = true;
  }
  if (any) search();
}

}  // namespace svm
