// Water levels of a response vector: the slack-constrained objective and the points that its supergradient lives on.
//
// Without bias: gamma solves sum_i max(0, gamma - c_i) = volume (Cotter, Shalev-Shwartz, Srebro 2012, section 3.2).
// With bias: maximise (g+ + g-) / 2 subject to V+(g+) + V-(g-) = volume, one basin a class (section 3.6); at the optimum
// both basins cover the same number of points.
#pragma once

#include <cstddef>
#include <vector>

#include "levels/threshold_scan.hpp"

namespace svm {

/// Levels of the two classes' basins. Without bias both are the one level.
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

/// What two surveys say about the levels: exactly, or, where the levels lie outside the windows, a Newton step to them.
struct Solved {
  Levels levels;
  bool exact;
};

/// The level of one basin spread over both surveys, which have one window in common.
Solved one_basin(const ThresholdScan& positive, const ThresholdScan& negative, double volume);

/// The levels of two basins. The scratch vectors avoid allocation.
Solved two_basins(const ThresholdScan& positive, const ThresholdScan& negative, double volume, std::vector<double>& sorted_positive,
                  std::vector<double>& sorted_negative);

/// The levels of a whole response vector whose first `positives` elements are of the positive class.
Levels water_levels(const double* responses, std::size_t n, std::size_t positives, double volume, bool bias);

/// The same by sorting everything: slow, short, the reference that the tests hold the above against.
Levels water_levels_sorted(const double* responses, std::size_t n, std::size_t positives, double volume, bool bias);

/// Follows the levels of a response vector that changes a little at a time: each update is surveyed against a narrow
/// window around the last levels. A window that missed is moved by a Newton step and taken again; its width adapts so
/// that it is neither missed often nor full.
class LevelTracker {
 public:
  LevelTracker(std::size_t n, std::size_t positives, bool bias);

  /// The largest magnitude of a response, and the largest volume, that a level is found for.
  static constexpr double most = 1e150;

  /// Positive-class and negative-class surveys, to be taken with `positive_window` and `negative_window`.
  ThresholdScan positive;
  ThresholdScan negative;
  Window positive_window;
  Window negative_window;

  /// The levels after both surveys have been taken; surveys v again where the windows missed. Throws where there are none:
  /// a response is not a number, or too large.
  Levels solve(const double* v, double volume);
  /// Moves the windows along with responses that have been multiplied by `factor`; the surveys are to be taken again.
  void rescale(double factor);
  /// v: the responses that have been surveyed, or that go with the state.
  void archive(StateArchive& state, const double* v);

 private:
  Solved solve_within(double volume);
  void centre(const Levels& levels);

  bool bias_;
  double width_ = Window::everything;
  Levels last_;
  std::vector<double> sorted_positive_;
  std::vector<double> sorted_negative_;
};

}  // namespace svm
