// Pegasos on kernels (Shalev-Shwartz, Singer, Srebro, Cotter 2011): stochastic subgradient steps on the lambda form.
#pragma once

#include "random/random.hpp"
#include "solvers/kernel_solver.hpp"

namespace svm {

struct PegasosSettings {
  double lambda = 1.0;
  bool project = false;  ///< onto ||w|| <= 1 / sqrt(lambda) after each step
  Accounting accounting = Accounting::on_demand;
};

class Pegasos final : public KernelSolver {
 public:
  Pegasos(RowSource& source, const PegasosSettings& settings, std::uint64_t seed);

  void coefficients(double* out) const override;
  bool responses(double* out) const override;
  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  // With eta = 1 / (lambda t) the recursion is t w_t = (t - 1) w_{t-1} + y x / lambda, so w_t = shrink() * sum beta_i
  // y_i x_i.
  double shrink() const noexcept;
  void project();

  PegasosSettings settings_;
  Random random_;
  double projected_ = 1.0;  // product of the projections' factors
  double norm2_ = 0.0;      // of sum beta_i y_i x_i
  std::vector<double> v_;   // y_j <sum beta_i y_i x_i, x_j>
  std::vector<double> beta_;
};

}  // namespace svm
