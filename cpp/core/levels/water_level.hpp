// Water levels of a response vector: the value of the slack-constrained objective, and the examples with a share in its
// supergradient.
//
// Without bias: gamma solves sum_i max(0, gamma - c_i) = volume (Cotter, Shalev-Shwartz, Srebro 2012, section 3.2).
// With bias: maximise (g+ + g-) / 2 subject to V+(g+) + V-(g-) = volume, one basin a class (section 3.6); at the
// optimum both basins cover the same number of points.
#pragma once

#include <cstddef>
#include <vector>

#include "levels/threshold_scan.hpp"

namespace svm {

/// Levels of the two classes' basins. Without bias both are the same.
struct Levels {
  double positive = 0.0;
  double negative = 0.0;

  double level() const noexcept { return 0.5 * (positive + negative); }
  double bias() const noexcept { return 0.5 * (negative - positive); }
  void archive(StateArchive& state) {
    state.finite("positive", positive);
    state.finite("negative", negative);
  }
};

/// What is drawn from one class with bias: both basins cover `count` responses, the smallest ones. Where responses are
/// equal to the level, fewer than all of them may be covered. A supergradient has p = q for all below the level and
/// 0 <= p <= q at it (section 3.2), with the same q in both classes: so the equal ones share what is left.
struct Basin {
  double last = 0.0;      ///< the largest of the `count` responses
  std::size_t count = 0;  ///< the same in both classes
  std::size_t lower = 0;  ///< responses below `last`
  std::size_t ties = 0;   ///< responses equal to `last`, of which count - lower are covered

  /// A draw has that many results, all equally likely.
  std::uint64_t results() const noexcept { return count * (cut() ? ties : 1); }
  /// The index that belongs to one of them. scan: the scan from which the basin was found.
  std::size_t index(const ThresholdScan& scan, std::uint64_t result) const;

 private:
  bool cut() const noexcept { return count < lower + ties; }
};

/// The levels that follow from two scans. Not exact: the levels lie outside the windows, and these are a Newton step
/// towards them. The basins are known with bias, if the levels are exact.
struct Solved {
  Levels levels;
  bool exact;
  Basin positive = {};
  Basin negative = {};
};

/// The levels of a whole response vector whose first `positives` elements are of the positive class.
Levels water_levels(const double* responses, std::size_t n, std::size_t positives, double volume, bool bias);

/// The same by sorting: slow and short, the reference for tests.
Levels water_levels_sorted(const double* responses, std::size_t n, std::size_t positives, double volume, bool bias);

/// Tracks the levels of a response vector that changes a little at a time. Each update scans against a narrow window
/// around the last levels. If the levels lie outside, the window is moved and the responses are scanned again: by a
/// Newton step, or to the lowest responses where few lie below. The width adapts, so that about `wanted_inside_`
/// responses lie inside: a level outside costs another pass, which takes time in proportion to n, and a response inside
/// costs time to list, with bias also to sort.
class LevelTracker {
 public:
  LevelTracker(std::size_t n, std::size_t positives, bool bias);

  /// The largest magnitude of a response, and the largest volume, that a level is found for.
  static constexpr double most = 1e150;

  /// The last scans of the two classes.
  ThresholdScan positive;
  ThresholdScan negative;

  /// Scans the responses v. Call this first, and after each change of v but those of the next three functions.
  void scan(const double* v);
  /// v += a x on the positive class and v -= a x on the negative one, and scans the result.
  void add_and_scan(double* v, const float* x, double a);
  /// v += a x + b z on the positive class and v -= a x + b z on the negative one, and scans the result.
  void add_and_scan(double* v, const float* x, double a, const float* z, double b);
  /// Call this after the responses v have been multiplied by `factor`: scans them with windows moved likewise.
  void rescale(const double* v, double factor);

  /// The levels, and the basins to draw from, which are valid until the next scan; scans v again if the levels lie
  /// outside the windows. Throws InvalidArgument if a response is NaN or too large.
  Solved solve(const double* v, double volume);
  /// v: the responses that were scanned, or that belong to the state.
  void archive(StateArchive& state, const double* v);

 private:
  Solved solve_within(double volume);
  void centre(const Levels& levels, double width);
  void lowest_windows(const double* v, double volume, double width);

  bool bias_;
  std::size_t wanted_inside_;
  Window positive_window_;
  Window negative_window_;
  double width_ = Window::everything;
  Levels last_;
  std::vector<double> sorted_positive_;
  std::vector<double> sorted_negative_;
};

}  // namespace svm
