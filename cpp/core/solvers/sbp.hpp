// The Stochastic Batch Perceptron (Cotter, Shalev-Shwartz, Srebro 2012, Algorithm 1), without and with an unregularised
// bias (section 3.6).
#pragma once

#include "base/settings.hpp"
#include "levels/water_level.hpp"
#include "linear/lazy_sum.hpp"
#include "random/random.hpp"
#include "solvers/kernel_solver.hpp"

namespace svm {

struct SbpSettings {
  double nu = 0.0;    ///< slack volume per example, >= 0
  bool bias = false;  ///< one basin a class
  bool pairs = true;  ///< with bias: draw one point of each class per iteration (else a single point)
  double eta = 0.0;   ///< step scale eta_0; 0 stands for 1 / sqrt(max_i K(x_i, x_i))

  auto fields() {
    return std::tuple(required("nu", nu), field("bias", bias), field("pairs", pairs), field("eta", eta));
  }
};

class Sbp final : public KernelSolver {
 public:
  Sbp(RowSource& source, const SbpSettings& settings, std::uint64_t seed);

  /// Coefficients of the average iterate, not divided by its water level.
  void coefficients(double* out) const override;
  /// The average iterate's responses are not kept: keeping them would cost as much as the iteration.
  bool responses(double*) const override { return false; }
  std::optional<SlackVolume> slack_volume() const override { return SlackVolume{volume_, settings_.bias}; }
  /// Water level at which the last example was drawn, of the iterate before the last step.
  double level() const noexcept { return level_; }
  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  struct Draw {
    std::size_t index;
    double amount;  // added to alpha
  };
  void apply(const Draw* draws, std::size_t count);
  void renormalise();

  SbpSettings settings_;
  Random random_;
  LevelTracker tracker_;
  Levels levels_;
  double volume_;
  double level_ = 0.0;
  // alpha = scale_ * beta_, responses = scale_ * v_: projections cost one multiplication.
  double scale_ = 1.0;
  double norm2_ = 0.0;
  std::vector<double> v_;
  std::vector<double> beta_;
  LazySum sum_;                  // of alpha over the iterations since beta_ was multiplied by the scale
  std::vector<double> settled_;  // over those before
};

}  // namespace svm
