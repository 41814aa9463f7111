// Bottou's SVMSGD: stochastic subgradient steps of length 1 / (lambda (t + t0)) on explicit weights, with lazy scaling.
#pragma once

#include <optional>

#include "base/settings.hpp"
#include "linear/weight_vector.hpp"
#include "solvers/initial_step.hpp"

namespace svm {

struct SvmSgdSettings {
  double lambda = 1.0;
  std::optional<double> t0 = std::nullopt;  ///< none: tuned on a sample

  auto fields() { return std::tuple(required("lambda", lambda), field("t0", t0)); }
};

/// w <- (1 - lambda eta) w, plus eta y x where y <w, x> < 1, eta = 1 / (lambda (t + t0)). w = v / divisor: shrinking w
/// changes only the divisor; v is divided by it when it has become large.
template <typename Real>
class SvmSgdRule {
 public:
  using Settings = SvmSgdSettings;

  SvmSgdRule(const FeatureMatrix& matrix, const SvmSgdSettings& settings)
      : lambda_(settings.lambda), v_(matrix.dimension()) {}

  Tuning tuning(std::size_t) const noexcept { return {}; }
  bool fresh() const noexcept { return true; }
  void end_epoch() noexcept {}
  void start(double t0) {
    v_.clear();
    divisor_ = 1.0;
    time_ = t0;
  }
  void present(CountedFeatures& features, std::size_t i) {
    constexpr double largest_divisor = 1e5;  // as in Bottou's program
    const RowView x = features.row(i);
    const double y = features.label(i);
    features.charge_inner_product();
    double dot = v_.dot(x);
    const bool violated = y * dot < divisor_;
    divisor_ *= (time_ + 1.0) / time_;  // 1 - lambda eta = (t + t0 - 1) / (t + t0)
    time_ += 1.0;
    if (divisor_ > largest_divisor) {
      v_.multiply(1.0 / divisor_);
      dot /= divisor_;
      divisor_ = 1.0;
    }
    if (violated) v_.add(x, y * divisor_ / (lambda_ * time_), dot, features.squared_norm(i));
  }
  const Weights<Real>& weights() const noexcept { return v_; }
  double scale() const noexcept { return 1.0 / divisor_; }
  double squared_norm() const noexcept { return v_.squared_norm() / (divisor_ * divisor_); }
  void archive(StateArchive& state) {
    state.part("v", v_);
    state.number("divisor", divisor_);
    state.number("time", time_);
  }

 private:
  double lambda_;
  Weights<Real> v_;
  double divisor_ = 1.0;
  double time_ = 0.0;  // t + t0
};

template <typename Real>
using SvmSgd = TunedSgd<SvmSgdRule<Real>>;

}  // namespace svm
