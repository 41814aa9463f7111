// A solver whose predictor is f(x) = <w, x> + bias, with w explicit.
#pragma once

#include <limits>

#include "data/features.hpp"
#include "solvers/solver.hpp"

namespace svm {

class LinearSolver : public Solver {
 public:
  virtual std::size_t dimension() const noexcept = 0;
  /// Weights of the present predictor (d, float64).
  virtual void weights(double* out) const = 0;
  virtual double bias() const { return 0.0; }
  /// A lower bound on the optimum of the lambda form, or NaN if the method does not compute one.
  virtual double lower_bound() const { return std::numeric_limits<double>::quiet_NaN(); }
};

/// A linear solver on rows of features.
class FeatureSolver : public LinearSolver {
 public:
  using Source = const FeatureMatrix;

  explicit FeatureSolver(const FeatureMatrix& matrix) : features_(matrix) {}

  const Counters& counters() const noexcept override { return features_.counters(); }
  std::size_t size() const noexcept { return features_.size(); }
  std::size_t dimension() const noexcept override { return features_.dimension(); }
  void archive(StateArchive& state) override {
    Solver::archive(state);
    state.part("features", features_);
  }

 protected:
  CountedFeatures features_;
};

}  // namespace svm
