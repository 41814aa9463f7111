// The weighted average of the last iterates of a method that adds one row per step. It is computed on request, from the
// iterate at the start of a block of steps and a log of the steps since. So a step costs O(1) more, independent of d.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "base/state.hpp"
#include "data/row_operations.hpp"

namespace svm {

/// One step: g <- factor g + amount row; `weight` is the weight of the new iterate in the average.
template <typename Row>
struct LoggedStep {
  Row row;
  double factor = 1.0;
  double amount = 0.0;
  double weight = 0.0;
  double bias = 0.0;  ///< after the step
};

template <typename Row>
class WindowAverage {
 public:
  /// window: iterates in the average. Steps come in blocks of `block` >= window; the rows of the present and the
  /// previous block must stay in memory.
  WindowAverage(std::size_t dimension, std::size_t window, std::size_t block)
      : window_(window), block_(block), log_(2 * block), bases_{Base(dimension), Base(dimension)} {}

  std::size_t window() const noexcept { return window_; }
  std::size_t block() const noexcept { return block_; }
  /// Call at the start of a block; `copy(out)` writes the present iterate.
  template <typename Copy>
  void begin(const Copy& copy) {
    copy(bases_[steps_ / block_ % 2].data());
  }
  void append(const LoggedStep<Row>& step) noexcept {
    log_[place_] = step;
    ++steps_;
    if (++place_ == log_.size()) place_ = 0;
  }
  /// Writes the average of the iterates and returns the average of the biases; zeros before the first step.
  double copy(double* out) const {
    const std::size_t dimension = bases_[0].size();
    std::fill(out, out + dimension, 0.0);
    if (steps_ == 0) return 0.0;
    const std::uint64_t first = steps_ - std::min<std::uint64_t>(window_, steps_);
    std::uint64_t step = first / block_ * block_;
    Base iterate = bases_[step / block_ % 2];
    double weight = 0.0;
    double bias = 0.0;
    for (; step < steps_; ++step) {
      const LoggedStep<Row>& logged = log_[step % log_.size()];
      for (double& value : iterate) value *= logged.factor;
      if (logged.amount != 0.0) svm::add(loops_, iterate.data(), logged.row, logged.amount);
      if (step < first) continue;
      for (std::size_t j = 0; j < dimension; ++j) out[j] += logged.weight * iterate[j];
      weight += logged.weight;
      bias += logged.weight * logged.bias;
    }
    for (std::size_t j = 0; j < dimension; ++j) out[j] /= weight;
    return bias / weight;
  }

  /// Rows are stored by number: `row_index(view)` gives the number of a row, `row_of(number)` its view.
  template <typename RowIndex, typename RowOf>
  void archive(StateArchive& state, const RowIndex& row_index, const RowOf& row_of) {
    std::vector<std::uint64_t> places;
    std::vector<std::uint64_t> sizes;
    std::vector<double> numbers;
    const auto logged = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(steps_, log_.size()));
    std::for_each(log_.begin(), log_.begin() + logged, [&](const LoggedStep<Row>& step) {
      places.push_back(row_index(step.row));
      sizes.push_back(step.row.size);
      numbers.insert(numbers.end(), {step.factor, step.amount, step.weight, step.bias});
    });
    state.list("places", places);
    state.list("sizes", sizes);
    state.list("numbers", numbers);
    state.number("steps", steps_);
    state.index("place", place_, log_.size());
    for (Base& base : bases_) state.values(&base == bases_ ? "even" : "odd", base);
    if (!state.reads()) return;
    state.check(place_ == steps_ % log_.size(), "place", " is not where the steps end");
    state.check(places.size() == std::min<std::uint64_t>(steps_, log_.size()) && sizes.size() == places.size() &&
                    numbers.size() == 4 * places.size(),
                "places", " are not as many as the log has steps");
    for (std::size_t k = 0; k < places.size(); ++k) {
      Row x = row_of(places[k]);
      // An empty row begins where the next one does, and is found under its number.
      state.check(sizes[k] == x.size || sizes[k] == 0, "sizes", " are not those of the rows");
      const double* of = numbers.data() + 4 * k;
      x.size = static_cast<std::size_t>(sizes[k]);
      log_[k] = {x, of[0], of[1], of[2], of[3]};
    }
  }

 private:
  using Base = AlignedVector<double>;

  const simd::Loops& loops_ = simd::loops();
  std::size_t window_;
  std::size_t block_;
  std::uint64_t steps_ = 0;
  std::size_t place_ = 0;  // steps_ modulo the length of the log, without the division
  std::vector<LoggedStep<Row>> log_;
  Base bases_[2];  // the iterates at the start of the present and the previous block
};

}  // namespace svm
