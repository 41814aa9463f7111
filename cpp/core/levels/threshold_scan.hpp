// A survey of one contiguous range of responses against a window around the expected water level: how many lie below,
// their sum, and the few that lie inside. One pass over memory, fused with the update of the responses.
#pragma once

#include <cstddef>
#include <vector>

#include "base/state.hpp"

namespace svm {

/// The closed interval [low, high] of levels that a survey resolves. Whole-range surveys use +-everything.
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
  /// Elements [begin, end) of the response array.
  ThresholdScan(std::size_t begin, std::size_t end);

  void scan(const double* v, Window window);
  /// v += a x on the range, then the survey of the result.
  void add_and_scan(double* v, const float* x, double a, Window window);
  /// v += a x + b z on the range, then the survey of the result.
  void add_and_scan(double* v, const float* x, double a, const float* z, double b, Window window);

  const Window& window() const noexcept { return window_; }
  std::size_t size() const noexcept { return end_ - begin_; }
  /// Number and sum of the elements below the window.
  std::size_t below() const noexcept { return below_; }
  double below_sum() const noexcept { return below_sum_; }
  /// Values inside the window, in order of index.
  const std::vector<double>& inside() const noexcept { return inside_; }
  /// Their indices.
  const std::vector<std::size_t>& inside_index() const noexcept { return inside_index_; }
  /// Elements covered at `level`, a level inside the window: those with v <= level.
  std::size_t covered(double level) const noexcept;
  /// Index of the k-th covered element, k < covered(level), in order of (below the window, inside it). Throws where fewer are
  /// covered, as by a level that is no number.
  std::size_t covered_index(const double* v, double level, std::size_t k) const;
  /// v: the responses that have been surveyed, or that go with the state.
  void archive(StateArchive& state, const double* v);

 private:
  void compact_inside(const double* v);

  std::size_t begin_;
  std::size_t end_;
  Window window_;
  std::vector<double> block_counts_;
  std::size_t below_ = 0;
  double below_sum_ = 0.0;
  std::vector<double> inside_;
  std::vector<std::size_t> inside_index_;
};

}  // namespace svm
