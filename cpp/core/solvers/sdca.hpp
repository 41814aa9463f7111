// Stochastic dual coordinate ascent on kernels (Hsieh et al. 2008; Shalev-Shwartz, Zhang 2013): examples drawn
// uniformly with replacement, each alpha moved to its exact clipped maximum.
#pragma once

#include "base/settings.hpp"
#include "random/random.hpp"
#include "solvers/dual_solver.hpp"

namespace svm {

struct SdcaSettings {
  double C = 1.0;
  Accounting accounting = Accounting::on_demand;

  auto fields() { return std::tuple(required("C", C), field("accounting", accounting)); }
};

class Sdca final : public DualSolver {
 public:
  Sdca(RowSource& source, const SdcaSettings& settings, std::uint64_t seed)
      : DualSolver(source, settings.C), accounting_(settings.accounting), random_(seed, Purpose::sampling) {
    rows_.draw_at_random();
  }

  void archive(StateArchive& state) override {
    DualSolver::archive(state);
    state.part("random", random_);
    state.count("unchanged", unchanged_, size());
    rows_.check_support(state, alpha_);
  }

 protected:
  bool step() override {
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
    rows_.coefficient_changed(i, before, after);
    alpha_[i] = after;
    rows_.add(responses_.data(), i, after - before, accounting_);
    return true;
  }

 private:
  /// Whether no step would change an alpha.
  bool is_optimal() const noexcept {
    for (std::size_t i = 0; i < size(); ++i) {
      if (best_alpha(i) != alpha_[i]) return false;
    }
    return true;
  }

  Accounting accounting_;
  Random random_;
  /// Steps since the last change. With kept responses they cost nothing, so a limit on costs would never be reached at an
  /// optimum: after n of them it is checked whether this is one.
  std::uint64_t unchanged_ = 0;
};

}  // namespace svm
