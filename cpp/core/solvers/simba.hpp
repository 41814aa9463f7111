// SVM-SIMBA (Hazan, Koren, Srebro: Beating SGD: Learning SVMs in sublinear time, NIPS 2011, Algorithm 1): a stochastic
// primal step on one row, a stochastic multiplicative step on one column.
#pragma once

#include <cstdint>
#include <vector>

#include "base/settings.hpp"
#include "levels/slack.hpp"
#include "linear/lazy_sum.hpp"
#include "random/random.hpp"
#include "random/sum_tree.hpp"
#include "solvers/linear_solver.hpp"

namespace svm {

struct SimbaSettings {
  double nu = 0.0;            ///< slack per example, 0 to 1
  bool bias = false;          ///< b in [-1, 1]
  std::uint64_t horizon = 0;  ///< T of the constant steps; 0: steps that shrink with t, for any number of iterations
  bool printed_rate = false;  ///< eta = sqrt(log n) / t, as section 6 prints it; else sqrt(log(n) / t)
  bool clip = true;           ///< line 10: estimates are limited to [-1/eta, 1/eta]

  auto fields() {
    return std::tuple(required("nu", nu), field("bias", bias), field("horizon", horizon),
                      field("printed_rate", printed_rate), field("clip", clip));
  }
};

/// The theory requires rows of norm at most 1. Longer rows are all divided by the largest norm R, and nu too; then w is
/// the same as in the given problem, and its bias is R times the one found, in [-R, R].
class Simba final : public FeatureSolver {
 public:
  Simba(const FeatureMatrix& matrix, const SimbaSettings& settings, std::uint64_t seed);

  /// Mean of all iterates w_t, and of b_t.
  void weights(double* out) const override;
  double bias() const override;
  /// The divisor of rows and nu: R, or 1.
  double divisor() const noexcept { return 1.0 / inverse_norm_; }
  /// The last iterate w_t (d).
  void last_weights(double* out) const;
  /// The distribution p over the examples (n).
  void distribution(double* out) const;
  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  void add_row(std::size_t i, double length);
  /// Factor of a weight: Definition 4.1 on an estimate (Algorithm 1, lines 10 and 11, which prints nu for the first
  /// eta).
  double factor(double estimate, double eta) const noexcept;
  void change(std::size_t i, double estimate, double eta);
  double best_bias() const;
  void reweight(double eta, double bias);
  void multiply(double eta, double bias);
  void keep_in_range();

  SimbaSettings settings_;
  double inverse_norm_;  // 1 / R, or 1
  double log_n_;
  Random random_;
  SumTree<Plain> q_;
  Slack slack_;
  std::size_t next_;
  SumTree<Squared> u_;  // w_t = shrink_ u_t
  double shrink_ = 1.0;
  LazySum sum_;  // of all w_t
  double biases_ = 0.0;
  std::vector<std::int32_t> changed_;  // indices of q that do not change like all others, and their new weights
  std::vector<double> weights_;
};

}  // namespace svm
