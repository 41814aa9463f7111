#include "solvers/svmlight.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "base/error.hpp"

namespace svm {

SvmLight::SvmLight(RowSource& source, const SvmLightSettings& settings)
    : DualSolver(source, settings.C), settings_(settings), qp_(settings.bias), doubted_(source.size()) {
  require_setting(settings.tolerance, "the tolerance", 0.0);
  require(settings.working_set >= 2 && settings.working_set <= largest_working_set && settings.working_set % 2 == 0,
          "the working set has an even number of variables, from 2 to " + std::to_string(largest_working_set) +
              ", got " + std::to_string(settings.working_set));
  for (std::size_t i = 0; i < size(); ++i) rows_.add(active_, i);
  select();
}

bool SvmLight::responses(double* out) const { return active_.size() == size() && DualSolver::responses(out); }

void SvmLight::archive(StateArchive& state) {
  DualSolver::archive(state);
  state.part("active", active_, size());
  state.values("doubted", doubted_);
  state.distinct_list("working", working_, size());
  state.check(working_.size() <= settings_.working_set, "working", " has more variables than the working set");
  state.number("violation", violation_);
  state.number("middle", middle_);
  state.part("aside", aside_, size());
  state.count("recovered", recovered_, size());
}

bool SvmLight::step() {
  if (aside_.size() > 0) {
    recover();
    return true;
  }
  if (violation_ <= 0.0 || violation_ < settings_.tolerance) return bring_back();
  if (!optimise()) return bring_back();  // the remaining violation is rounding error
  Counters& counters = rows_.counters();
  ++counters.iterations;
  counters.presentations += working_.size();
  if (settings_.shrink_after > 0 && counters.iterations % settings_.shrink_after == 0) shrink();
  select();
  return true;
}

void SvmLight::offer(Steepest& steepest, double steepness, std::uint32_t variable) {
  std::vector<Candidate>& best = steepest.candidates;
  if (best.size() == steepest.capacity) best.pop_back();
  std::size_t place = best.size();
  while (place > 0 && best[place - 1].steepness < steepness) --place;
  best.insert(best.begin() + static_cast<std::ptrdiff_t>(place), {steepness, variable});
  if (best.size() == steepest.capacity) steepest.bar = best.back().steepness;
}

// Zoutendijk's direction of steepest ascent with q components other than 0 (Joachims, section 3): with bias the q / 2
// steepest that may rise and the q / 2 steepest that may fall, without bias the q steepest.
void SvmLight::select() {
  const bool bias = settings_.bias;
  const std::size_t capacity = bias ? settings_.working_set / 2 : settings_.working_set;
  const std::uint64_t now = rows_.counters().iterations;
  Steepest rising{rising_, capacity};    // the steepest that may rise; without bias, that may move
  Steepest falling{falling_, capacity};  // with bias: the steepest that may fall
  rising_.clear();
  falling_.clear();
  double sum_of_free = 0.0;
  std::size_t free = 0;
  // Few variables are offered. All else is without branches, because they would be mispredicted.
  const auto scan = [&](auto first, auto last, auto positive) {
    for (; first != last; ++first) {
      const std::uint32_t i = *first;
      const double steepness = positive ? 1.0 - responses_[i] : responses_[i] - 1.0;
      const bool below_box = alpha_[i] < C_;
      const bool above_zero = alpha_[i] > 0.0;
      const bool rises = positive ? below_box : above_zero;
      const bool falls = positive ? above_zero : below_box;
      if (bias) {
        const double up = rises ? steepness : none;
        const double down = falls ? -steepness : none;
        if (up > rising.bar) offer(rising, up, i);
        if (down > falling.bar) offer(falling, down, i);
      } else {
        const double size = (steepness > 0.0 ? rises : falls) ? std::abs(steepness) : none;
        if (size > rising.bar) offer(rising, size, i);
      }
      const bool both = rises & falls;
      sum_of_free += both ? steepness : 0.0;
      free += both;
      // The sign of the bound's multiplier, with the bias and the largest violation before this step: while that is
      // large, the sign is known only where the multiplier is larger.
      const bool settled = rises ? !falls & (steepness < middle_ - violation_) : steepness > middle_ + violation_;
      doubted_[i] = settled ? doubted_[i] : now;
    }
  };
  const std::vector<std::uint32_t>& members = active_.members;
  const auto border = std::lower_bound(members.begin(), members.end(), rows_.positives());
  scan(members.begin(), border, std::true_type());
  scan(border, members.end(), std::false_type());
  working_.clear();
  if (!bias) {
    violation_ = rising_.empty() ? 0.0 : rising_.front().steepness;
    for (const Candidate& candidate : rising_) working_.push_back(candidate.variable);
    return;
  }
  // A pair gains while the rising one is steeper than the falling one; so no variable is chosen twice.
  const std::size_t pairs = std::min(rising_.size(), falling_.size());
  for (std::size_t k = 0; k < pairs && rising_[k].steepness > -falling_[k].steepness; ++k) {
    working_.push_back(rising_[k].variable);
    working_.push_back(falling_[k].variable);
  }
  if (pairs == 0) {
    violation_ = 0.0;
    return;
  }
  const double top = rising_.front().steepness;
  const double bottom = -falling_.front().steepness;
  violation_ = top - bottom;
  middle_ = free > 0 ? sum_of_free / static_cast<double>(free) : 0.5 * (top + bottom);
}

bool SvmLight::optimise() {
  const std::size_t m = working_.size();
  qp_.reset(m);
  for (std::size_t k = 0; k < m; ++k) {
    const std::size_t i = working_[k];
    const float* row = rows_.row(i, active_);
    for (std::size_t l = 0; l <= k; ++l) qp_.H(k, l) = qp_.H(l, k) = static_cast<double>(row[working_[l]]);
    const bool positive = i < rows_.positives();
    qp_.gradient(k) = value(i);
    qp_.low(k) = positive ? -alpha_[i] : alpha_[i] - C_;
    qp_.high(k) = positive ? C_ - alpha_[i] : alpha_[i];
  }
  const std::vector<double>& step = qp_.solve();
  bool moved = false;
  for (std::size_t k = 0; k < m; ++k) {
    const std::size_t i = working_[k];
    const double label = rows_.label(i);
    const double before = alpha_[i];
    if (step[k] == 0.0) continue;
    // A variable that reaches a bound is set to it exactly; otherwise rounding could leave it a candidate.
    const bool ends = step[k] == (step[k] > 0.0 ? qp_.high(k) : qp_.low(k));
    alpha_[i] = ends ? (label * step[k] > 0.0 ? C_ : 0.0) : std::clamp(before + label * step[k], 0.0, C_);
    if (alpha_[i] == before) continue;
    moved = true;
    add_to_responses(i, alpha_[i] - before);
  }
  return moved;
}

void SvmLight::add_to_responses(std::size_t i, double amount) {
  if (active_.size() == size()) return rows_.add_uncharged(responses_.data(), i, amount);
  const float* row = rows_.row_uncharged(i);
  const double step = rows_.label(i) * amount;
  for (const std::uint32_t j : active_.members) responses_[j] += rows_.label(j) * step * static_cast<double>(row[j]);
}

void SvmLight::shrink() {
  const std::uint64_t now = rows_.counters().iterations;
  Subset stays;
  for (const std::uint32_t i : active_.members) {
    if (now - doubted_[i] < settings_.shrink_after) rows_.add(stays, i);
  }
  active_ = std::move(stays);
}

bool SvmLight::bring_back() {
  if (active_.size() == size()) return false;
  std::size_t place = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (place < active_.size() && active_.members[place] == i) {
      ++place;
      continue;
    }
    rows_.add(aside_, i);
    responses_[i] = 0.0;
    doubted_[i] = rows_.counters().iterations;
  }
  recovered_ = 0;
  return true;
}

void SvmLight::recover() {
  while (recovered_ < size() && alpha_[recovered_] == 0.0) ++recovered_;
  if (recovered_ < size()) {
    const double amount = rows_.label(recovered_) * alpha_[recovered_];
    const float* row = rows_.row(recovered_, aside_);
    for (const std::uint32_t j : aside_.members) responses_[j] += rows_.label(j) * amount * static_cast<double>(row[j]);
    ++recovered_;
    return;
  }
  aside_ = Subset();
  active_ = Subset();
  for (std::size_t i = 0; i < size(); ++i) rows_.add(active_, i);
  select();
}

}  // namespace svm
