// Dense rows of features of 16 bits a value, for solvers that read nothing but rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/half.hpp"

namespace svm {

/// A row of a `HalfMatrix`.
template <typename Value>
struct HalfRow {
  const Value* values = nullptr;
  std::size_t size = 0;
};

/// n points of d features; `Value` is BFloat16 or Float16. Points are ordered by class: the first `positives` have label
/// +1. The caller keeps the values alive.
template <typename Value>
class HalfMatrix {
 public:
  using Row = HalfRow<Value>;

  /// values: n x d, row-major. Throws InvalidArgument if one is not finite.
  HalfMatrix(const Value* values, std::size_t size, std::size_t dimension, std::size_t positives)
      : values_(values), dimension_(dimension), positives_(positives), squared_norms_(size) {
    require(size > 0 && dimension > 0, "features need at least one row and one column");
    require(positives <= size, std::to_string(positives) + " of " + std::to_string(size) + " are positive");
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k < dimension; ++k) {
        require(is_finite(row(i).values[k]), "feature " + std::to_string(k) + " of point " + std::to_string(i) +
                                                 " is not finite: it is too large for 16 bits");
        const auto value = static_cast<double>(widened(row(i).values[k]));
        squared_norms_[i] += value * value;
      }
    }
  }

  std::size_t size() const noexcept { return squared_norms_.size(); }
  std::size_t dimension() const noexcept { return dimension_; }
  std::size_t positives() const noexcept { return positives_; }
  std::size_t stored() const noexcept { return size() * dimension_; }
  Row row(std::size_t i) const noexcept { return {values_ + i * dimension_, dimension_}; }
  /// |x_i|^2 of the rounded features.
  double squared_norm(std::size_t i) const noexcept { return squared_norms_[i]; }

 private:
  const Value* values_;
  std::size_t dimension_;
  std::size_t positives_;
  std::vector<double> squared_norms_;
};

}  // namespace svm
