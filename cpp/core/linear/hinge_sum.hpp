// The sum of the hinge losses of explicit weights over the training set; charged as one pass.
#pragma once

#include <algorithm>
#include <cstddef>

#include "data/features.hpp"
#include "linear/weight_vector.hpp"

namespace svm {

/// sum over i of max(0, 1 - y_i <scale v, x_i>).
template <typename Real>
double hinge_sum(CountedFeatures& features, const Weights<Real>& v, double scale) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    features.charge_inner_product();
    sum += std::max(0.0, 1.0 - scale * features.label(i) * v.dot(features.row(i)));
  }
  return sum;
}

}  // namespace svm
