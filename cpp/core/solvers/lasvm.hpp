// LASVM (Bordes, Ertekin, Weston, Bottou: Fast kernel classifiers with online and active learning, JMLR 6, 2005): sequential
// minimal optimisation over an expansion that fresh examples append_evaluated and non-support vectors leave.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "random/epoch_order.hpp"
#include "kernel/expansion.hpp"
#include "solvers/kernel_solver.hpp"

namespace svm {

struct LasvmSettings {
  double C = 1.0;
  bool bias = false;
  double tolerance = 1e-3;   ///< tau
  std::uint64_t passes = 1;  ///< before finishing; 0: passes and finishing by turns until a pass changes nothing
  double delta_max = std::numeric_limits<double>::infinity();  ///< further REPROCESS while delta is above; none: once
};

class Lasvm final : public KernelSolver {
 public:
  /// Examples of each class that the expansion begins with, where there is a bias.
  static constexpr std::size_t seeds = 5;

  Lasvm(RowSource& source, const LasvmSettings& settings, std::uint64_t seed);

  void coefficients(double* out) const override;
  bool responses(double*) const override { return false; }
  double bias() const override;
  /// Members of the expansion, those with alpha = 0 included.
  std::size_t expansion() const noexcept { return expansion_.size(); }
  bool finishing() const noexcept { return finishing_; }
  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  bool positive(std::size_t slot) const noexcept { return expansion_.member(slot) < rows_.positives(); }
  double lowest(std::size_t slot) const noexcept { return positive(slot) ? 0.0 : -settings_.C; }
  double highest(std::size_t slot) const noexcept { return positive(slot) ? settings_.C : 0.0; }
  void seed_expansion(Random& random);
  void append(double gradient);
  /// False where nothing has changed.
  bool process(std::size_t k);
  bool reprocess();
  void clear_outside();
  /// The most violating pair of the examples seen in this pass is in the expansion then. False where no pair violates, or
  /// both are members already.
  bool append_outside();
  /// Raises alpha at `top`, and with bias lowers it at `bottom`; a row that is null is asked for.
  bool step_pair(std::size_t top, std::size_t bottom, const float* top_row, const float* bottom_row);
  bool step_single(std::size_t slot, const float* row);
  bool shift_alpha(std::size_t slot, double amount);
  void find_violating_pair();
  void drop_idle();

  struct Candidate {
    double gradient;
    std::size_t example;

    void archive(StateArchive& state, std::size_t n) {
      state.number("gradient", gradient);
      state.index("example", example, n);
    }
  };

  LasvmSettings settings_;
  Expansion expansion_;
  EpochOrder order_;
  std::vector<double> alpha_;   // signed, by slot
  std::vector<double> gradients_;  // g = y - f, by slot
  // With bias the ends of the most violating pair, without it both the member that gains most.
  std::size_t top_ = 0;
  std::size_t bottom_ = 0;
  double top_gradient_ = 0.0;
  double bottom_gradient_ = 0.0;
  double delta_ = 0.0;  // the largest violation
  bool finishing_ = false;
  bool reprocess_next_ = false;    // REPROCESS comes next, without a fresh example
  bool changed_ = false;  // in this pass
  // With bias, of the examples seen since the last change: a positive one that would rise first, a negative one that would fall.
  Candidate outside_top_;
  Candidate outside_bottom_;
  std::uint64_t passes_ = 0;
};

}  // namespace svm
