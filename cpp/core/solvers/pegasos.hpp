// Pegasos on kernels (Shalev-Shwartz, Singer, Srebro, Cotter 2011): stochastic subgradient steps on the lambda form.
#pragma once

#include <cmath>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "random/random.hpp"
#include "solvers/kernel_solver.hpp"

namespace svm {

struct PegasosSettings {
  double lambda = 1.0;
  bool project = false;  ///< onto ||w|| <= 1 / sqrt(lambda) after each step
  Accounting accounting = Accounting::on_demand;

  auto fields() {
    return std::tuple(required("lambda", lambda), field("project", project), field("accounting", accounting));
  }
};

class Pegasos final : public KernelSolver {
 public:
  Pegasos(RowSource& source, const PegasosSettings& settings, std::uint64_t seed)
      : KernelSolver(source),
        settings_(settings),
        random_(seed, Purpose::sampling),
        v_(source.size()),
        beta_(source.size()) {
    require_setting(settings.lambda, "lambda");
    rows_.draw_at_random();
  }

  void coefficients(double* out) const override {
    for (std::size_t i = 0; i < size(); ++i) out[i] = rows_.label(i) * shrink() * beta_[i];
  }
  bool responses(double* out) const override {
    for (std::size_t i = 0; i < size(); ++i) out[i] = shrink() * v_[i];
    return true;
  }
  void archive(StateArchive& state) override {
    KernelSolver::archive(state);
    state.part("random", random_);
    state.number("projected", projected_);
    state.number("norm2", norm2_);
    state.values("v", v_);
    state.values("beta", beta_);
    rows_.check_support(state, beta_);
  }

 protected:
  bool step() override {
    Counters& counters = rows_.counters();
    const std::size_t i = random_.below(size());
    if (settings_.accounting == Accounting::on_demand) rows_.charge_response();
    const bool violated = shrink() * v_[i] < 1.0;
    ++counters.iterations;
    ++counters.presentations;
    if (violated) {
      const double amount = 1.0 / projected_;
      norm2_ += amount * (2.0 * v_[i] + amount * rows_.diagonal(i));
      set_beta(i, beta_[i] + amount);
      rows_.add(v_.data(), i, amount, settings_.accounting);
    }
    if (settings_.project) project();
    return true;
  }

 private:
  // With eta = 1 / (lambda t) the recursion is t w_t = (t - 1) w_{t-1} + y x / lambda, so w_t = shrink() * sum beta_i
  // y_i x_i.
  double shrink() const noexcept {
    const auto t = static_cast<double>(counters().iterations);
    return t > 0.0 ? projected_ / (settings_.lambda * t) : 0.0;
  }
  void set_beta(std::size_t i, double after) noexcept {
    rows_.coefficient_changed(i, beta_[i], after);
    beta_[i] = after;
  }
  void project() {
    const double norm = shrink() * std::sqrt(norm2_);
    const double radius = 1.0 / std::sqrt(settings_.lambda);
    if (norm > radius) projected_ *= radius / norm;
    if (projected_ > 1e-6) return;
    for (std::size_t i = 0; i < size(); ++i) {
      set_beta(i, beta_[i] * projected_);  // which may underflow
      v_[i] *= projected_;
    }
    norm2_ *= projected_ * projected_;
    projected_ = 1.0;
  }

  PegasosSettings settings_;
  Random random_;
  double projected_ = 1.0;  // product of the projections' factors
  double norm2_ = 0.0;      // of sum beta_i y_i x_i
  std::vector<double> v_;   // y_j <sum beta_i y_i x_i, x_j>
  std::vector<double> beta_;
};

}  // namespace svm
