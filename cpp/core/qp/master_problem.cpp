#include "qp/master_problem.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/swap_remove.hpp"

namespace svm {
namespace {

// Rounding errors of the bound; the tolerance of a solution is not less.
constexpr double rounding_of_bound = 1e-14;

}  // namespace

MasterProblem::MasterProblem(const MasterSettings& settings) : settings_(settings) {
  require(settings.precision > 0.0 && settings.precision < 1.0, "qp_precision must lie between 0 and 1");
  require(settings.idle >= 1, "idle_cuts must be a whole number >= 1");
  add(0.0, {0.0});
}

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
  qp_.solve(std::max(settings_.precision * gap, rounding_of_bound * bound_));
  bound_ = std::max(bound_, qp_.value());
}

void MasterProblem::archive(StateArchive& state) {
  state.part("qp", qp_);
  state.list("idle", idle_);
  state.check(idle_.size() == qp_.size(), "idle", " has not an element for each cut");
  state.number("bound", bound_);
}

}  // namespace svm
