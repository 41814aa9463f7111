// Sequential minimal optimisation (Platt 1998). Without bias the dual has no equality constraint and the smallest
// working set is one coordinate: the one whose exact clipped step gains most. With bias: pairs by second-order
// information (Fan, Chen, Lin 2005), as in LIBSVM.
#pragma once

#include "base/settings.hpp"
#include "solvers/dual_solver.hpp"

namespace svm {

struct SmoSettings {
  double C = 1.0;
  /// Stop when no KKT condition is violated by more; with bias: when the two largest violations add up to less (LIBSVM's
  /// eps). 0: never.
  double tolerance = 1e-3;

  auto fields() { return std::tuple(required("C", C), field("tolerance", tolerance)); }
};

class Smo final : public DualSolver {
 public:
  Smo(RowSource& source, const SmoSettings& settings);

  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  void update(const float* row, double amount, bool positive);

  double tolerance_;
  double violation_ = 0.0;
  std::size_t chosen_ = 0;
  double gain_ = 0.0;
};

class SmoWithBias final : public DualSolver {
 public:
  SmoWithBias(RowSource& source, const SmoSettings& settings);

  /// As in LIBSVM: the mean over the free support vectors, or the middle of the interval that the bounds allow.
  double bias() const override;
  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  void update(const float* first, double first_amount, const float* second, double second_amount);

  double tolerance_;
  double top_ = 0.0;     // largest value of an example that may rise: m(alpha)
  double bottom_ = 0.0;  // smallest value of an example that may fall: M(alpha)
  std::size_t chosen_ = 0;
};

}  // namespace svm
