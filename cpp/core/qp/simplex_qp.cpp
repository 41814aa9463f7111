#include "qp/simplex_qp.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "base/swap_remove.hpp"

namespace svm {
namespace {

// A pivot that is smaller than this part of its diagonal element is considered rounding error.
constexpr double least_pivot = 1e-13;
constexpr std::size_t most_stalls = 10;
constexpr std::size_t most_rounds = 1000;

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

void SimplexQp::extend(const std::vector<double>& q) {
  double mean = 0.0;
  for (std::size_t j = 0; j < size(); ++j) mean += gamma_[j] * q[j];
  for (std::size_t j = 0; j < size(); ++j) {
    for (std::size_t k = 0; k < size(); ++k) H_[j][k] += q[j] * q[k];
    products_[j] += q[j] * mean;
  }
  factor_.clear();
  free_.clear();
}

void SimplexQp::remove(std::size_t j) {
  const std::size_t last = size() - 1;
  const auto is_free = [j](const Free& free) { return free.variable == j; };
  if (std::any_of(free_.begin(), free_.end(),
                  is_free)) {  // only if mass is NaN; the next `solve` recomputes them
    factor_.clear();
    free_.clear();
  }
  for (Free& free : free_) {
    if (free.variable == last) free.variable = j;
  }
  swap_remove(H_, j);
  for (std::vector<double>& row : H_) swap_remove(row, j);
  swap_remove(beta_, j);
  swap_remove(gamma_, j);
  swap_remove(products_, j);
}

void SimplexQp::archive(StateArchive& state) {
  std::vector<std::uint64_t> variables;
  std::vector<double> added;
  for (const Free& free : free_) {
    variables.push_back(free.variable);
    added.push_back(free.added);
  }
  state.finite_list("beta", beta_);
  state.lists("H", H_);
  state.finite_list("gamma", gamma_);
  state.finite_list("products", products_);
  state.distinct_list("free", variables, size());
  state.finite_list("added", added);
  state.part("factor", factor_);
  state.finite("lift", lift_);
  if (!state.reads()) return;
  bool sound = size() > 0 && H_.size() == size() && gamma_.size() == size() && products_.size() == size();
  for (const std::vector<double>& row : H_) sound = sound && row.size() == size();
  state.check(sound, "beta", " and the rest of the programme are not of one size");
  state.check(added.size() == variables.size() && factor_.size() == variables.size(), "free",
              " and their factor are not of one size");
  for (const std::uint64_t j : variables) state.check(gamma_[j] > 0.0, "free", " has a variable without mass");
  free_.clear();
  for (std::size_t p = 0; p < variables.size(); ++p) free_.push_back({variables[p], added[p]});
}

void SimplexQp::update_products() {
  std::fill(products_.begin(), products_.end(), 0.0);
  for (const Free& free : free_) {
    const std::vector<double>& row = H_[free.variable];
    for (std::size_t k = 0; k < size(); ++k) products_[k] += gamma_[free.variable] * row[k];
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
  factor_.clear();
  free_.clear();
  double largest = 0.0;
  for (std::size_t j = 0; j < size(); ++j) largest = std::max(largest, H_[j][j]);
  lift_ = value() > 0.0 ? value() : (largest > 0.0 ? largest : 1.0);
  for (std::size_t j = 0; j < size(); ++j) {
    if (gamma_[j] > 0.0) enter(j);
  }
}

void SimplexQp::enter(std::size_t j) {
  std::vector<double> column;
  column.reserve(free_.size() + 1);
  for (const Free& other : free_) column.push_back(lift_ + H_[j][other.variable]);
  column.push_back(lift_ + H_[j][j]);
  const double least = least_pivot * column.back();
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
      const double moved = gamma + step * (target_[p] - gamma);
      const bool stops = reach(p) <= step || moved <= 0.0;
      gamma = stops ? 0.0 : moved;
      if (!stops) continue;
      blocked = true;
      factor_.remove(p);
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(p));
    }
  }
}

void SimplexQp::find_target() {
  // If H is singular, the addition to its diagonal makes this a step of the proximal point method: each round still
  // gains, and the rounds converge to a maximum.
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
