// The kernel Perceptron (Rosenblatt 1958): a fresh random order each epoch; on y f(x) <= 0 add y K(x, .).
#pragma once

#include "solvers/kernel_solver.hpp"
#include "random/random.hpp"

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
  Random random_;
  std::vector<std::uint32_t> order_;
  std::size_t position_;
  std::size_t mistakes_this_epoch_ = 0;
  std::vector<double> mistakes_;
  std::vector<double> responses_;
};

}  // namespace svm
