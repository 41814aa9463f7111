#include "solvers/cutting_planes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/swap_remove.hpp"

namespace svm {
namespace {

// The master problem is solved to this part of the gap that is left; its own rounding errors set the floor.
constexpr double part_of_gap = 1e-3;
constexpr double rounding = 1e-14;
constexpr std::size_t patience = 50;  // iterations that a cut may be without mass

const CuttingPlaneSettings& checked(const CuttingPlaneSettings& settings) {
  require(std::isfinite(settings.lambda) && settings.lambda > 0.0, "lambda must be finite and positive");
  require(std::isfinite(settings.eps) && settings.eps > 0.0, "eps must be finite and positive");
  return settings;
}

}  // namespace

CuttingPlanes::CuttingPlanes(const FeatureMatrix& matrix, const CuttingPlaneSettings& settings)
    : LinearSolver(matrix),
      cuts_(matrix, features_, checked(settings).lambda),
      margins_(matrix.size()),
      point_(matrix.size()),
      settings_(settings) {
  master_.add(cuts_.beta(), cuts_.products());
}

bool CuttingPlanes::step() {
  const double gap = objective_ - bound_;
  if (gap <= settings_.eps * (settings_.relative ? bound_ : 1.0)) return false;
  const std::size_t n = size();
  violated_.resize(n);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    violated_[count] = static_cast<std::uint32_t>(i);
    count += static_cast<std::size_t>(point_[i] < 1.0);
  }
  violated_.resize(count);
  cuts_.add(violated_);
  master_.add(cuts_.beta(), cuts_.products());
  master_.solve(std::max(part_of_gap * gap, rounding * bound_));
  bound_ = std::max(bound_, master_.value());
  if (master_.solution().back() == 0.0) {  // as in a run that goes on beyond what rounding errors allow
    cuts_.remove(cuts_.size() - 1);
    master_.remove(master_.size() - 1);
  }
  cuts_.margins(master_.solution(), margins_.data());
  Counters& counters = features_.counters();
  ++counters.iterations;
  counters.presentations += n;
  follow();
  return true;
}

void CuttingPlanes::archive(StateArchive& state) {
  LinearSolver::archive(state);
  state.part("cuts", cuts_);
  state.part("master", master_);
  state.check(master_.size() == cuts_.size(), "master", " has not a variable for each cut");
  state.values("point", point_);
  state.number("objective", objective_);
  state.number("bound", bound_);
}

void SvmPerf::archive(StateArchive& state) {
  CuttingPlanes::archive(state);
  state.list("idle", idle_);
  state.check(idle_.size() <= cuts_.size(), "idle", " has more elements than there are cuts");
}

void SvmPerf::follow() {
  const std::vector<double>& gamma = master_.solution();
  double hinge = 0.0;
  for (const double margin : margins_) hinge += std::max(0.0, 1.0 - margin);
  const double norm = std::inner_product(gamma.begin(), gamma.end(), master_.products().begin(), 0.0);
  objective_ = 0.5 * norm + hinge / static_cast<double>(size());
  point_.swap(margins_);

  // Cuts without mass are taken away, as the program SVMperf does: w does not change, and a cut that is needed again is
  // found again. Cut 0 stays.
  idle_.resize(gamma.size());
  for (std::size_t j = gamma.size() - 1; j > 0; --j) {
    idle_[j] = gamma[j] > 0.0 ? 0 : idle_[j] + 1;
    if (idle_[j] < patience) continue;
    master_.remove(j);
    cuts_.remove(j);
    swap_remove(idle_, j);
  }
}

Ocas::Ocas(const FeatureMatrix& matrix, const CuttingPlaneSettings& settings, double mu)
    : CuttingPlanes(matrix, settings), mu_(mu), best_margins_(matrix.size()) {
  require(mu > 0.0 && mu <= 1.0, "mu must lie in (0, 1]");
}

void Ocas::archive(StateArchive& state) {
  CuttingPlanes::archive(state);
  state.list("best", best_);
  state.list("best_products", best_products_);
  state.check(best_.size() == cuts_.size() && best_products_.size() == cuts_.size(), "best",
              " has not an element for each cut");
  state.values("best_margins", best_margins_);
}

void Ocas::follow() {
  const std::vector<double>& gamma = master_.solution();
  const std::vector<double>& products = master_.products();
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
  // Where lambda is so small that the norm drowns in rounding errors, they may leave no curvature.
  curvature = std::max(curvature, std::numeric_limits<double>::epsilon() * objective_);
  const double k = search_.minimum(best_margins_.data(), margins_.data(), size(), slope, curvature);
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
