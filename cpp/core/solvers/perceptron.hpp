// The kernel Perceptron (Rosenblatt 1958): a fresh random order each epoch; on y f(x) <= 0 add y K(x, .).
#pragma once

#include "random/epoch_order.hpp"
#include "solvers/kernel_solver.hpp"

namespace svm {

class Perceptron final : public KernelSolver {
 public:
  Perceptron(RowSource& source, std::uint64_t seed);

  void coefficients(double* out) const override;
  bool responses(double* out) const override;
  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  EpochOrder order_;
  std::uint64_t mistakes_in_pass_ = 0;
  bool separated_ = false;  // the last pass had no mistake
  std::vector<double> mistakes_;
  std::vector<double> responses_;
};

}  // namespace svm
