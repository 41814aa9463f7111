// SVMlight's decomposition of the dual (Joachims: Making large-scale SVM learning practical, 1999): a working set along
// the steepest feasible direction, whose problem is solved exactly; variables that stay at their bounds are left out
// for a while (shrinking).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/settings.hpp"
#include "qp/box_qp.hpp"
#include "solvers/dual_solver.hpp"

namespace svm {

struct SvmLightSettings {
  double C = 1.0;
  bool bias = false;
  double tolerance = 1e-3;           ///< as in `SmoSettings`
  std::size_t working_set = 10;      ///< q, even: variables changed in an iteration
  std::uint64_t shrink_after = 100;  ///< iterations at its bound, clearly, after which a variable is left out; 0: never

  auto fields() {
    return std::tuple(required("C", C), field("bias", bias), field("tolerance", tolerance),
                      field("working_set", working_set), field("shrink_after", shrink_after));
  }
};

class SvmLight final : public DualSolver {
 public:
  static constexpr std::size_t largest_working_set = 50;

  SvmLight(RowSource& source, const SvmLightSettings& settings);

  /// The mean over the free support vectors, or the middle of the interval that the bounds allow.
  double bias() const override { return settings_.bias ? middle_ : 0.0; }
  /// False while variables are left out: their responses are not up to date.
  bool responses(double* out) const override;
  /// Number of variables that are not left out.
  std::size_t active() const noexcept { return active_.size(); }
  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  struct Candidate {
    double steepness;
    std::uint32_t variable;
  };
  static constexpr double none = -std::numeric_limits<double>::max();
  struct Steepest {
    std::vector<Candidate>& candidates;  // falling
    std::size_t capacity;
    double bar = none;  // a candidate that is steeper belongs to them
  };
  static void offer(Steepest& steepest, double steepness, std::uint32_t variable);
  void select();
  bool optimise();
  void add_to_responses(std::size_t i, double amount);
  void shrink();
  /// Called when the active variables are optimal. Returns true if left-out variables must be brought back first.
  bool bring_back();
  /// Adds one support vector's part to the responses of the variables that were left out.
  void recover();

  SvmLightSettings settings_;
  BoxQp qp_;
  Subset active_;
  std::vector<std::uint64_t> doubted_;  // the last iteration in which a variable was not clearly optimal at its bound
  std::vector<std::uint32_t> working_;
  std::vector<Candidate> rising_;  // scratch memory of select()
  std::vector<Candidate> falling_;
  double violation_ = 0.0;
  double middle_ = 0.0;  // the bias; 0 without bias

  Subset aside_;               // the variables that are being brought back
  std::size_t recovered_ = 0;  // examples whose parts have been added
};

}  // namespace svm
