#include "solvers/kernel_solver.hpp"

namespace svm {

void KernelSolver::archive(StateArchive& state) {
  Solver::archive(state);
  state.part("rows", rows_);
}

}  // namespace svm
