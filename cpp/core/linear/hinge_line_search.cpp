#include "linear/hinge_line_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace svm {
namespace {

/// The k at which a margin passes 1, and the jump of the derivative there.
struct Kink {
  double place;
  double jump;
};

double median(double a, double b, double c) noexcept { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

}  // namespace

double hinge_line_minimum(const double* from, const double* to, std::size_t n, double slope, double curvature) {
  // The derivative, slope + curvature k - (1/n) sum of (to - from)_i over the margins below 1, rises with k and jumps
  // up where a margin passes 1 in either direction.
  constexpr std::size_t lanes = 4;  // independent sums, so that additions overlap
  double at_zero[lanes] = {};
  double at_one[lanes] = {};
  const auto add = [&](std::size_t i, std::size_t lane) {
    const double change = to[i] - from[i];
    at_zero[lane] += from[i] < 1.0 ? change : 0.0;
    at_one[lane] += from[i] + change < 1.0 ? change : 0.0;
  };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) add(i + lane, lane);
  }
  for (; i < n; ++i) add(i, 0);
  const auto count = static_cast<double>(n);
  const double first = slope - std::accumulate(at_zero, at_zero + lanes, 0.0) / count;
  const double second = slope + curvature - std::accumulate(at_one, at_one + lanes, 0.0) / count;
  if (first >= 0.0) return 0.0;
  // The minimum lies in [low, high]; `derivative` is the derivative at low.
  double low = second < 0.0 ? 1.0 : 0.0;
  double derivative = second < 0.0 ? second : first;
  double high = low - derivative / curvature;
  if (second >= 0.0) high = std::min(high, 1.0);

  std::vector<std::uint32_t> crossing(n);  // the margins that pass 1 between the bounds of the minimum
  std::size_t size = 0;
  for (i = 0; i < n; ++i) {
    const double change = to[i] - from[i];
    const bool crosses = (from[i] + low * change < 1.0) != (from[i] + high * change < 1.0);
    crossing[size] = static_cast<std::uint32_t>(i);
    size += static_cast<std::size_t>(crosses);
  }
  std::vector<Kink> kinks(size);
  std::vector<Kink> kinks_above(size);
  for (std::size_t p = 0; p < size; ++p) {
    const std::size_t j = crossing[p];
    const double change = to[j] - from[j];
    kinks[p] = {(1.0 - from[j]) / change, std::abs(change) / count};
  }
  // As in quickselect: each round leaves about half of the kinks.
  while (size > 0) {
    const double pivot = median(kinks[0].place, kinks[size / 2].place, kinks[size - 1].place);
    std::size_t lower = 0;
    std::size_t upper = 0;
    double jumps_below = 0.0;
    double jumps_at = 0.0;
    for (std::size_t p = 0; p < size; ++p) {  // no branches: they would be mispredicted
      const Kink kink = kinks[p];
      const bool below = kink.place < pivot;
      const bool above = kink.place > pivot;
      kinks[lower] = kink;
      kinks_above[upper] = kink;
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
      kinks.swap(kinks_above);
      size = upper;
    }
  }
  return std::min(high, low - derivative / curvature);
}

}  // namespace svm
