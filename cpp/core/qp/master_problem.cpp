#include "qp/master_problem.hpp"

#include <algorithm>

#include "base/swap_remove.hpp"

namespace svm {
namespace {

// The tolerance of a solution: a part of the gap, but not less than the rounding errors of the bound.
constexpr double part_of_gap = 1e-3;
constexpr double rounding = 1e-14;

}  // namespace

void MasterProblem::add(double beta, const std::vector<double>& products) {
  qp_.add(beta, products);
  idle_.push_back(0);
}

void MasterProblem::remove(std::size_t j) {
  qp_.remove(j);
  swap_remove(idle_, j);
}

void MasterProblem::extend(const std::vector<double>& q) {
  qp_.extend(q);
  bound_ = 0.0;
}

void MasterProblem::solve(double gap) {
  qp_.solve(std::max(part_of_gap * gap, rounding * bound_));
  bound_ = std::max(bound_, qp_.value());
}

void MasterProblem::archive(StateArchive& state) {
  state.part("qp", qp_);
  state.list("idle", idle_);
  state.check(idle_.size() == qp_.size(), "idle", " has not an element for each cut");
  state.number("bound", bound_);
}

}  // namespace svm
