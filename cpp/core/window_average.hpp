// The weighted average of the last iterates of a method that adds one row a step. It is made when it is asked for, from the
// iterate with which a block of steps began and a log of the steps since: so it costs a step nothing that grows with d.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "slice_kernels.hpp"

namespace svm {

/// One step: g <- factor g + amount row, which makes an iterate of so much weight.
struct LoggedStep {
  Slice row;
  double factor = 1.0;
  double amount = 0.0;
  double weight = 0.0;
  double bias = 0.0;  ///< after the step
};

class WindowAverage {
 public:
  /// window: iterates in the average. Steps come in blocks of `block` >= window, and the rows of this block and of the one
  /// before it must stay where they are.
  WindowAverage(std::size_t dimension, std::size_t window, std::size_t block)
      : window_(window), block_(block), log_(2 * block), bases_{Base(dimension), Base(dimension)} {}

  std::size_t window() const noexcept { return window_; }
  std::size_t block() const noexcept { return block_; }
  /// Begins a block; `copy(out)` writes the present iterate.
  template <typename Copy>
  void begin(const Copy& copy) {
    copy(bases_[steps_ / block_ % 2].data());
  }
  void take(const LoggedStep& step) noexcept {
    log_[place_] = step;
    ++steps_;
    if (++place_ == log_.size()) place_ = 0;
  }
  /// Writes the average, and returns that of the biases; zeros before the first step.
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
      const LoggedStep& logged = log_[step % log_.size()];
      for (double& value : iterate) value *= logged.factor;
      if (logged.amount != 0.0) svm::add(kernels_, iterate.data(), logged.row, logged.amount);
      if (step < first) continue;
      for (std::size_t j = 0; j < dimension; ++j) out[j] += logged.weight * iterate[j];
      weight += logged.weight;
      bias += logged.weight * logged.bias;
    }
    for (std::size_t j = 0; j < dimension; ++j) out[j] /= weight;
    return bias / weight;
  }

 private:
  using Base = AlignedVector<double>;

  const simd::Kernels& kernels_ = simd::kernels();
  std::size_t window_;
  std::size_t block_;
  std::uint64_t steps_ = 0;
  std::size_t place_ = 0;  // steps_ modulo the length of the log: a division would take as long as a short row
  std::vector<LoggedStep> log_;
  Base bases_[2];  // with which the present block and the one before it began
};

}  // namespace svm
