// The average of iterates that are multiples of a sum of rows; it needs one more vector that is a sum of rows.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/aligned.hpp"
#include "base/state.hpp"

namespace svm {

/// An average m of iterates w_t = f_t a_t: m <- (1 - mu) m + mu w_t. It is stored as m = p a + s q: when a changes by
/// g, q changes by a multiple of g.
class Average {
 public:
  explicit Average(std::size_t dimension) : q_(dimension) {}

  /// m <- (1 - mu) m + mu f a, after a has changed by g: `add(amount, q)` adds amount times g to q.
  template <typename Add>
  void take(double mu, double f, const Add& add) {
    if (mu == 1.0) {
      std::fill(q_.begin(), q_.end(), 0.0);
      p_ = f;
      s_ = 1.0;
      return;
    }
    if (s_ < tiny) {
      for (double& value : q_) value *= s_;
      s_ = 1.0;
    }
    if (p_ != 0.0) add(-p_ / s_, q_.data());
    p_ = (1.0 - mu) * p_ + mu * f;
    s_ *= 1.0 - mu;
  }
  /// Adds share m to out.
  void add_to(double share, const double* a, double* out) const noexcept {
    for (std::size_t j = 0; j < q_.size(); ++j) out[j] += share * (p_ * a[j] + s_ * q_[j]);
  }
  void archive(StateArchive& state) {
    state.values("q", q_);
    state.number("p", p_);
    state.number("s", s_);
  }

 private:
  static constexpr double tiny = 1e-200;

  AlignedVector<double> q_;
  double p_ = 0.0;
  double s_ = 1.0;
};

}  // namespace svm
