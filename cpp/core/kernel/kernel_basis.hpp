// A basis of kernel functions at arbitrary points, and the coordinates of the training points in its span.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "data/features.hpp"
#include "qp/cholesky.hpp"

namespace svm {

/// A point of the data's space, d values, that need not be a training point.
struct BasisPoint {
  std::vector<double> values;
  double square = 0.0;  ///< its squared norm

  void measure() noexcept;
};

/// The function sum over examples of y_i phi(x_i) - sum_j beta_j phi(b_j), with b_j the basis points.
struct Residual {
  const std::vector<std::uint32_t>& examples;
  std::vector<double> beta;
};

/// phi(b_1), phi(b_2), ... under a Gaussian kernel, so each has norm 1. With K_BB = R^T R the coordinates of phi(x_i)
/// in an orthonormal basis of the span are R^-T K_Bi: a new b appends a coordinate and changes none. A kernel value is
/// charged as an evaluation, an inner product, and the stored coordinates of a training point if one is read. Reading
/// the coordinates of a training point in the span is charged as size() accesses.
class KernelBasis {
 public:
  /// K(x, z) = exp(-gamma |x - z|^2), gamma > 0; at most `capacity` points.
  KernelBasis(double gamma, const FeatureMatrix& training, std::size_t capacity);

  std::size_t size() const noexcept { return points_.size(); }
  bool full() const noexcept { return size() == capacity_; }
  std::size_t dimension() const noexcept { return training_.dimension(); }
  std::size_t examples() const noexcept { return training_.size(); }
  double label(std::size_t i) const noexcept { return training_.label(i); }
  const BasisPoint& point(std::size_t j) const noexcept { return points_[j]; }
  Counters& counters() noexcept { return training_.counters(); }
  const Counters& counters() const noexcept { return training_.counters(); }

  /// A copy of training point i.
  BasisPoint training_point(std::size_t i) const;
  /// <r, phi(z)>.
  double value(const Residual& r, const BasisPoint& z);
  /// Writes the sum of the last call of `value` with each term times its point, d values, for the gradient. Not charged:
  /// the method reads an example once for both.
  void pull(const Residual& r, double* out) const noexcept;
  /// Appends z, or returns false if the squared distance of phi(z) from the span is below `least`.
  bool append(BasisPoint z, double least);
  /// <w, phi(x_i)> for w with these coordinates, size() values; charged.
  double product(std::size_t i, const double* w) noexcept;
  /// sum += y_i times the coordinates of phi(x_i), size() values. Not charged: the caller has read the coordinates for
  /// another purpose, and calls `charge_coordinates` when the method reads them again.
  void add_uncharged(std::size_t i, double* sum) const noexcept;
  /// Charges the reading of so many coordinates.
  void charge_coordinates(std::size_t count) noexcept;
  /// The sum over examples of y_i times the last coordinate of phi(x_i); charged as one access each.
  double last_sum(const std::vector<std::uint32_t>& examples) noexcept;
  /// The function with these coordinates as a combination of the phi(b_j): R^-1 w.
  std::vector<double> expansion(std::vector<double> w) const;
  /// The coordinates are not stored but recomputed: they are n x size() values.
  void archive(StateArchive& state);

 private:
  template <typename Example>
  void evaluate(std::size_t count, const Example& example, const BasisPoint& z);
  template <typename Product, typename Subtract>
  double exponent(double squares, const BasisPoint& z, const Product& product, const Subtract& subtract);
  double kernel(const BasisPoint& x, const BasisPoint& z);
  void charge_values(std::size_t count) noexcept;
  void compute_coordinates(const BasisPoint& z);

  double gamma_;
  std::size_t capacity_;
  CountedFeatures training_;
  std::vector<BasisPoint> points_;
  Cholesky factor_;
  AlignedVector<float> coordinates_;  // n rows of room for `capacity` values
  AlignedVector<float> last_;         // y_i times the last of them, n values side by side
  AlignedVector<double> values_;      // kernel values of examples with a point
  std::vector<double> difference_;    // of two points
  std::vector<double> terms_;         // of the last `value`: of the examples, then of the basis points
};

/// A point whose image lies near r: increases <r, phi(z)>^2, the squared distance to r that phi(z) can remove, from a
/// starting z, by the fixed-point iteration z <- sum of c_i K(x_i, z) x_i / sum of c_i K(x_i, z), r = sum of
/// c_i phi(x_i) (Schoelkopf, Mika et al. 1999). Its step has the direction of the gradient, so it is halved until the
/// value increases. Ends when a step gains less than a thousandth, or after `most` steps.
BasisPoint preimage(KernelBasis& basis, const Residual& r, BasisPoint z, std::size_t most = 20);

}  // namespace svm
