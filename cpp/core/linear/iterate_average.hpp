// The predictor of a method on mini-batches: its last iterate, or an average of its iterates.
#pragma once

#include <cstdint>
#include <vector>

#include "base/counters.hpp"
#include "linear/average.hpp"

namespace svm {

enum class Averaging {
  last,      ///< the last iterate
  tail,      ///< the mean of the iterates after the 2^m-th, for the largest m with 2^(m + 1) <= T
  decaying,  ///< m <- 0.9 m + 0.1 w
};

class IterateAverage {
 public:
  IterateAverage(Averaging kind, std::size_t dimension)
      : kind_(kind),
        mean_(kind == Averaging::last ? 0 : dimension),
        previous_(kind == Averaging::tail ? dimension : 0) {}

  /// Includes w_t = f a, the iterate after t >= 1 iterations, in which a changed by g: `add(c, q)` adds c g to q.
  template <typename Add>
  void take(std::uint64_t t, double f, const double* a, const Add& add) {
    if (kind_ == Averaging::last) return;
    if (kind_ == Averaging::decaying) return mean_.take(decay, f, add);
    mean_.take(1.0 / static_cast<double>(++taken_), f, add);
    if ((t & (t - 1)) != 0) return;
    std::fill(previous_.begin(), previous_.end(), 0.0);
    mean_.add_to(1.0, a, previous_.data());
    before_ = taken_;
    taken_ = 0;
  }

  /// Writes the average; the last iterate is f a.
  void copy(double f, const double* a, std::size_t dimension, double* out) const noexcept {
    for (std::size_t j = 0; j < dimension; ++j) out[j] = kind_ == Averaging::last ? f * a[j] : 0.0;
    if (kind_ == Averaging::decaying) mean_.add_to(1.0, a, out);
    if (kind_ != Averaging::tail || before_ + taken_ == 0) return;
    const auto all = static_cast<double>(before_ + taken_);
    for (std::size_t j = 0; j < dimension; ++j) out[j] = static_cast<double>(before_) / all * previous_[j];
    if (taken_ > 0) mean_.add_to(static_cast<double>(taken_) / all, a, out);
  }
  void archive(StateArchive& state) {
    state.part("mean", mean_);
    state.values("previous", previous_);
    state.count("before", before_, Counters::most);
    state.count("taken", taken_, Counters::most);
  }

 private:
  static constexpr double decay = 0.1;

  Averaging kind_;
  Average mean_;
  // The mean over the iterates between the last two powers of two, `before_` of them; `taken_` iterates came since.
  std::vector<double> previous_;
  std::uint64_t before_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace svm
