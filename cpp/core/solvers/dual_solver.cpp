#include "solvers/dual_solver.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace svm {

DualSolver::DualSolver(RowSource& source, double C)
    : KernelSolver(source), C_(C), alpha_(source.size()), responses_(source.size()) {
  require_positive(C, "C");
}

double DualSolver::best_alpha(std::size_t i) const noexcept {
  const double gradient = 1.0 - responses_[i];
  const double diagonal = rows_.diagonal(i);
  if (diagonal <= 0.0) return gradient > 0.0 ? C_ : 0.0;
  return std::clamp(alpha_[i] + gradient / diagonal, 0.0, C_);
}

simd::DualRange DualSolver::range(bool positive) noexcept {
  const std::size_t first = positive ? 0 : rows_.positives();
  const float* diagonals = rows_.diagonals();
  return {responses_.data() + first, alpha_.data() + first, diagonals == nullptr ? nullptr : diagonals + first,
          (positive ? rows_.positives() : size()) - first, C_};
}

void DualSolver::archive(StateArchive& state) {
  KernelSolver::archive(state);
  state.values("alpha", alpha_);
  state.values("responses", responses_);
}

void DualSolver::coefficients(double* out) const {
  for (std::size_t i = 0; i < size(); ++i) out[i] = rows_.label(i) * alpha_[i];
}

bool DualSolver::responses(double* out) const {
  std::copy(responses_.begin(), responses_.end(), out);
  return true;
}

}  // namespace svm
