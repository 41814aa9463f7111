#include "weight_vector.hpp"

#include <algorithm>

namespace svm {

void WeightVector::add(const Slice& x, double amount, double dot, double squared_norm) noexcept {
  squared_norm_ = std::max(squared_norm_ + amount * (2.0 * dot + amount * squared_norm), 0.0);
  if (x.indices == nullptr) {
    kernels_.add(v_.data(), x.values, amount, x.size);
  } else {
    kernels_.sparse_add(v_.data(), x.indices, x.values, x.size, amount);
  }
}

void WeightVector::multiply(double factor) noexcept {
  for (double& value : v_) value *= factor;
  squared_norm_ *= factor * factor;
}

void WeightVector::copy(double scale, double* out) const noexcept {
  for (std::size_t j = 0; j < v_.size(); ++j) out[j] = scale * v_[j];
}

}  // namespace svm
