// Kernel functions and blocks of kernel values between two data matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/matrix.hpp"
#include "data/transpose.hpp"

namespace svm {

/// K(x, z) as a function of <x, z> and the squared norms.
struct KernelFunction {
  enum class Kind { gaussian, polynomial, linear };

  Kind kind = Kind::gaussian;
  double gamma =
      1.0;  ///< gaussian: exp(-gamma |x - z|^2), gamma = 1 / (2 sigma^2); polynomial: (gamma <x, z> + coef0)^degree
  double coef0 = 0.0;
  int degree = 1;

  bool operator==(const KernelFunction& other) const noexcept {
    return kind == other.kind && gamma == other.gamma && coef0 == other.coef0 && degree == other.degree;
  }
  /// The least bound on |K(x, z)| for points of squared norms up to `square`; infinite where float64 cannot hold it.
  double largest_value(double square) const noexcept;
  /// K(x, x) for a point of squared norm `square`.
  double self(double square) const noexcept;
  /// Turns inner products of one point with n others into kernel values, in place, in float32.
  void apply(float* products, float norm, const float* norms, std::size_t n) const;
};

/// One of the two sets of points of a block of kernel values: the matrix and its squared norms.
class Points {
 public:
  /// Throws InvalidArgument if the matrix is not as `checked` requires.
  explicit Points(const MatrixView& matrix);
  Points(const Points&) = delete;
  Points& operator=(const Points&) = delete;

  const MatrixView& matrix() const noexcept { return matrix_; }
  std::size_t size() const noexcept { return matrix_.rows; }
  const std::vector<float>& norms() const noexcept { return norms_; }
  /// Error of |x|^2 + |z|^2 - 2 <x, z> in float32: at most the sum of the values of x and z.
  const std::vector<float>& roundings() const noexcept { return roundings_; }
  float largest_rounding() const noexcept { return largest_rounding_; }
  /// The largest squared norm; infinite if a feature is not finite.
  double largest_square() const noexcept { return largest_square_; }
  /// 64-bit words of a packed row if the matrix is dense, all values are 0 or 1, and there are at most 1024 columns;
  /// otherwise 0.
  std::size_t words() const noexcept { return words_; }
  const std::uint64_t* bits(std::size_t row) const noexcept { return bits_.data() + row * words_; }

  /// Makes a copy of the matrix by columns, unless it is packed: then a kernel row is computed for many points at a time,
  /// and without the columns in which its point is 0.
  void keep_columns();
  /// Whether there is such a copy.
  bool has_columns() const noexcept { return columns().rows > 0; }
  /// The copy: the transposed matrix, d x n, stored in the same way.
  MatrixView columns() const noexcept { return columns_.view(); }

 private:
  MatrixView matrix_;
  std::vector<float> norms_;
  std::vector<float> roundings_;
  float largest_rounding_ = 0.0F;
  double largest_square_ = 0.0;
  std::size_t words_ = 0;
  std::vector<std::uint64_t> bits_;
  Transpose columns_;
};

/// Throws InvalidArgument unless gamma is finite and positive, coef0 finite, and degree from 1 to 100.
void require_parameters(const KernelFunction& kernel);
/// Throws InvalidArgument if the parameters are refused, or float32 might not hold the kernel values of points with |x|^2
/// up to `square`. Otherwise they are finite.
void require_range(const KernelFunction& kernel, double square);
/// Throws InvalidArgument if the kernel values of a training set, whose largest |x|^2 is `square`, might be 0 or subnormal
/// in float32 although the points are not 0.
void require_resolution(const KernelFunction& kernel, double square);

/// The functions below compute a Gaussian kernel's values in float32, and where that would lose too much, in float64
/// from the differences of coordinates. Which of them depends on x and z alone, and the values of the second way have
/// the same bits from each function. Values below 2^-126, the smallest normal number of float32, are 0.

/// Frees, at the end of its lifetime, the dense copies of sparse points that the functions below keep for the thread to
/// reuse: up to 72 bytes for each column.
class ScratchUser {
 public:
  ScratchUser() = default;
  ScratchUser(const ScratchUser&) = delete;
  ScratchUser& operator=(const ScratchUser&) = delete;
  ~ScratchUser();
};

/// tile[a * stride + b] = K(row first + a of x, row begin + b of z), for count_x x count_z values.
void kernel_tile(const KernelFunction& kernel, const Points& x, std::size_t first, std::size_t count_x, const Points& z,
                 std::size_t begin, std::size_t count_z, float* tile, std::size_t stride);

/// row[j] = K(row i of x, row j of x) for all j. For binary points: integer distances or inner products of packed
/// words, and a table of kernel values. For points stored by columns: reads only the columns in which point i is not 0; of
/// sparse points the values have the same bits as those of `kernel_tile`.
void kernel_row(const KernelFunction& kernel, const Points& x, std::size_t i, float* row);
/// out[k] = K(row i of x, row members[k] of x), for `count` members: the values of `kernel_row` up to rounding.
void kernel_values(const KernelFunction& kernel, const Points& x, std::size_t i, const std::uint32_t* members,
                   std::size_t count, float* out);

}  // namespace svm
