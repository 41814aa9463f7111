#include "simplex_qp.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace svm {
namespace {

// A pivot of the factor that is smaller, relative to its diagonal element, is a matter of rounding.
constexpr double regular = 1e-13;

}  // namespace

void SimplexQp::add(double beta, const std::vector<double>& products) {
  for (std::size_t k = 0; k < size(); ++k) H_[k].push_back(products[k]);
  H_.push_back(products);
  beta_.push_back(beta);
  gamma_.push_back(size() == 1 ? 1.0 : 0.0);
  double product = 0.0;
  for (std::size_t k = 0; k < size(); ++k) product += products[k] * gamma_[k];
  products_.push_back(product);
}

void SimplexQp::multiply(const std::vector<double>& a, std::vector<double>& out) const {
  out.assign(size(), 0.0);
  for (std::size_t j = 0; j < size(); ++j) {
    if (a[j] == 0.0) continue;
    for (std::size_t k = 0; k < size(); ++k) out[k] += a[j] * H_[j][k];
  }
}

double SimplexQp::value() const noexcept {
  double value = 0.0;
  for (std::size_t j = 0; j < size(); ++j) value += gamma_[j] * (beta_[j] - 0.5 * products_[j]);
  return value;
}

double SimplexQp::gap() const noexcept {
  const std::size_t best = steepest();
  const double top = beta_[best] - products_[best];
  double gap = 0.0;
  for (std::size_t j = 0; j < size(); ++j) gap += gamma_[j] * (top - (beta_[j] - products_[j]));
  return gap;
}

std::size_t SimplexQp::steepest() const noexcept {
  std::size_t best = 0;
  for (std::size_t j = 1; j < size(); ++j) {
    if (beta_[j] - products_[j] > beta_[best] - products_[best]) best = j;
  }
  return best;
}

void SimplexQp::solve(double tolerance) {
  // The factor is made anew, so that rounding errors of its changes do not add up from solution to solution.
  factor_.clear();
  free_.clear();
  lift_ = scale();
  for (std::size_t j = 0; j < size(); ++j) {
    if (gamma_[j] > 0.0) enter(j);
  }
  double before = -std::numeric_limits<double>::infinity();
  while (gap() > tolerance && value() > before) {
    before = value();
    const std::size_t j = steepest();
    if (gamma_[j] == 0.0) enter(j);
    climb();
    multiply(gamma_, products_);
  }
}

double SimplexQp::scale() const noexcept {
  if (value() > 0.0) return value();
  double largest = 0.0;
  for (std::size_t j = 0; j < size(); ++j) largest = std::max(largest, H_[j][j]);
  return largest > 0.0 ? largest : 1.0;
}

void SimplexQp::enter(std::size_t j) {
  std::vector<double> column;
  column.reserve(free_.size() + 1);
  for (const Free& other : free_) column.push_back(lift_ + H_[j][other.variable]);
  column.push_back(lift_ + H_[j][j]);
  const double least = regular * column.back();
  free_.push_back({j, factor_.append(std::move(column), least)});
}

void SimplexQp::climb() {
  bool blocked = true;
  while (blocked) {
    find_target();
    const auto reach = [this](std::size_t p) {  // the part of the way to the target at which variable p becomes 0
      const double gamma = gamma_[free_[p].variable];
      return target_[p] > 0.0 ? std::numeric_limits<double>::infinity()
                              : (gamma > 0.0 ? gamma / (gamma - target_[p]) : 0.0);
    };
    double step = 1.0;
    for (std::size_t p = 0; p < free_.size(); ++p) step = std::min(step, reach(p));
    blocked = false;
    for (std::size_t p = free_.size(); p-- > 0;) {
      double& gamma = gamma_[free_[p].variable];
      const bool stops = reach(p) <= step;
      gamma = stops ? 0.0 : gamma + step * (target_[p] - gamma);
      if (!stops) continue;
      blocked = true;
      factor_.remove(p);
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(p));
    }
  }
}

void SimplexQp::find_target() {
  // Where H is singular, what was added to it pulls towards the solution at hand: each round then still gains, and rounds
  // end at a maximum (the proximal point method).
  target_.clear();
  for (const Free& free : free_) target_.push_back(beta_[free.variable] + free.added * gamma_[free.variable]);
  ones_.assign(free_.size(), 1.0);
  factor_.solve(target_.data());
  factor_.solve(ones_.data());
  const double excess = std::accumulate(target_.begin(), target_.end(), -1.0);
  const double multiplier = excess / std::accumulate(ones_.begin(), ones_.end(), 0.0);
  for (std::size_t p = 0; p < free_.size(); ++p) target_[p] -= multiplier * ones_[p];
}

}  // namespace svm
