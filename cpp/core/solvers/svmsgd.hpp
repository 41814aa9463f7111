// Bottou's SVMSGD: stochastic subgradient steps of length 1 / (lambda (t + t0)) on explicit weights.
#pragma once

#include "linear/scaled_vector.hpp"
#include "solvers/initial_step.hpp"

namespace svm {

/// w <- (1 - lambda eta) w, plus eta y x where y <w, x> < 1, eta = 1 / (lambda (t + t0)).
template <typename Real>
class SvmSgdRule {
 public:
  SvmSgdRule(std::size_t dimension, double lambda) : lambda_(lambda), w_(dimension) {}

  Tuning tuning(std::size_t) const noexcept { return {}; }
  bool fresh() const noexcept { return true; }
  void end_epoch() noexcept {}
  void start(double t0);
  void present(CountedFeatures& features, std::size_t i);
  const ScaledVector<Real>& weights() const noexcept { return w_; }
  double squared_norm() const noexcept { return w_.squared_norm(); }
  void archive(StateArchive& state) {
    state.part("w", w_);
    state.number("time", time_);
  }

 private:
  double lambda_;
  ScaledVector<Real> w_;
  double time_ = 0.0;  // t + t0
};

template <typename Real>
using SvmSgd = TunedSgd<SvmSgdRule<Real>>;

}  // namespace svm
