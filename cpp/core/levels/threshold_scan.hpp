// One pass over a range of responses that compares each with a window around the expected water level: how many lie
// below it, their sum, and a list of those inside. The same pass can update the responses.
#pragma once

#include <cstddef>
#include <vector>

#include "base/state.hpp"
#include "simd/loops.hpp"

namespace svm {

/// The closed interval [low, high]. The default window contains every response.
struct Window {
  static constexpr double everything = 1e300;
  double low = -everything;
  double high = everything;

  void archive(StateArchive& state) {
    state.finite("low", low);
    state.finite("high", high);
    state.check(low <= high, "low", " is above the window's other end");
  }
};

class ThresholdScan {
 public:
  /// Scans elements [begin, end) of the response array.
  ThresholdScan(std::size_t begin, std::size_t end);

  void scan(const double* v, Window window);
  /// v += a x on the range, and scans the result.
  void add_and_scan(double* v, const float* x, double a, Window window);
  /// v += a x + b z on the range, and scans the result.
  void add_and_scan(double* v, const float* x, double a, const float* z, double b, Window window);

  /// The smallest element of the range in v, Window::everything if the range is empty.
  double lowest(const double* v) const noexcept;

  const Window& window() const noexcept { return window_; }
  std::size_t size() const noexcept { return end_ - begin_; }
  /// Number and sum of the elements below the window.
  std::size_t below() const noexcept { return below_; }
  double below_sum() const noexcept { return below_sum_; }
  /// Values inside the window, in order of index.
  const std::vector<double>& inside() const noexcept { return inside_; }
  /// Their indices.
  const std::vector<std::size_t>& inside_index() const noexcept { return inside_index_; }
  /// Number of elements with v <= level, for a level inside the window.
  std::size_t covered(double level) const noexcept;
  /// Index of the k-th element with v <= level, k < covered(level): first those below the window, then those inside.
  /// Throws InvalidArgument if there are fewer, which happens with NaN.
  std::size_t covered_index(double level, std::size_t k) const;
  /// v: the responses that were scanned, or that belong to the state.
  void archive(StateArchive& state, const double* v);

 private:
  void take(const simd::Scanned& scanned, const double* v);

  std::size_t begin_;
  std::size_t end_;
  Window window_;
  std::vector<simd::BlockScan> blocks_;
  std::size_t below_ = 0;
  double below_sum_ = 0.0;
  std::vector<double> inside_;
  std::vector<std::size_t> inside_index_;
};

}  // namespace svm
