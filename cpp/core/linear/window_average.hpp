// The weighted average of the last iterates of a method that adds one row per step. It is computed on request, from the
// iterate at the start of a block of steps and a log of the steps since. So a step costs O(1) more, independent of d.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "base/state.hpp"
#include "data/row_operations.hpp"

namespace svm {

/// One step: g <- factor g + amount x; `weight` is the weight of the new iterate in the average.
struct LoggedStep {
  std::uint64_t row = 0;  ///< the number of row x
  double factor = 1.0;
  double amount = 0.0;
  double weight = 0.0;
  double bias = 0.0;  ///< after the step
};

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
  void append(const LoggedStep& step) noexcept {
    log_[place_] = step;
    ++steps_;
    if (++place_ == log_.size()) place_ = 0;
  }
  /// Writes the average of the iterates and returns the average of the biases; zeros before the first step.
  /// row_of(number): the view of a row.
  template <typename RowOf>
  double copy(const RowOf& row_of, double* out) const {
    const std::size_t dimension = bases_[0].size();
    std::fill(out, out + dimension, 0.0);
    if (steps_ == 0) return 0.0;
    const std::uint64_t first = steps_ - std::min<std::uint64_t>(window_, steps_);
    std::uint64_t step = first / block_ * block_;
    Base iterate = bases_[step / block_ % 2];
    double weight = 0.0;
    double bias = 0.0;
    for (; step < steps_; ++step) {
      const LoggedStep& logged = log_[step % log_.size()];
      for (double& value : iterate) value *= logged.factor;
      if (logged.amount != 0.0) svm::add(loops_, iterate.data(), row_of(logged.row), logged.amount);
      if (step < first) continue;
      for (std::size_t j = 0; j < dimension; ++j) out[j] += logged.weight * iterate[j];
      weight += logged.weight;
      bias += logged.weight * logged.bias;
    }
    for (std::size_t j = 0; j < dimension; ++j) out[j] /= weight;
    return bias / weight;
  }

  /// steps: those so far; rows: the numbers of rows are below it.
  void archive(StateArchive& state, std::uint64_t steps, std::uint64_t rows) {
    std::vector<std::uint64_t> places;
    std::vector<double> numbers;
    const auto logged = static_cast<std::size_t>(std::min<std::uint64_t>(steps, log_.size()));
    for (std::size_t k = 0; k < logged; ++k) {
      places.push_back(log_[k].row);
      numbers.insert(numbers.end(), {log_[k].factor, log_[k].amount, log_[k].weight, log_[k].bias});
    }
    state.list("places", places);
    state.list("numbers", numbers);
    for (Base& base : bases_) state.values(&base == bases_ ? "even" : "odd", base);
    if (!state.reads()) return;
    steps_ = steps;
    place_ = steps % log_.size();
    state.check(places.size() == logged && numbers.size() == 4 * places.size(), "places",
                " are not as many as the log has steps");
    for (std::size_t k = 0; k < places.size(); ++k) {
      state.check(places[k] < rows, "places", " name a row that there is not");
      const double* of_step = numbers.data() + 4 * k;
      log_[k] = {places[k], of_step[0], of_step[1], of_step[2], of_step[3]};
    }
  }

 private:
  using Base = AlignedVector<double>;

  const simd::Loops& loops_ = simd::loops();
  std::size_t window_;
  std::size_t block_;
  std::uint64_t steps_ = 0;
  std::size_t place_ = 0;  // steps_ modulo the length of the log, without the division
  std::vector<LoggedStep> log_;
  Base bases_[2];  // the iterates at the start of the present and the previous block
};

}  // namespace svm
