// A sum of rows, v. The weights of a method are a multiple of it that the method knows: so scaling them costs nothing, and
// adding a row as much as the row has stored coordinates.
#pragma once

#include <vector>

#include "features.hpp"
#include "simd.hpp"

namespace svm {

class WeightVector {
 public:
  explicit WeightVector(std::size_t dimension) : v_(dimension) {}

  /// <v, x>.
  double dot(const Slice& x) const noexcept {
    return x.indices == nullptr ? kernels_.dot(x.values, v_.data(), x.size)
                                : kernels_.sparse_dot(x.indices, x.values, x.size, v_.data());
  }
  /// v += amount x, given <v, x> and |x|^2.
  void add(const Slice& x, double amount, double dot, double squared_norm) noexcept;
  /// v *= factor, which takes O(d).
  void multiply(double factor) noexcept;
  double squared_norm() const noexcept { return squared_norm_; }
  /// scale v, d values.
  void copy(double scale, double* out) const noexcept;

 private:
  const simd::Kernels& kernels_ = simd::kernels();
  std::vector<double> v_;
  double squared_norm_ = 0.0;
};

}  // namespace svm
