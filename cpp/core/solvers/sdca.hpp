// Stochastic dual coordinate ascent on kernels (Hsieh et al. 2008; Shalev-Shwartz, Zhang 2013): examples drawn
// uniformly with replacement, each alpha moved to its exact clipped maximum.
#pragma once

#include "random/random.hpp"
#include "solvers/dual_solver.hpp"

namespace svm {

struct SdcaSettings {
  double C = 1.0;
  Accounting accounting = Accounting::on_demand;
};

class Sdca final : public DualSolver {
 public:
  Sdca(RowSource& source, const SdcaSettings& settings, std::uint64_t seed);

  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  /// Whether no step would change an alpha.
  bool is_optimal() const noexcept;

  Accounting accounting_;
  Random random_;
  /// Steps since the last change. With kept responses they cost nothing, so a limit on costs would never be reached at an
  /// optimum: after n of them it is checked whether this is one.
  std::uint64_t unchanged_ = 0;
};

}  // namespace svm
