// The dual of the lambda form in LIBSVM's scaling: maximise sum_i alpha_i - |sum_i alpha_i y_i x_i|^2 / 2 over
// 0 <= alpha_i <= C, C = 1 / (lambda n). The base of SDCA, SMO and SVMlight.
#pragma once

#include "simd/loops.hpp"
#include "solvers/kernel_solver.hpp"

namespace svm {

class DualSolver : public KernelSolver {
 public:
  DualSolver(RowSource& source, double C);

  void coefficients(double* out) const override;
  bool responses(double* out) const override;
  void archive(StateArchive& state) override;

 protected:
  /// alpha_i at the exact maximum of the dual along coordinate i, clipped to the box.
  double best_alpha(std::size_t i) const noexcept;
  /// The coordinates of one class, for the inner loops.
  simd::DualRange range(bool positive) noexcept;

  double C_;
  std::vector<double> alpha_;
  std::vector<double> responses_;  // c_j = y_j <w, x_j>
};

}  // namespace svm
