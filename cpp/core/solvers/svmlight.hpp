// SVMlight's decomposition of the dual (Joachims: Making large-scale SVM learning practical, 1999): a working set along the
// steepest feasible direction, its problem solved exactly, variables that stay at their bounds put aside for a while.
#pragma once

#include <cstdint>
#include <vector>

#include "qp/box_qp.hpp"
#include "solvers/dual_solver.hpp"

namespace svm {

struct SvmLightSettings {
  double C = 1.0;
  bool bias = false;
  double tolerance = 1e-3;       ///< stop when no KKT condition is violated by more; 0: never
  std::size_t working_set = 10;  ///< q, even: variables changed in an iteration
  std::uint64_t shrink_after =
      100;  ///< iterations that a variable must look optimal at its bound; 0: nothing is put aside
};

class SvmLight final : public DualSolver {
 public:
  static constexpr std::size_t largest_working_set = 50;

  SvmLight(RowSource& source, const SvmLightSettings& settings);

  /// From the free support vectors, or the middle of what the bounds allow.
  double bias() const override { return settings_.bias ? middle_ : 0.0; }
  /// Not while variables are put aside: theirs are not kept up to date.
  bool responses(double* out) const override;
  /// Variables that are not put aside.
  std::size_t active() const noexcept { return active_.size(); }
  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  /// Along this a signed alpha wants to move: y_i (1 - c_i), which is -y_i times the derivative of Joachims' objective.
  double value(std::size_t i) const noexcept { return rows_.label(i) * (1.0 - responses_[i]); }
  struct Candidate {
    double steepness;
    std::uint32_t variable;
  };
  void offer(std::vector<Candidate>& best, std::size_t most, double steepness, std::uint32_t variable) const;
  void select();
  bool optimise();
  void add_to_responses(std::size_t i, double amount);
  void shrink();
  /// All that is left is rounding, or within the tolerance: true where variables must first be brought back.
  bool bring_back();
  /// One support vector's part of the responses of the variables that were put aside.
  void recover();

  SvmLightSettings settings_;
  BoxQp qp_;
  Subset active_;
  std::vector<std::uint64_t> doubted_;  // the last iteration in which a variable did not look optimal at its bound
  std::vector<std::uint32_t> working_;
  std::vector<Candidate> rising_;   // the steepest, by how much
  std::vector<Candidate> falling_;  // with bias: those that want to fall
  double violation_ = 0.0;
  double middle_ = 0.0;  // between what may rise and what may fall; 0 without bias

  Subset aside_;                 // while they are being brought back
  std::size_t recovered_ = 0;  // examples whose part they have
};

}  // namespace svm
