// Cutting-plane methods for the lambda form, lambda/2 |w|^2 + mean hinge loss: a master problem with the cuts found so
// far, and a new cut at a point of the method's choice.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/cuts.hpp"
#include "linear/hinge_line_search.hpp"
#include "solvers/linear_solver.hpp"
#include "qp/simplex_qp.hpp"

namespace svm {

struct CuttingPlaneSettings {
  double lambda = 1.0;
  double eps = 0.01;     ///< ends when J - L <= eps L, with J the objective and L the largest master value so far
  bool relative = true;  ///< false: when J - L <= eps
};

/// What the methods share. The master problem, min over w of lambda/2 |w|^2 + the largest of the cuts at w, is solved
/// in its dual: over the simplex of the cuts, with H_jk = lambda <p_j, p_k> and w = sum_j gamma_j p_j. Any gamma in the
/// simplex gives a lower bound on the optimum.
class CuttingPlanes : public LinearSolver {
 public:
  CuttingPlanes(const FeatureMatrix& matrix, const CuttingPlaneSettings& settings);

  double lower_bound() const final { return bound_; }
  void archive(StateArchive& state) override;

 protected:
  /// One cut: n presentations.
  bool step() final;
  /// After the master problem: sets `objective_` and `point_`.
  virtual void follow() = 0;

  Cuts cuts_;
  SimplexQp master_;
  std::vector<double> margins_;  // of the master's weights
  std::vector<double> point_;    // margins of the weights at which to cut next
  double objective_ = 1.0;       // of the method's weights, 0 at the beginning

 private:
  CuttingPlaneSettings settings_;
  double bound_ = 0.0;
  std::vector<std::uint32_t> violated_;
};

/// Joachims: Training linear SVMs in linear time, KDD 2006, without bias: cuts at the master's weights, which are the
/// method's. So J - L is by how much the next cut is violated.
class SvmPerf final : public CuttingPlanes {
 public:
  using CuttingPlanes::CuttingPlanes;

  void weights(double* out) const override { cuts_.weights(master_.solution(), out); }
  void archive(StateArchive& state) override;

 private:
  void follow() override;

  std::vector<std::size_t> idle_;  // for each cut the iterations since it had mass
};

/// Franc, Sonnenburg: Optimized cutting plane algorithm for support vector machines, ICML 2008: the best weights move
/// towards the master's to the exact minimum on the line, and the next cut is made a part mu of the way from there to
/// the master's. No cut is ever taken away: the best weights keep a share of each.
class Ocas final : public CuttingPlanes {
 public:
  /// mu in (0, 1].
  Ocas(const FeatureMatrix& matrix, const CuttingPlaneSettings& settings, double mu);

  void weights(double* out) const override { cuts_.weights(best_, out); }
  void archive(StateArchive& state) override;

 private:
  void follow() override;

  double mu_;
  std::vector<double> best_{1.0};           // the best weights as a combination of cuts, b
  std::vector<double> best_products_{0.0};  // H b
  std::vector<double> best_margins_;
  HingeLineSearch search_;
};

}  // namespace svm
