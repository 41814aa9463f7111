#include "linear_dcd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "error.hpp"
#include "random.hpp"
#include "simd.hpp"

namespace svm {

LinearSolution linear_dcd(const MatrixView& features, std::size_t positives, double C, double relative_gap,
                          std::uint64_t max_epochs, std::uint64_t seed, const std::function<bool()>& interrupted) {
  require(!features.sparse(), "linear_dcd takes dense features");
  require(C > 0.0 && std::isfinite(C), "C must be finite and positive");
  require(relative_gap > 0.0, "the relative gap must be positive");
  const simd::Kernels& kernels = simd::kernels();
  const std::size_t n = features.rows;
  const std::size_t d = features.columns;
  const auto row = [&](std::size_t i) { return features.values + i * d; };
  const auto label = [&](std::size_t i) { return i < positives ? 1.0 : -1.0; };

  LinearSolution solution;
  std::vector<double>& w = solution.weights;
  w.assign(d, 0.0);
  std::vector<double> alpha(n);
  std::vector<double> diagonal(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < d; ++k) diagonal[i] += static_cast<double>(row(i)[k]) * static_cast<double>(row(i)[k]);
  }
  Random random(seed, Purpose::order);
  // Coordinates at a bound whose gradient points well outwards leave the active set (section 3.2); all come back
  // before the gap is measured.
  std::vector<std::uint32_t> active(n);
  std::iota(active.begin(), active.end(), 0U);
  double shrink_above = std::numeric_limits<double>::infinity();
  double tolerance = 0.1;
  while (solution.epochs < max_epochs) {
    random.shuffle(active);
    double largest = 0.0;
    std::size_t kept = 0;
    for (const std::uint32_t i : active) {
      const double gradient = 1.0 - label(i) * kernels.dot(row(i), w.data(), d);
      if ((alpha[i] == 0.0 && gradient < -shrink_above) || (alpha[i] == C && gradient > shrink_above)) continue;
      active[kept++] = i;
      const double before = alpha[i];
      const double free = diagonal[i] > 0.0 ? before + gradient / diagonal[i] : (gradient > 0.0 ? C : 0.0);
      const double after = std::clamp(free, 0.0, C);
      const bool at_bound = (before == 0.0 && gradient <= 0.0) || (before == C && gradient >= 0.0);
      if (!at_bound) largest = std::max(largest, std::abs(gradient));
      if (after == before) continue;
      alpha[i] = after;
      kernels.add(w.data(), row(i), label(i) * (after - before), d);
    }
    active.resize(kept);
    ++solution.epochs;
    if (interrupted && interrupted()) return solution;
    shrink_above = largest > 0.0 ? largest : std::numeric_limits<double>::infinity();
    if (largest > tolerance && solution.epochs < max_epochs) continue;
    double norm2 = 0.0;
    for (const double x : w) norm2 += x * x;
    double hinge = 0.0;
    for (std::size_t i = 0; i < n; ++i) hinge += std::max(0.0, 1.0 - label(i) * kernels.dot(row(i), w.data(), d));
    solution.primal = 0.5 * norm2 + C * hinge;
    solution.dual = std::accumulate(alpha.begin(), alpha.end(), 0.0) - 0.5 * norm2;
    solution.converged = solution.primal - solution.dual <= relative_gap * solution.primal;
    if (solution.converged) break;
    tolerance = std::max(0.5 * std::min(tolerance, largest), 1e-12);
    active.resize(n);
    std::iota(active.begin(), active.end(), 0U);
    shrink_above = std::numeric_limits<double>::infinity();
  }
  return solution;
}

}  // namespace svm
