// Stochastic gradient descent on the primal in the form of a perceptron with a margin that grows (Panagiotakopoulos,
// Tsampouka 2013). With steps 1 / (lambda t) and u_t = a_t / (lambda t): at each presentation a += y x if y <a, x> <=
// lambda t, then t += 1. No step scales the weights.
#pragma once

#include "linear/weight_vector.hpp"
#include "random/epoch_order.hpp"
#include "random/random.hpp"
#include "solvers/linear_solver.hpp"

namespace svm {

/// SGD-r: examples at random, with replacement.
class SgdRandom final : public DirectLoop<SgdRandom, FeatureSolver<>> {
 public:
  SgdRandom(const FeatureMatrix& matrix, double lambda, std::uint64_t seed);

  void weights(double* out) const override;
  void archive(StateArchive& state) override;
  bool step() override;

 private:
  double lambda_;
  Random random_;
  std::size_t next_;  // drawn one step ahead, so that its row can be prefetched
  WeightVector a_;
};

struct SgdSettings {
  double lambda = 1.0;
  double eps = 0.01;          ///< stops when (J - L) / L <= eps at the end of a pass
  double check_factor = 1.2;  ///< J is computed where the estimate of (J - L) / L is at most this many eps
  /// Presentations in a row of each example, by one inner product: in the first pass, the second, ..., and from the
  /// start
  std::vector<std::uint32_t> multiplicities{1};
};

/// SGD-s and SGD-m: complete passes, each in a fresh order, and a lower bound on the optimum at the end of each.
template <typename Real>
class SgdPasses final : public DirectLoop<SgdPasses<Real>, FeatureSolver<>> {
 public:
  SgdPasses(const FeatureMatrix& matrix, const SgdSettings& settings, std::uint64_t seed);

  void weights(double* out) const override;
  /// L = M / t - |a|^2 / (2 lambda t^2) at the end of the last pass, after M updates.
  double lower_bound() const override { return lower_bound_; }
  /// Updates by each example, c_k (n): at the end of a pass of T epochs, C c_k / T is feasible in the dual.
  const std::vector<std::uint32_t>& updates() const noexcept { return updates_; }
  /// Times that J was computed.
  std::uint64_t checks() const noexcept { return checks_; }
  void archive(StateArchive& state) override;
  bool step() override;

 private:
  using Loop = DirectLoop<SgdPasses<Real>, FeatureSolver<>>;
  using Loop::features_;

  void end_pass();

  SgdSettings settings_;
  EpochOrder order_;
  Weights<Real> a_;
  std::vector<std::uint32_t> updates_;
  std::uint64_t all_updates_ = 0;
  std::uint64_t passes_ = 0;
  std::uint32_t multiplicity_;
  double hinge_ = 0.0;  // sum of the losses seen in this pass
  double lower_bound_;
  std::uint64_t checks_ = 0;
  bool converged_ = false;
};

/// Updates in `multiplicity` presentations in a row of an example, at thresholds `threshold`, `threshold` + lambda,
/// ..., where its response y <a, x> is `response` before the first.
[[gnu::noinline]] std::uint64_t multiple_update(double threshold, double lambda, double response, double squared_norm,
                                                std::uint32_t multiplicity) noexcept;

}  // namespace svm
