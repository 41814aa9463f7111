#include "solvers/mpu.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace svm {
namespace {

constexpr std::uint64_t finest = std::uint64_t{1} << 40;  // q: the sum of 2^23 c_k fits 64 bits

}  // namespace

Mpu::Mpu(const FeatureMatrix& matrix, const MpuSettings& settings, std::uint64_t seed)
    : DirectLoop(matrix), settings_(settings), order_(matrix.size(), seed), a_(matrix.dimension()), c_(matrix.size()) {
  require_positive(settings.lambda, "lambda");
  require_positive(settings.eps, "eps");
  const double C = 1.0 / (settings.lambda * static_cast<double>(matrix.size()));
  const double largest = C * matrix.largest_norm() * matrix.largest_norm();
  require(largest <= static_cast<double>(finest), "C times the largest squared norm of a row must be at most 2^40");
  while (largest > static_cast<double>(q_)) q_ *= 2;  // s |x|^2 <= 1: each example can be learnt
  step_length_ = C / static_cast<double>(q_);
}

double Mpu::regulariser() const noexcept {
  return 0.5 * settings_.lambda * step_length_ * step_length_ * a_.squared_norm();
}

double Mpu::lower_bound() const {
  return settings_.lambda * step_length_ * static_cast<double>(total_) - regulariser();
}

void Mpu::alpha(double* out) const {
  for (std::size_t k = 0; k < c_.size(); ++k) out[k] = step_length_ * static_cast<double>(c_[k]);
}

void Mpu::archive(StateArchive& state) {
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
  state.number("done", done_);
}

bool Mpu::step() {
  if (done_) return false;
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

void Mpu::end_pass() {
  a_.refresh_norm();
  const bool settled = !far_ || lower_bound() <= reached_;
  done_ = accurate() || (settled && q_ == finest);
  if (settled && !done_) refine();
  reached_ = lower_bound();
  losses_ = 0.0;
  far_ = false;
}

bool Mpu::accurate() {
  const auto n = static_cast<double>(features_.size());
  const double bound = lower_bound();
  const auto within = [&](double losses) { return regulariser() + losses / n - bound <= settings_.eps * bound; };
  return within(losses_) && within(hinge_sum(features_, a_, step_length_));
}

void Mpu::refine() {
  q_ *= 2;
  step_length_ *= 0.5;
  total_ *= 2;
  for (std::uint64_t& c : c_) c *= 2;
  a_.multiply(2.0);
}

}  // namespace svm
