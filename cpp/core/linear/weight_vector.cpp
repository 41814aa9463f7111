#include "linear/weight_vector.hpp"

#include <algorithm>

namespace svm {

template <typename Real>
void Weights<Real>::multiply(double factor) noexcept {
  for (Real& value : v_) value = static_cast<Real>(factor * static_cast<double>(value));
  squared_norm_ *= factor * factor;
}

template <typename Real>
void Weights<Real>::clear() noexcept {
  std::fill(v_.begin(), v_.end(), Real{0});
  squared_norm_ = 0.0;
}

template <typename Real>
void Weights<Real>::refresh_norm() noexcept {
  squared_norm_ = 0.0;
  for (const Real value : v_) squared_norm_ += static_cast<double>(value) * static_cast<double>(value);
}

template <typename Real>
void Weights<Real>::copy(double scale, double* out) const noexcept {
  for (std::size_t j = 0; j < v_.size(); ++j) out[j] = scale * static_cast<double>(v_[j]);
}

template class Weights<double>;
template class Weights<float>;

}  // namespace svm
