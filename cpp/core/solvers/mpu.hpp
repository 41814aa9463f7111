// The margin perceptron with unlearning, on explicit weights: ascent of the dual in steps of one length.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "linear/weight_vector.hpp"
#include "random/epoch_order.hpp"
#include "solvers/linear_solver.hpp"

namespace svm {

struct MpuSettings {
  double lambda = 1.0;
  double eps = 0.01;  ///< the relative gap (J - L) / L at which it stops

  auto fields() { return std::tuple(required("lambda", lambda), field("eps", eps)); }
};

/// alpha_k = c_k C / q with whole numbers 0 <= c_k <= q, and w = (C / q) sum c_k y_k x_k. Let s = C / q: an example
/// with y <w, x> < 1 - s |x|^2 / 2 is learnt, c_k + 1, and one with y <w, x> > 1 + s |x|^2 / 2 is unlearnt, c_k - 1.
/// Each such change raises the dual. Passes are in random order. q and all c_k are doubled after a pass in which no
/// example could have made a second step at once, or which did not raise the dual.
class Mpu final : public DirectLoop<Mpu, FeatureSolver> {
 public:
  Mpu(const FeatureMatrix& matrix, const MpuSettings& settings, std::uint64_t seed)
      : DirectLoop(matrix),
        settings_(settings),
        order_(matrix.size(), seed),
        a_(matrix.dimension()),
        c_(matrix.size()) {
    require_setting(settings.lambda, "lambda");
    require_setting(settings.eps, "eps");
    const double C = 1.0 / (settings.lambda * static_cast<double>(matrix.size()));
    const double largest = C * matrix.largest_norm() * matrix.largest_norm();
    require(largest <= static_cast<double>(finest), "C times the largest squared norm of a row must be at most 2^40");
    while (largest > static_cast<double>(q_)) q_ *= 2;  // s |x|^2 <= 1: each example can be learnt
    step_length_ = C / static_cast<double>(q_);
  }

  void weights(double* out) const override { a_.copy(step_length_, out); }
  /// The dual.
  double lower_bound() const override {
    return settings_.lambda * step_length_ * static_cast<double>(total_) - regulariser();
  }
  /// Dual variables (n), in the order of the examples.
  void alpha(double* out) const {
    for (std::size_t k = 0; k < c_.size(); ++k) out[k] = step_length_ * static_cast<double>(c_[k]);
  }
  /// q.
  std::uint64_t parts() const noexcept { return q_; }
  void archive(StateArchive& state) override {
    FeatureSolver::archive(state);
    state.part("order", order_);
    state.part("a", a_);
    state.values("c", c_);
    state.count("q", q_, finest);
    state.check(q_ > 0, "q", " is 0");
    state.check(std::all_of(c_.begin(), c_.end(), [this](std::uint64_t c) { return c <= q_; }), "c", " is more than q");
    state.number("step_length", step_length_);
    state.number("total", total_);
    state.number("losses", losses_);
    state.number("far", far_);
    state.number("reached", reached_);
  }
  bool step() override {
    const std::size_t k = order_.now();
    order_.prefetch(features_);
    const RowView x = features_.row(k);
    const double y = features_.label(k);
    const double norm2 = features_.squared_norm(k);
    features_.charge_inner_product();
    ++features_.counters().iterations;
    ++features_.counters().presentations;
    const double dot = a_.dot(x);
    const double loss = 1.0 - y * step_length_ * dot;
    const double half = 0.5 * step_length_ * norm2;
    losses_ += std::max(0.0, loss);
    if (loss > half && c_[k] < q_) {
      ++c_[k];
      ++total_;
      a_.add(x, y, dot, norm2);
      far_ = far_ || (loss > 3.0 * half && c_[k] < q_);
    } else if (loss < -half && c_[k] > 0) {
      --c_[k];
      --total_;
      a_.add(x, -y, dot, norm2);
      far_ = far_ || (loss < -3.0 * half && c_[k] > 0);
    }
    if (order_.advance()) end_pass();
    return true;
  }

 private:
  static constexpr std::uint64_t finest = std::uint64_t{1} << 40;  // q: the sum of 2^23 c_k fits 64 bits

  void end_pass() {
    a_.refresh_norm();
    const bool settled = !far_ || lower_bound() <= reached_;
    if (accurate() || (settled && q_ == finest)) {
      converge();
    } else if (settled) {
      refine();
    }
    reached_ = lower_bound();
    losses_ = 0.0;
    far_ = false;
  }
  bool accurate() {
    const auto n = static_cast<double>(features_.size());
    const double bound = lower_bound();
    const auto within = [&](double losses) { return regulariser() + losses / n - bound <= settings_.eps * bound; };
    return within(losses_) && within(hinge_sum(features_, a_, step_length_));
  }
  void refine() {
    q_ *= 2;
    step_length_ *= 0.5;
    total_ *= 2;
    for (std::uint64_t& c : c_) c *= 2;
    a_.multiply(2.0);
  }
  double regulariser() const noexcept {
    return 0.5 * settings_.lambda * step_length_ * step_length_ * a_.squared_norm();
  }

  MpuSettings settings_;
  EpochOrder order_;
  Weights<double> a_;  // sum of c y x
  std::vector<std::uint64_t> c_;
  std::uint64_t q_ = 1;
  double step_length_;       // s = C / q
  std::uint64_t total_ = 0;  // sum of c
  double losses_ = 0.0;      // sum of the losses seen in this pass
  bool far_ = false;         // an example could have made a second step
  double reached_ = 0.0;     // the dual at the end of the last pass
};

}  // namespace svm
