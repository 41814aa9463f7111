// Dual coordinate descent for the linear SVM on dense features (Hsieh, Chang, Lin, Keerthi, Sundararajan 2008), without
// bias, to a relative duality gap.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "matrix.hpp"

namespace svm {

struct LinearSolution {
  std::vector<double> weights;  ///< d
  double primal = 0.0;          ///< |w|^2 / 2 + C sum of hinge losses
  double dual = 0.0;
  std::uint64_t epochs = 0;
  bool converged = false;  ///< relative gap reached within max_epochs
};

/// features: dense n x d; the first `positives` rows are of class +1. `interrupted` is asked after each epoch.
LinearSolution linear_dcd(const MatrixView& features, std::size_t positives, double C, double relative_gap,
                          std::uint64_t max_epochs, std::uint64_t seed, const std::function<bool()>& interrupted);

}  // namespace svm
