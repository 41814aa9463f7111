// Dual coordinate descent for the linear SVM (Hsieh, Chang, Lin, Keerthi, Sundararajan 2008, Algorithms 1 and 3).
#pragma once

#include <vector>

#include "base/settings.hpp"
#include "linear/weight_vector.hpp"
#include "random/random.hpp"
#include "solvers/linear_solver.hpp"

namespace svm {

struct DcdSettings {
  double C = 1.0;
  double eps = 1e-3;        ///< stops when (P - D) / D <= eps
  bool shrinking = true;    ///< leaves out coordinates that seem to stay at their bounds (section 3.2)
  bool permutation = true;  ///< a fresh order in each pass, or always the same

  auto fields() {
    return std::tuple(required("C", C), required("eps", eps), field("shrinking", shrinking),
                      field("permutation", permutation));
  }
};

class Dcd final : public DirectLoop<Dcd, FeatureSolver> {
 public:
  Dcd(const FeatureMatrix& matrix, const DcdSettings& settings, std::uint64_t seed);

  void weights(double* out) const override { w_.copy(1.0, out); }
  /// The dual objective, in units of the lambda form.
  double lower_bound() const override { return dual() / scale_; }
  /// Dual variables, in [0, C] (n).
  const std::vector<double>& alpha() const noexcept { return alpha_; }
  void archive(StateArchive& state) override;
  bool step() override;

 private:
  double dual() const noexcept { return sum_alpha_ - 0.5 * w_.squared_norm(); }
  void end_pass();
  bool close_enough();
  void activate_all();

  DcdSettings settings_;
  double scale_;  // C n: the objectives of the C form are this many times those of the lambda form
  Random random_;
  WeightVector w_;
  std::vector<double> alpha_;
  double sum_alpha_ = 0.0;

  std::vector<std::uint32_t> active_;
  std::size_t position_ = 0;  // of the next coordinate in `active_`
  std::size_t kept_ = 0;      // number of coordinates of this pass that stay in `active_`
  // Largest and smallest projected gradient of this pass, and the limits that the last pass set.
  double largest_;
  double smallest_;
  double shrink_above_;
  double shrink_below_;
  // P - D is the sum of C max(0, 1 - m_i) - alpha_i (1 - m_i) over all i, m_i = y_i <w, x_i>. The terms are not
  // negative, and 0 for coordinates that are left out rightly. Their sum during a pass is an estimate that decides
  // whether to compute P.
  double gap_seen_ = 0.0;
  double check_below_;       // P is computed if the estimate, relative to D, is at most this
  bool whole_ = true;        // this pass began with all coordinates
  double gap_of_all_ = 0.0;  // the estimate of the last such pass
};

}  // namespace svm
