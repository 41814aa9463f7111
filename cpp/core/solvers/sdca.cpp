#include "solvers/sdca.hpp"

namespace svm {

Sdca::Sdca(RowSource& source, const SdcaSettings& settings, std::uint64_t seed)
    : DualSolver(source, settings.C), accounting_(settings.accounting), random_(seed, Purpose::sampling) {
  rows_.draw_at_random();
}

bool Sdca::step() {
  if (unchanged_ == size()) {
    unchanged_ = 0;
    if (is_optimal()) return false;
  }
  Counters& counters = rows_.counters();
  const std::size_t i = random_.below(size());
  if (accounting_ == Accounting::on_demand) rows_.charge_response();
  ++counters.iterations;
  ++counters.presentations;
  const double before = alpha_[i];
  const double after = best_alpha(i);
  if (after == before) {
    if (accounting_ == Accounting::kept) ++unchanged_;
    return true;
  }
  unchanged_ = 0;
  if (before == 0.0) rows_.enter_support(i);
  if (after == 0.0) rows_.leave_support(i);
  alpha_[i] = after;
  rows_.add(responses_.data(), i, after - before, accounting_);
  return true;
}

bool Sdca::is_optimal() const noexcept {
  for (std::size_t i = 0; i < size(); ++i) {
    if (best_alpha(i) != alpha_[i]) return false;
  }
  return true;
}

void Sdca::archive(StateArchive& state) {
  DualSolver::archive(state);
  state.part("random", random_);
  state.count("unchanged", unchanged_, size());
}

}  // namespace svm
