// SVM-SIMBA (Hazan, Koren, Srebro: Beating SGD: Learning SVMs in sublinear time, NIPS 2011, Algorithm 1): a stochastic
// primal step on one row, a stochastic multiplicative step on one column.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/linear_solver.hpp"
#include "random/random.hpp"
#include "levels/slack.hpp"
#include "random/sum_tree.hpp"

namespace svm {

struct SimbaSettings {
  double nu = 0.0;            ///< slack per example, 0 to 1
  bool bias = false;          ///< b in [-1, 1]
  std::uint64_t horizon = 0;  ///< T of the constant steps; 0: steps that shrink with t, for any number of iterations
};

/// Rows longer than 1 are not what the theory is about: all are then divided by the largest norm, R, and nu with them, so
/// that the problem stays the one that was asked for: its w is the same, and its bias, R times the one found, in [-R, R].
class Simba final : public LinearSolver {
 public:
  Simba(const FeatureMatrix& matrix, const SimbaSettings& settings, std::uint64_t seed);

  /// Mean of all iterates w_t, and of b_t.
  void weights(double* out) const override;
  double bias() const override;
  /// What rows and nu were divided by: R, or 1.
  double divisor() const noexcept { return 1.0 / unit_; }
  /// The last iterate w_t (d).
  void last_weights(double* out) const;
  /// The distribution p over the examples (n).
  void distribution(double* out) const;
  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  void add_row(std::size_t i, double length);
  void change(std::size_t i, double estimate, double eta);
  double best_bias() const;
  void reweight(double eta, double bias);
  void multiply(double eta, double bias);
  void keep_in_range();

  SimbaSettings settings_;
  double unit_;  // 1 / R
  double log_n_;
  Random random_;
  SumTree<Plain> q_;
  Slack slack_;
  std::size_t next_;
  // w_t = shrink_ u_t. The sum of all iterates is shrinks_ u_t - late_: what a step adds to u is in all iterates but those
  // before it, and late_ has it as often as there were of them (weighted by shrink).
  SumTree<Squared> u_;
  double shrink_ = 1.0;
  double shrinks_ = 0.0;
  AlignedVector<double> late_;
  double biases_ = 0.0;
  std::vector<std::int32_t> changed_;  // places of q that do not change like all others, and their new weights
  std::vector<double> weights_;
};

}  // namespace svm
