#include "solvers/smo.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace svm {
namespace {

// Index of the largest `score(index)` in the class with the larger best (the first one); the vector code finds only its
// block.
template <typename Score>
std::size_t locate(const simd::Best& up, const simd::Best& down, std::size_t positives, std::size_t n,
                   const Score& score) {
  const bool in_up = up.score >= down.score;
  const std::size_t first = in_up ? up.block * simd::block : positives + down.block * simd::block;
  const std::size_t last = std::min(first + simd::block, in_up ? positives : n);
  std::size_t best = first;
  double best_score = score(first);
  for (std::size_t j = first + 1; j < last; ++j) {
    const double here = score(j);
    if (here > best_score) {
      best = j;
      best_score = here;
    }
  }
  return best;
}

}  // namespace

Smo::Smo(RowSource& source, const SmoSettings& settings)
    : DualSolver(source, settings.C), tolerance_(require_setting(settings.tolerance, "the tolerance", 0.0)) {
  const std::vector<float> nothing(size());
  update(nothing.data(), 0.0, true);
}

void Smo::update(const float* row, double amount, bool positive) {
  const simd::Loops& loops = simd::loops();
  const std::size_t positives = rows_.positives();
  const double sign = positive ? amount : -amount;
  const simd::Best best_up = loops.add_and_best_gain(range(true), row, sign);
  const simd::Best best_down = loops.add_and_best_gain(range(false), row + positives, -sign);
  chosen_ = locate(best_up, best_down, positives, size(),
                   [&](std::size_t j) { return loops.gain(responses_[j], alpha_[j], rows_.diagonal(j), C_); });
  gain_ = best_up.score >= best_down.score ? best_up.score : best_down.score;
  violation_ = std::max(best_up.violation, best_down.violation);
}

bool Smo::step() {
  if (gain_ <= 0.0 || violation_ < tolerance_) return false;
  Counters& counters = rows_.counters();
  const double before = alpha_[chosen_];
  alpha_[chosen_] = best_alpha(chosen_);
  const double amount = alpha_[chosen_] - before;
  if (amount == 0.0) return false;  // the remaining gain is rounding error
  ++counters.iterations;
  ++counters.presentations;
  update(rows_.row(chosen_), amount, chosen_ < rows_.positives());
  return true;
}

void Smo::archive(StateArchive& state) {
  DualSolver::archive(state);
  state.number("violation", violation_);
  state.index("chosen", chosen_, size());
  state.number("gain", gain_);
}

SmoWithBias::SmoWithBias(RowSource& source, const SmoSettings& settings)
    : DualSolver(source, settings.C), tolerance_(require_setting(settings.tolerance, "the tolerance", 0.0)) {
  const std::vector<float> nothing(size());
  update(nothing.data(), 0.0, nothing.data(), 0.0);
}

// Amounts are signed: y_i times the change of alpha_i.
void SmoWithBias::update(const float* first, double first_amount, const float* second, double second_amount) {
  const simd::Loops& loops = simd::loops();
  const std::size_t positives = rows_.positives();
  const simd::Best best_up = loops.add_two_and_best_up(range(true), first, first_amount, second, second_amount, 1.0);
  const simd::Best best_down = loops.add_two_and_best_up(range(false), first + positives, -first_amount,
                                                         second + positives, -second_amount, -1.0);
  top_ = best_up.score >= best_down.score ? best_up.score : best_down.score;
  bottom_ = std::min(best_up.violation, best_down.violation);
  chosen_ = locate(best_up, best_down, positives, size(), [&](std::size_t j) {
    constexpr double never = -1e300;
    const bool rises = j < positives ? alpha_[j] < C_ : alpha_[j] > 0.0;
    return rises ? value(j) : never;
  });
}

bool SmoWithBias::step() {
  const double violation = top_ - bottom_;
  if (violation <= 0.0 || violation < tolerance_) return false;
  const simd::Loops& loops = simd::loops();
  const std::size_t positives = rows_.positives();
  const std::size_t i = chosen_;
  const float* row_i = rows_.row(i);
  const double diagonal_i = rows_.diagonal(i);
  const simd::Best best_up = loops.best_partner(range(true), row_i, 1.0, top_, diagonal_i);
  const simd::Best best_down = loops.best_partner(range(false), row_i + positives, -1.0, top_, diagonal_i);
  const std::size_t j = locate(best_up, best_down, positives, size(), [&](std::size_t k) {
    return loops.partner_score(responses_[k], alpha_[k], rows_.diagonal(k), static_cast<double>(row_i[k]), C_,
                               rows_.label(k), top_, diagonal_i);
  });

  // Along y_i alpha_i + y_j alpha_j = const: signed alphas move by +step and -step.
  const double curvature = diagonal_i + rows_.diagonal(j) - 2.0 * static_cast<double>(row_i[j]);
  double step = (top_ - value(j)) / (curvature > 0.0 ? curvature : 1e-12);
  const double room_i = i < positives ? C_ - alpha_[i] : alpha_[i];
  const double room_j = j < positives ? alpha_[j] : C_ - alpha_[j];
  step = std::min({step, room_i, room_j});
  if (!(step > 0.0)) return false;  // the remaining violation is rounding error
  const auto move = [&](std::size_t k, double room, double amount) {
    // A point that reaches a bound is set to it exactly; otherwise rounding could leave it a candidate.
    const bool rises = rows_.label(k) * amount > 0.0;
    alpha_[k] = step == room ? (rises ? C_ : 0.0) : alpha_[k] + rows_.label(k) * amount;
  };
  move(i, room_i, step);
  move(j, room_j, -step);
  Counters& counters = rows_.counters();
  ++counters.iterations;
  counters.presentations += 2;
  const float* row_j = rows_.row(j);
  update(row_i, step, row_j, -step);
  return true;
}

void SmoWithBias::archive(StateArchive& state) {
  DualSolver::archive(state);
  state.number("top", top_);
  state.number("bottom", bottom_);
  state.index("chosen", chosen_, size());
}

double SmoWithBias::bias() const {
  double sum = 0.0;
  std::size_t free = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (alpha_[i] > 0.0 && alpha_[i] < C_) {
      sum += value(i);
      ++free;
    }
  }
  return free > 0 ? sum / static_cast<double>(free) : 0.5 * (top_ + bottom_);
}

}  // namespace svm
