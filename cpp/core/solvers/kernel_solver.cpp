#include "solvers/kernel_solver.hpp"

#include "simd/loops.hpp"

namespace svm {

void add_row(double* v, const float* row, double amount, std::size_t positives, std::size_t n, bool positive) {
  const double sign = positive ? amount : -amount;
  simd::loops().add(v, row, sign, positives);
  simd::loops().add(v + positives, row + positives, -sign, n - positives);
}

void KernelSolver::archive(StateArchive& state) {
  Solver::archive(state);
  state.part("rows", rows_);
}

}  // namespace svm
