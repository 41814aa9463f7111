#include "hinge_line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace svm {
namespace {

double median(double a, double b, double c) noexcept { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

}  // namespace

double HingeLineSearch::minimum(const double* from, const double* to, std::size_t n, double slope, double curvature) {
  // The derivative, slope + curvature k - (1/n) sum of (to - from)_i over the margins below 1, rises; where a margin passes 1,
  // in whichever direction, it jumps up.
  double at_from = 0.0;
  double at_to = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double change = to[i] - from[i];
    at_from -= from[i] < 1.0 ? change : 0.0;
    at_to -= to[i] < 1.0 ? change : 0.0;
  }
  const auto count = static_cast<double>(n);
  double low = 0.0;  // the minimum lies in [low, high], and `derivative` is that at low
  double high = 1.0;
  double derivative = slope + at_from / count;
  if (derivative >= 0.0) return 0.0;
  const double at_one = slope + curvature + at_to / count;
  const bool beyond = at_one < 0.0;
  if (beyond) {
    low = 1.0;
    high = std::numeric_limits<double>::infinity();
    derivative = at_one;
  }
  kinks_.resize(n);
  std::size_t size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double change = to[i] - from[i];
    const bool inside = (from[i] < 1.0) != (to[i] < 1.0);
    const bool later = to[i] < 1.0 ? change > 0.0 : change < 0.0;
    kinks_[size] = {(1.0 - from[i]) / change, std::abs(change) / count};
    size += static_cast<std::size_t>(beyond ? later : inside);
  }
  // As in quickselect: each round halves the kinks, about.
  above_.resize(std::max(above_.size(), size));
  while (size > 0) {
    const double pivot = median(kinks_[0].place, kinks_[size / 2].place, kinks_[size - 1].place);
    std::size_t lower = 0;
    std::size_t upper = 0;
    double jumps_below = 0.0;
    double jumps_at = 0.0;
    for (std::size_t p = 0; p < size; ++p) {  // no branches: they would be mispredicted
      const Kink kink = kinks_[p];
      const bool below = kink.place < pivot;
      const bool above = kink.place > pivot;
      kinks_[lower] = kink;
      above_[upper] = kink;
      lower += static_cast<std::size_t>(below);
      upper += static_cast<std::size_t>(above);
      jumps_below += below ? kink.jump : 0.0;
      jumps_at += below || above ? 0.0 : kink.jump;
    }
    const double before = derivative + curvature * (pivot - low) + jumps_below;
    if (before >= 0.0) {
      high = pivot;
      size = lower;
    } else if (before + jumps_at >= 0.0) {
      return pivot;
    } else {
      low = pivot;
      derivative = before + jumps_at;
      kinks_.swap(above_);
      size = upper;
    }
  }
  return curvature > 0.0 ? std::min(high, low - derivative / curvature) : low;
}

}  // namespace svm
