// The sum of all iterates of a method, where an iteration changes few coordinates.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/aligned.hpp"
#include "base/state.hpp"

namespace svm {

/// The sum of iterates f_t a_t, kept as F a - late, where F is the sum of the f_t so far: a change of a_i takes part in
/// later iterates only, so late_i has it times the F before it.
class LazySum {
 public:
  explicit LazySum(std::size_t size) : late_(size) {}

  /// a_i has changed by `change`.
  void change(std::size_t i, double change) noexcept { late_[i] += change * factors_; }
  void prefetch(std::size_t i) const noexcept { __builtin_prefetch(late_.data() + i, 1); }
  /// Adds the iterate f a.
  void add(double f) noexcept { factors_ += f; }
  /// Coordinate i of the sum, after `start`, the sum of earlier iterates.
  double of(std::size_t i, double a, double start = 0.0) const noexcept { return start + factors_ * a - late_[i]; }
  void clear() noexcept {
    factors_ = 0.0;
    std::fill(late_.begin(), late_.end(), 0.0);
  }
  void archive(StateArchive& state, const char* factors, const char* late) {
    state.number(factors, factors_);
    state.values(late, late_);
  }

 private:
  double factors_ = 0.0;
  AlignedVector<double> late_;
};

}  // namespace svm
