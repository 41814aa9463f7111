#include "solvers/cutting_planes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"

namespace svm {

CuttingPlanes::CuttingPlanes(const FeatureMatrix& matrix, const CuttingPlaneSettings& settings)
    : FeatureSolver(matrix),
      cuts_(matrix, features_, require_setting(settings.lambda, "lambda")),
      master_(settings.master),
      point_(matrix.size()),
      settings_(settings) {
  require_setting(settings.eps, "eps");
}

bool CuttingPlanes::step() {
  const double gap = objective_ - lower_bound();
  if (gap <= settings_.eps * (settings_.relative ? lower_bound() : 1.0)) return false;
  cuts_.add(point_.data());
  master_.add(cuts_.beta(), cuts_.products());
  master_.solve(gap);
  if (master_.solution().back() == 0.0) {  // rounding errors allow no more progress
    cuts_.remove(cuts_.size() - 1);
    master_.remove(master_.size() - 1);
  }
  Counters& counters = features_.counters();
  ++counters.iterations;
  counters.presentations += size();
  update_weights();
  return true;
}

void CuttingPlanes::archive(StateArchive& state) {
  FeatureSolver::archive(state);
  state.part("cuts", cuts_);
  state.part("master", master_);
  state.check(master_.size() == cuts_.size(), "master", " has not a variable for each cut");
  state.values("point", point_);
  state.number("objective", objective_);
}

void SvmPerf::update_weights() {
  const std::vector<double>& gamma = master_.solution();
  cuts_.margins(gamma, point_.data(), true);
  double hinge = 0.0;
  for (const double margin : point_) hinge += std::max(0.0, 1.0 - margin);
  const double norm = std::inner_product(gamma.begin(), gamma.end(), master_.products().begin(), 0.0);
  objective_ = 0.5 * norm + hinge / static_cast<double>(size());
  master_.drop_idle([this](std::size_t j) { cuts_.remove(j); });
}

Ocas::Ocas(const FeatureMatrix& matrix, const OcasSettings& settings)
    : CuttingPlanes(matrix, {settings.lambda, settings.eps}),
      mu_(settings.mu),
      margins_(matrix.size()),
      best_margins_(matrix.size()) {
  require(mu_ > 0.0 && mu_ <= 1.0, "mu must lie in (0, 1]");
}

void Ocas::archive(StateArchive& state) {
  CuttingPlanes::archive(state);
  state.list("best", best_);
  state.list("best_products", best_products_);
  state.check(best_.size() == cuts_.size() && best_products_.size() == cuts_.size(), "best",
              " has not an element for each cut");
  state.values("best_margins", best_margins_);
}

void Ocas::update_weights() {
  const std::vector<double>& gamma = master_.solution();
  const std::vector<double>& products = master_.products();
  cuts_.margins(gamma, margins_.data());
  if (best_.size() < master_.size()) {
    best_products_.push_back(std::inner_product(best_.begin(), best_.end(), cuts_.products().begin(), 0.0));
    best_.push_back(0.0);
  }
  double slope = 0.0;
  double curvature = 0.0;
  for (std::size_t j = 0; j < best_.size(); ++j) {
    slope += (gamma[j] - best_[j]) * best_products_[j];
    curvature += (gamma[j] - best_[j]) * (products[j] - best_products_[j]);
  }
  // With a very small lambda the norm is below rounding error, which may leave no curvature.
  curvature = std::max(curvature, std::numeric_limits<double>::epsilon() * objective_);
  const double k = hinge_line_minimum(best_margins_.data(), margins_.data(), size(), slope, curvature);
  double norm = 0.0;
  for (std::size_t j = 0; j < best_.size(); ++j) {
    best_[j] += k * (gamma[j] - best_[j]);
    best_products_[j] += k * (products[j] - best_products_[j]);
    norm += best_[j] * best_products_[j];
  }
  double hinge = 0.0;
  for (std::size_t i = 0; i < size(); ++i) {
    best_margins_[i] += k * (margins_[i] - best_margins_[i]);
    hinge += std::max(0.0, 1.0 - best_margins_[i]);
    point_[i] = best_margins_[i] + mu_ * (margins_[i] - best_margins_[i]);
  }
  objective_ = 0.5 * norm + hinge / static_cast<double>(size());
}

}  // namespace svm
