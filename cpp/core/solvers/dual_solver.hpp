// The dual of the lambda form in LIBSVM's scaling: maximise sum_i alpha_i - |sum_i alpha_i y_i x_i|^2 / 2 over
// 0 <= alpha_i <= C, C = 1 / (lambda n). The base of SDCA, SMO and SVMlight.
#pragma once

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "simd/loops.hpp"
#include "solvers/kernel_solver.hpp"

namespace svm {

class DualSolver : public KernelSolver {
 public:
  DualSolver(RowSource& source, double C)
      : KernelSolver(source), C_(require_setting(C, "C")), alpha_(source.size()), responses_(source.size()) {}

  void coefficients(double* out) const override {
    for (std::size_t i = 0; i < size(); ++i) out[i] = rows_.label(i) * alpha_[i];
  }
  bool responses(double* out) const override {
    std::copy(responses_.begin(), responses_.end(), out);
    return true;
  }
  void archive(StateArchive& state) override {
    KernelSolver::archive(state);
    state.values("alpha", alpha_);
    state.values("responses", responses_);
  }

 protected:
  /// alpha_i at the exact maximum of the dual along coordinate i, clipped to the box.
  double best_alpha(std::size_t i) const noexcept {
    const double gradient = 1.0 - responses_[i];
    const double diagonal = rows_.diagonal(i);
    if (diagonal <= 0.0) return gradient > 0.0 ? C_ : 0.0;
    return std::clamp(alpha_[i] + gradient / diagonal, 0.0, C_);
  }
  /// The coordinates of one class, for the inner loops.
  simd::DualRange range(bool positive) noexcept {
    const std::size_t first = positive ? 0 : rows_.positives();
    const float* diagonals = rows_.diagonals();
    return {responses_.data() + first, alpha_.data() + first, diagonals == nullptr ? nullptr : diagonals + first,
            (positive ? rows_.positives() : size()) - first, C_};
  }
  /// The derivative of the dual along the signed alpha, y_i (1 - c_i).
  double value(std::size_t i) const noexcept { return rows_.label(i) * (1.0 - responses_[i]); }

  double C_;
  std::vector<double> alpha_;
  std::vector<double> responses_;  // c_j = y_j <w, x_j>
};

}  // namespace svm
