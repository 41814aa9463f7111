// The predictor of a method on mini-batches: its last iterate, or an average of its iterates. These are multiples of a
// sum of rows; the average needs one more vector that is a sum of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "base/counters.hpp"
#include "base/state.hpp"

namespace svm {

enum class Averaging {
  last,      ///< the last iterate
  tail,      ///< the mean of the iterates after the 2^m-th, for the largest m with 2^(m + 1) <= T
  decaying,  ///< m <- 0.9 m + 0.1 w
};

/// The average m of iterates w_t = f_t a_t changes by m <- (1 - mu) m + mu w_t. It is stored as m = p a + s q: when a
/// changes by g, q changes by a multiple of g.
class IterateAverage {
 public:
  IterateAverage(Averaging kind, std::size_t dimension)
      : kind_(kind), q_(kind == Averaging::last ? 0 : dimension), previous_(kind == Averaging::tail ? dimension : 0) {}

  /// Includes w_t = f a, the iterate after t >= 1 iterations, in which a changed by g: `add(c, q)` adds c g to q.
  template <typename Add>
  void include(std::uint64_t t, double f, const double* a, const Add& add) {
    if (kind_ == Averaging::last) return;
    if (kind_ == Averaging::decaying) return update(decay, f, add);
    update(1.0 / static_cast<double>(++size_), f, add);
    if ((t & (t - 1)) != 0) return;
    std::fill(previous_.begin(), previous_.end(), 0.0);
    add_mean(1.0, a, previous_.data());
    previous_size_ = size_;
    size_ = 0;
  }

  /// Writes the average; the last iterate is f a.
  void copy(double f, const double* a, std::size_t dimension, double* out) const noexcept {
    for (std::size_t j = 0; j < dimension; ++j) out[j] = kind_ == Averaging::last ? f * a[j] : 0.0;
    if (kind_ == Averaging::decaying) add_mean(1.0, a, out);
    if (kind_ != Averaging::tail || previous_size_ + size_ == 0) return;
    const auto all = static_cast<double>(previous_size_ + size_);
    for (std::size_t j = 0; j < dimension; ++j) out[j] = static_cast<double>(previous_size_) / all * previous_[j];
    if (size_ > 0) add_mean(static_cast<double>(size_) / all, a, out);
  }
  void archive(StateArchive& state) {
    state.values("q", q_);
    state.number("p", p_);
    state.number("s", s_);
    state.values("previous", previous_);
    state.count("previous_size", previous_size_, Counters::most);
    state.count("size", size_, Counters::most);
  }

 private:
  static constexpr double decay = 0.1;
  static constexpr double smallest_factor = 1e-200;

  template <typename Add>
  void update(double mu, double f, const Add& add) {
    if (mu == 1.0) {
      std::fill(q_.begin(), q_.end(), 0.0);
      p_ = f;
      s_ = 1.0;
      return;
    }
    if (s_ < smallest_factor) {
      for (double& value : q_) value *= s_;
      s_ = 1.0;
    }
    if (p_ != 0.0) add(-p_ / s_, q_.data());
    p_ = (1.0 - mu) * p_ + mu * f;
    s_ *= 1.0 - mu;
  }
  /// out += share m.
  void add_mean(double share, const double* a, double* out) const noexcept {
    for (std::size_t j = 0; j < q_.size(); ++j) out[j] += share * (p_ * a[j] + s_ * q_[j]);
  }

  Averaging kind_;
  AlignedVector<double> q_;
  double p_ = 0.0;
  double s_ = 1.0;
  // The mean over the iterates between the last two powers of two, `previous_size_` of them; `size_` came since.
  std::vector<double> previous_;
  std::uint64_t previous_size_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace svm
