#include "kernel_solver.hpp"

#include "simd.hpp"

namespace svm {

void add_row(double* v, const float* row, double amount, std::size_t positives, std::size_t n, bool positive) {
  const double sign = positive ? amount : -amount;
  simd::kernels().add(v, row, sign, positives);
  simd::kernels().add(v + positives, row + positives, -sign, n - positives);
}

void KernelSolver::archive(StateArchive& state) {
  Solver::archive(state);
  state.part("rows", rows_);
}

}  // namespace svm
