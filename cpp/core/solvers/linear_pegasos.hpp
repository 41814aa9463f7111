// Pegasos on explicit weights: the method of `Pegasos` with the linear kernel, at the cost of one row per iteration.
#pragma once

#include <vector>

#include "linear/scaled_vector.hpp"
#include "random/random.hpp"
#include "solvers/linear_solver.hpp"

namespace svm {

struct LinearPegasosSettings {
  double lambda = 1.0;
  bool project = false;  ///< onto ||w|| <= 1 / sqrt(lambda) after each step
};

template <typename Real>
class LinearPegasos final : public DirectLoop<LinearPegasos<Real>, FeatureSolver<>> {
 public:
  LinearPegasos(const FeatureMatrix& matrix, const LinearPegasosSettings& settings, std::uint64_t seed);

  void weights(double* out) const override { u_.copy(shrink(), out); }
  void archive(StateArchive& state) override;
  bool step() override;

 private:
  using Loop = DirectLoop<LinearPegasos<Real>, FeatureSolver<>>;
  using Loop::features_;

  // With eta = 1 / (lambda t) the recursion is t w_t = (t - 1) w_{t-1} + y x / lambda: so w_t = shrink() u_t with
  // u_t = u_{t-1} + y x.
  double shrink() const noexcept;
  void project();

  LinearPegasosSettings settings_;
  Random random_;
  // The examples of iteration t, t + 1, ..., drawn ahead so that their rows can be prefetched: that of iteration t is at
  // t modulo the size.
  std::vector<std::size_t> next_;
  ScaledVector<Real> u_;
};

}  // namespace svm
