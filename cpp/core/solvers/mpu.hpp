// The margin perceptron with unlearning, on explicit weights: ascent of the dual in steps of one length.
#pragma once

#include <vector>

#include "linear/weight_vector.hpp"
#include "random/epoch_order.hpp"
#include "solvers/linear_solver.hpp"

namespace svm {

struct MpuSettings {
  double lambda = 1.0;
  double eps = 0.01;  ///< the relative gap (J - L) / L at which it stops
};

/// alpha_k = c_k C / q with whole numbers 0 <= c_k <= q, and w = (C / q) sum c_k y_k x_k. Let s = C / q: an example
/// with y <w, x> < 1 - s |x|^2 / 2 is learnt, c_k + 1, and one with y <w, x> > 1 + s |x|^2 / 2 is unlearnt, c_k - 1.
/// Each such change raises the dual. Passes are in random order. q and all c_k are doubled after a pass in which no
/// example could have made a second step at once, or which did not raise the dual.
class Mpu final : public DirectLoop<Mpu, FeatureSolver<>> {
 public:
  Mpu(const FeatureMatrix& matrix, const MpuSettings& settings, std::uint64_t seed);

  void weights(double* out) const override { a_.copy(step_length_, out); }
  /// The dual.
  double lower_bound() const override;
  /// Dual variables (n), in the order of the examples.
  void alpha(double* out) const;
  /// q.
  std::uint64_t parts() const noexcept { return q_; }
  void archive(StateArchive& state) override;
  bool step() override;

 private:
  void end_pass();
  bool accurate();
  void refine();
  double regulariser() const noexcept;

  MpuSettings settings_;
  EpochOrder order_;
  Weights<double> a_;  // sum of c y x
  std::vector<std::uint64_t> c_;
  std::uint64_t q_ = 1;
  double step_length_;       // s = C / q
  std::uint64_t total_ = 0;  // sum of c
  double losses_ = 0.0;      // sum of the losses seen in this pass
  bool far_ = false;         // an example could have made a second step
  double reached_ = 0.0;     // the dual at the end of the last pass
  bool done_ = false;
};

}  // namespace svm
