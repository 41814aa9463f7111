// Cutting-plane methods for the lambda form, lambda/2 |w|^2 + mean hinge loss: a master problem with the cuts found so
// far, and a new cut at a point of the method's choice.
#pragma once

#include <cstdint>
#include <vector>

#include "base/settings.hpp"
#include "linear/cuts.hpp"
#include "linear/hinge_line_search.hpp"
#include "qp/master_problem.hpp"
#include "solvers/linear_solver.hpp"

namespace svm {

struct CuttingPlaneSettings {
  double lambda = 1.0;
  double eps = 0.01;     ///< ends when J - L <= eps L, with J the objective and L the largest master value so far
  bool relative = true;  ///< false: when J - L <= eps
  MasterSettings master = {};

  auto fields() {
    return std::tuple(required("lambda", lambda), required("eps", eps), field("relative", relative),
                      field("qp_precision", master.precision), field("idle_cuts", master.idle));
  }
};

/// The loop of the methods: add a cut, solve the master problem, let the method choose its weights and the next point.
/// In the master's dual H_jk = lambda <p_j, p_k>, and w = sum_j gamma_j p_j.
class CuttingPlanes : public FeatureSolver {
 public:
  CuttingPlanes(const FeatureMatrix& matrix, const CuttingPlaneSettings& settings);

  double lower_bound() const final { return master_.lower_bound(); }
  void archive(StateArchive& state) override;

 protected:
  /// Adds one cut; n presentations.
  bool step() final;
  /// Called after the master problem has been solved; sets `objective_` and `point_`.
  virtual void update_weights() = 0;

  Cuts cuts_;
  MasterProblem master_;
  std::vector<double> point_;  // margins at the point of the next cut
  double objective_ = 1.0;     // of the method's weights, 0 at the beginning

 private:
  CuttingPlaneSettings settings_;
};

/// Joachims: Training linear SVMs in linear time, KDD 2006, without bias. The method's weights are the master's, and
/// the next cut is made there, so J - L is the violation of the next cut.
class SvmPerf final : public CuttingPlanes {
 public:
  using CuttingPlanes::CuttingPlanes;

  void weights(double* out) const override { cuts_.weights(master_.solution(), out); }

 private:
  void update_weights() override;
};

struct OcasSettings {
  double lambda = 1.0;
  double eps = 0.01;  ///< as in `CuttingPlaneSettings`, relative
  double mu = 0.1;    ///< in (0, 1]

  auto fields() { return std::tuple(required("lambda", lambda), required("eps", eps), required("mu", mu)); }
};

/// Franc, Sonnenburg: Optimized cutting plane algorithm for support vector machines, ICML 2008: the best weights move
/// towards the master's to the exact minimum on the line; the next cut is made a part mu of the way from there to the
/// master's. No cut is dropped: the best weights are a combination of all of them.
class Ocas final : public CuttingPlanes {
 public:
  Ocas(const FeatureMatrix& matrix, const OcasSettings& settings);

  void weights(double* out) const override { cuts_.weights(best_, out); }
  void archive(StateArchive& state) override;

 private:
  void update_weights() override;

  double mu_;
  std::vector<double> best_{1.0};           // the best weights as a combination of cuts, b
  std::vector<double> best_products_{0.0};  // H b
  std::vector<double> margins_;             // of the master's weights
  std::vector<double> best_margins_;
};

}  // namespace svm
