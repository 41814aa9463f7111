#include "qp/simplex_qp.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/swap_remove.hpp"

namespace svm {
namespace {

// A pivot that is smaller than this part of its diagonal element is considered rounding error.
constexpr double least_pivot = 1e-13;
// Of the diagonal to beta, below which the diagonal is negligible.
constexpr double least_ratio = 1e-10;
constexpr std::size_t most_stalls = 10;
constexpr std::size_t most_rounds = 1000;

}  // namespace

void SimplexQp::add(double beta, const std::vector<double>& products) {
  for (std::size_t k = 0; k < size(); ++k) H_[k].push_back(products[k]);
  H_.push_back(products);
  beta_.push_back(beta);
  gamma_.push_back(size() == 1 ? 1.0 : 0.0);
  products_.push_back(std::inner_product(gamma_.begin(), gamma_.end(), products.begin(), 0.0));
}

void SimplexQp::extend(const std::vector<double>& q) {
  const double mean = std::inner_product(gamma_.begin(), gamma_.end(), q.begin(), 0.0);
  for (std::size_t j = 0; j < size(); ++j) {
    for (std::size_t k = 0; k < size(); ++k) H_[j][k] += q[j] * q[k];
    products_[j] += q[j] * mean;
  }
  clear_factor();
}

void SimplexQp::remove(std::size_t j) {
  // Free only if its mass is NaN; the next `solve` recomputes the factor.
  if (std::find(free_.begin(), free_.end(), j) != free_.end()) clear_factor();
  std::replace(free_.begin(), free_.end(), size() - 1, j);
  swap_remove(H_, j);
  for (std::vector<double>& row : H_) swap_remove(row, j);
  swap_remove(beta_, j);
  swap_remove(gamma_, j);
  swap_remove(products_, j);
}

void SimplexQp::archive(StateArchive& state) {
  state.finite_list("beta", beta_);
  state.lists("H", H_);
  state.finite_list("gamma", gamma_);
  state.finite_list("products", products_);
  state.distinct_list("free", free_, size());
  state.finite_list("added", added_);
  state.part("factor", factor_);
  state.finite("lift", lift_);
  if (!state.reads()) return;
  bool sound = size() > 0 && H_.size() == size() && gamma_.size() == size() && products_.size() == size();
  for (const std::vector<double>& row : H_) sound = sound && row.size() == size();
  state.check(sound, "beta", " and the rest of the programme are not of one size");
  state.check(added_.size() == free_.size() && factor_.size() == free_.size(), "free",
              " and their factor are not of one size");
  for (const std::size_t j : free_) state.check(gamma_[j] > 0.0, "free", " has a variable without mass");
}

void SimplexQp::clear_factor() noexcept {
  factor_.clear();
  free_.clear();
  added_.clear();
}

void SimplexQp::update_products() {
  std::fill(products_.begin(), products_.end(), 0.0);
  for (const std::size_t j : free_) {
    for (std::size_t k = 0; k < size(); ++k) products_[k] += gamma_[j] * H_[j][k];
  }
}

double SimplexQp::value() const noexcept {
  double value = 0.0;
  for (std::size_t j = 0; j < size(); ++j) value += gamma_[j] * (beta_[j] - 0.5 * products_[j]);
  return value;
}

double SimplexQp::gap() const {
  require(size() > 0, "the programme has no variable yet");
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
  // The factor is updated with the free variables, and recomputed when the value has outgrown the lift. In exact
  // arithmetic a variable that enters gets some mass. If it gets none, or if the steepest one is free already, there
  // are rounding errors or H is singular; then a new factor and another round may help.
  std::size_t stalls = 0;
  for (std::size_t round = 0; gap() > tolerance && stalls < most_stalls && round < most_rounds; ++round) {
    if (free_.empty() || value() > 2.0 * lift_) factorize();
    const std::size_t j = steepest();
    const bool enters = gamma_[j] == 0.0;
    if (enters) enter(j);
    climb();
    update_products();
    if (enters && gamma_[j] > 0.0) continue;
    factorize();
    ++stalls;
  }
}

void SimplexQp::factorize() {
  clear_factor();
  double largest = 0.0;
  for (std::size_t j = 0; j < size(); ++j) largest = std::max(largest, H_[j][j]);
  lift_ = value() > 0.0 ? value() : (largest > 0.0 ? largest : 1.0);
  // H is then negligible, and a lift of its size would lose beta's digits.
  const double beta = beta_[steepest()];
  if (!(value() > 0.0) && largest < least_ratio * beta) lift_ = beta;
  for (std::size_t j = 0; j < size(); ++j) {
    if (gamma_[j] > 0.0) enter(j);
  }
}

void SimplexQp::enter(std::size_t j) {
  std::vector<double> column;
  column.reserve(free_.size() + 1);
  for (const std::size_t k : free_) column.push_back(lift_ + H_[j][k]);
  column.push_back(lift_ + H_[j][j]);
  const double least = least_pivot * column.back();
  free_.push_back(j);
  added_.push_back(factor_.append(std::move(column), least));
}

void SimplexQp::climb() {
  bool blocked = true;
  while (blocked) {
    find_target();
    const auto reach = [this](std::size_t p) {  // the part of the way to the target at which variable p becomes 0
      const double gamma = gamma_[free_[p]];
      return target_[p] > 0.0 ? std::numeric_limits<double>::infinity()
                              : (gamma > 0.0 ? gamma / (gamma - target_[p]) : 0.0);
    };
    double step = 1.0;
    for (std::size_t p = 0; p < free_.size(); ++p) step = std::min(step, reach(p));
    blocked = false;
    for (std::size_t p = free_.size(); p-- > 0;) {
      double& gamma = gamma_[free_[p]];
      const double moved = gamma + step * (target_[p] - gamma);
      const bool stops = reach(p) <= step || moved <= 0.0;
      gamma = stops ? 0.0 : moved;
      if (!stops) continue;
      blocked = true;
      factor_.remove(p);
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(p));
      added_.erase(added_.begin() + static_cast<std::ptrdiff_t>(p));
    }
  }
}

void SimplexQp::find_target() {
  // If H is singular, the addition to its diagonal makes this a step of the proximal point method: each round still
  // gains, and the rounds converge to a maximum.
  target_.clear();
  for (std::size_t p = 0; p < free_.size(); ++p) target_.push_back(beta_[free_[p]] + added_[p] * gamma_[free_[p]]);
  ones_.assign(free_.size(), 1.0);
  factor_.solve(target_.data());
  factor_.solve(ones_.data());
  const double excess = std::accumulate(target_.begin(), target_.end(), -1.0);
  const double multiplier = excess / std::accumulate(ones_.begin(), ones_.end(), 0.0);
  for (std::size_t p = 0; p < free_.size(); ++p) target_[p] -= multiplier * ones_[p];
}

}  // namespace svm
