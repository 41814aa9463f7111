#include "solvers/pegasos.hpp"

#include <cmath>

#include "base/error.hpp"

namespace svm {

Pegasos::Pegasos(RowSource& source, const PegasosSettings& settings, std::uint64_t seed)
    : KernelSolver(source),
      settings_(settings),
      random_(seed, Purpose::sampling),
      v_(source.size()),
      beta_(source.size()) {
  require_positive(settings.lambda, "lambda");
  rows_.draw_at_random();
}

double Pegasos::shrink() const noexcept {
  const auto t = static_cast<double>(counters().iterations);
  return t > 0.0 ? projected_ / (settings_.lambda * t) : 0.0;
}

bool Pegasos::step() {
  Counters& counters = rows_.counters();
  const std::size_t i = random_.below(size());
  if (settings_.accounting == Accounting::on_demand) rows_.charge_response();
  const bool violated = shrink() * v_[i] < 1.0;
  ++counters.iterations;
  ++counters.presentations;
  if (violated) {
    const double amount = 1.0 / projected_;
    norm2_ += amount * (2.0 * v_[i] + amount * rows_.diagonal(i));
    if (beta_[i] == 0.0) rows_.enter_support(i);
    beta_[i] += amount;
    rows_.add(v_.data(), i, amount, settings_.accounting);
  }
  if (settings_.project) project();
  return true;
}

void Pegasos::project() {
  const double norm = shrink() * std::sqrt(norm2_);
  const double radius = 1.0 / std::sqrt(settings_.lambda);
  if (norm > radius) projected_ *= radius / norm;
  if (projected_ > 1e-6) return;
  for (std::size_t i = 0; i < size(); ++i) {
    beta_[i] *= projected_;
    v_[i] *= projected_;
  }
  norm2_ *= projected_ * projected_;
  projected_ = 1.0;
}

void Pegasos::archive(StateArchive& state) {
  KernelSolver::archive(state);
  state.part("random", random_);
  state.number("projected", projected_);
  state.number("norm2", norm2_);
  state.values("v", v_);
  state.values("beta", beta_);
}

void Pegasos::coefficients(double* out) const {
  for (std::size_t i = 0; i < size(); ++i) out[i] = rows_.label(i) * shrink() * beta_[i];
}

bool Pegasos::responses(double* out) const {
  for (std::size_t i = 0; i < size(); ++i) out[i] = shrink() * v_[i];
  return true;
}

}  // namespace svm
