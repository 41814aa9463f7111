// LASVM (Bordes, Ertekin, Weston, Bottou: Fast kernel classifiers with online and active learning, JMLR 6, 2005):
// sequential minimal optimisation over an expansion to which new examples are added and from which non-support vectors
// are removed.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/settings.hpp"
#include "kernel/expansion.hpp"
#include "random/epoch_order.hpp"
#include "solvers/kernel_solver.hpp"

namespace svm {

struct LasvmSettings {
  double C = 1.0;
  bool bias = false;
  double tolerance = 1e-3;   ///< tau
  std::uint64_t passes = 1;  ///< before finishing; 0: passes and finishing alternate until a pass changes nothing
  double delta_max = std::numeric_limits<double>::infinity();  ///< REPROCESS is repeated while delta is above it

  auto fields() {
    return std::tuple(required("C", C), field("bias", bias), field("tolerance", tolerance), field("passes", passes),
                      field("delta_max", delta_max));
  }
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
  double highest(std::size_t slot) const noexcept { return low_[slot] + settings_.C; }
  void seed_expansion(Random& random);
  void append(double gradient);
  /// PROCESS of the paper; returns false if nothing changed.
  bool process(std::size_t k);
  bool reprocess();
  void clear_outside();
  /// Appends the most violating pair of the examples outside the expansion. Returns false if no pair violates, or both
  /// are members already.
  bool append_outside();
  /// Raises alpha at `top` and lowers it at `bottom`. A row that is null is read from the expansion.
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
  std::vector<double> alpha_;      // signed, by slot
  std::vector<double> low_;        // the lower bound of alpha, by slot: 0 or -C
  std::vector<double> gradients_;  // g = y - f, by slot
  // With bias the most violating pair; without bias both are the member with the largest gain.
  std::size_t top_ = 0;
  std::size_t bottom_ = 0;
  double top_gradient_ = 0.0;  // 0 without bias, as the next
  double bottom_gradient_ = 0.0;
  double delta_ = 0.0;  // the largest violation
  bool finishing_ = false;
  bool reprocess_next_ = false;  // the next iteration is a REPROCESS without a new example
  bool changed_ = false;         // in this pass
  // With bias, of the examples seen since the last change: the positive one with the largest gradient and the negative
  // one with the smallest.
  Candidate outside_top_;
  Candidate outside_bottom_;
  std::uint64_t passes_ = 0;
};

}  // namespace svm
