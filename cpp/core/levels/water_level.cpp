#include "levels/water_level.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace svm {
namespace {

constexpr int most_attempts = 20;  // from the ninth on the windows are the whole range
constexpr std::size_t few = 64;    // with fewer responses below the windows the levels are near the lowest responses

// Number and sum of the values below a level, which a Newton step needs.
struct Covered {
  double count = 0.0;
  double sum = 0.0;

  void add(const std::vector<double>& values, double level) noexcept {
    for (const double x : values) {
      if (x < level) {
        count += 1.0;
        sum += x;
      }
    }
  }
};

double smallest(const std::vector<double>& values) noexcept {
  return values.empty() ? Window::everything : *std::min_element(values.begin(), values.end());
}

// The level of one basin for both classes; the two scans have the same window.
Solved one_basin(const ThresholdScan& positive, const ThresholdScan& negative, double volume) {
  const Window window = positive.window();
  const double below = static_cast<double>(positive.below() + negative.below());
  const double below_sum = positive.below_sum() + negative.below_sum();
  const double lowest = std::min(smallest(positive.inside()), smallest(negative.inside()));
  if (volume <= 0.0) {
    if (below > 0.0) return {{below_sum / below, below_sum / below}, false};
    return {{lowest, lowest}, lowest < Window::everything};
  }
  // Newton's method on the volume, a convex and piecewise linear function of the level, from the top of the window:
  // tangents lie below the function, so the level falls until the set of covered values repeats.
  Covered covered{below, below_sum};
  covered.add(positive.inside(), Window::everything);
  covered.add(negative.inside(), Window::everything);
  if (covered.count == 0.0) return {{window.high, window.high}, false};
  double level = (volume + covered.sum) / covered.count;
  for (;;) {
    Covered fewer{below, below_sum};
    fewer.add(positive.inside(), level);
    fewer.add(negative.inside(), level);
    if (fewer.count >= covered.count || fewer.count == 0.0) break;
    covered = fewer;
    level = (volume + covered.sum) / covered.count;
  }
  if (below == 0.0)
    level = std::max(level, lowest);  // with a tiny volume rounding may give less than the lowest response
  return {{level, level}, level >= window.low && level <= window.high};
}

// The k smallest responses of one class, for those k for which the scan determines them.
struct Side {
  Side(const ThresholdScan& of, std::vector<double>& memory) : scan(of), sorted(memory), sum(of.below_sum()) {
    memory = of.inside();
    std::sort(memory.begin(), memory.end());
  }

  const ThresholdScan& scan;
  const std::vector<double>& sorted;  // the values inside the window
  double sum;                         // of the k smallest
  std::size_t used = 0;               // of `sorted` among the k smallest

  std::size_t taken() const { return scan.below() + used; }
  bool more() const { return used < sorted.size(); }
  void take() { sum += sorted[used++]; }
  double last() const { return used > 0 ? sorted[used - 1] : scan.window().low; }
  double next() const {
    if (more()) return sorted[used];
    return taken() == scan.size() ? Window::everything : scan.window().high;
  }
  Basin basin() const {
    if (used == 0) return {last(), taken(), taken(), 0};
    const auto [first, end] = std::equal_range(sorted.begin(), sorted.end(), last());
    return {last(), taken(), scan.below() + static_cast<std::size_t>(first - sorted.begin()),
            static_cast<std::size_t>(end - first)};
  }
  // Responses per unit of level in the window, counting at least one.
  double density() const { return static_cast<double>(sorted.size() + 1) / (scan.window().high - scan.window().low); }
};

// The levels at which the linearised basins cover equally many points and hold the volume.
Levels newton(const Side& up, const Side& down, double volume) {
  const auto count_up = static_cast<double>(up.scan.below());
  const auto count_down = static_cast<double>(down.scan.below());
  const double low_up = up.scan.window().low;
  const double low_down = down.scan.window().low;
  const double held = count_up * low_up - up.scan.below_sum() + count_down * low_down - down.scan.below_sum();
  // count_up + density_up x = count_down + density_down z, and held + count_up x + count_down z = volume.
  const double slope = up.density() / down.density();
  const double offset = (count_up - count_down) / down.density();
  const double weight = count_up + count_down * slope;
  const double x =
      weight > 0.0 ? (volume - held - count_down * offset) / weight : 0.5 * (up.scan.window().high - low_up);
  return {low_up + x, low_down + offset + slope * x};
}

// The levels of two basins. The two vectors are scratch memory.
Solved two_basins(const ThresholdScan& positive, const ThresholdScan& negative, double volume,
                  std::vector<double>& sorted_positive, std::vector<double>& sorted_negative) {
  Side up(positive, sorted_positive);
  Side down(negative, sorted_negative);
  while (up.taken() < down.taken() && up.more()) up.take();
  while (down.taken() < up.taken() && down.more()) down.take();
  if (up.taken() == 0 && up.more() && down.more()) {
    up.take();
    down.take();
  }
  if (up.taken() != down.taken() || up.taken() == 0) return {newton(up, down, volume), false};
  if (volume <= 0.0) {
    const bool smallest_pair = up.taken() == 1 && up.used == 1 && down.used == 1;
    if (smallest_pair) return {{up.last(), down.last()}, true, up.basin(), down.basin()};
    return {newton(up, down, volume), false};
  }
  for (;;) {
    const double both = (volume + up.sum + down.sum) / static_cast<double>(up.taken());  // g+ + g-
    const double lower = std::max(up.last(), both - down.next());
    const double upper = std::min(up.next(), both - down.last());
    const double slack = 1e-14 * (std::abs(both) + std::abs(lower));
    if (lower <= upper + slack) {
      // Any level between the last covered and the first uncovered response is optimal. We take the middle of that
      // interval, or of its part inside the windows. With rounding the level may still not be below a covered response.
      const double level = 0.5 * (lower + upper);
      return {{std::max(level, up.last()), std::max(both - level, down.last())}, true, up.basin(), down.basin()};
    }
    if (!up.more() || !down.more()) return {newton(up, down, volume), false};
    up.take();
    down.take();
  }
}

void check(const double* responses, std::size_t n, std::size_t positives, double volume, bool bias) {
  require(n > 0, "a water level needs at least one response");
  require(volume >= 0.0 && volume <= LevelTracker::most, "the volume must be finite and not negative, at most 1e150");
  require(!bias || (positives > 0 && positives < n), "a water level with bias needs responses of both classes");
  for (std::size_t i = 0; i < n; ++i) {
    if (std::abs(responses[i]) <= LevelTracker::most) continue;  // false for NaN
    throw InvalidArgument("response " + std::to_string(i) + " is not finite, or larger than 1e150");
  }
}

}  // namespace

std::size_t Basin::index(const ThresholdScan& scan, std::uint64_t result) const {
  if (!cut()) return scan.covered_index(last, result);
  // Of the count * ties results each response below `last` has `ties`, and each of the equal ones count - lower.
  if (result < lower * ties) return scan.covered_index(std::nextafter(last, -Window::everything), result / ties);
  std::size_t k = (result - lower * ties) / (count - lower);
  for (std::size_t p = 0; p < scan.inside().size(); ++p) {
    if (scan.inside()[p] == last && k-- == 0) return scan.inside_index()[p];
  }
  throw InvalidArgument("the basin does not belong to this scan");
}

Levels water_levels(const double* responses, std::size_t n, std::size_t positives, double volume, bool bias) {
  check(responses, n, positives, volume, bias);
  LevelTracker tracker(n, positives, bias);
  tracker.scan(responses);
  return tracker.solve(responses, volume).levels;
}

Levels water_levels_sorted(const double* responses, std::size_t n, std::size_t positives, double volume, bool bias) {
  check(responses, n, positives, volume, bias);
  // With one basin the level follows from the sorted responses; with two, the sum of the levels follows from the sorted
  // sums of the k-th smallest responses of each class.
  std::vector<double> first(responses, responses + (bias ? positives : n));
  std::sort(first.begin(), first.end());
  std::vector<double> second(bias ? responses + positives : responses, bias ? responses + n : responses);
  std::sort(second.begin(), second.end());
  const std::size_t pairs = bias ? std::min(first.size(), second.size()) : n;
  const auto value = [&](std::size_t k) { return bias ? first[k] + second[k] : first[k]; };
  std::size_t covered = 1;
  double sum = value(0);
  while (covered < pairs && static_cast<double>(covered) * value(covered) - sum < volume) sum += value(covered++);
  const double level = (volume + sum) / static_cast<double>(covered);
  if (!bias) return {level, level};
  if (volume <= 0.0) return {first[0], second[0]};
  const auto next = [&](const std::vector<double>& sorted) {
    return covered < sorted.size() ? sorted[covered] : Window::everything;
  };
  const double lower = std::max(first[covered - 1], level - next(second));
  const double upper = std::min(next(first), level - second[covered - 1]);
  const double middle = 0.5 * (lower + upper);
  return {middle, level - middle};
}

LevelTracker::LevelTracker(std::size_t n, std::size_t positives, bool bias)
    : positive(0, positives), negative(positives, n), bias_(bias), wanted_inside_((32 + n / 200) / (bias ? 2 : 1)) {}

Solved LevelTracker::solve_within(double volume) {
  return bias_ ? two_basins(positive, negative, volume, sorted_positive_, sorted_negative_)
               : one_basin(positive, negative, volume);
}

void LevelTracker::centre(const Levels& levels, double width) {
  // With huge responses a Newton step may give infinity or NaN.
  if (width >= Window::everything || !std::isfinite(levels.positive) || !std::isfinite(levels.negative)) {
    positive_window_ = negative_window_ = Window{};
    return;
  }
  positive_window_ = {levels.positive - width, levels.positive + width};
  negative_window_ = {levels.negative - width, levels.negative + width};
}

void LevelTracker::lowest_windows(const double* v, double volume, double width) {
  // A basin holds at most the volume, so its level is at most that far above its lowest response.
  const double height = std::min(volume, width);
  double up = positive.lowest(v);
  double down = negative.lowest(v);
  if (!bias_) up = down = std::min(up, down);
  positive_window_ = {up, up + height};
  negative_window_ = {down, down + height};
}

void LevelTracker::scan(const double* v) {
  positive.scan(v, positive_window_);
  negative.scan(v, negative_window_);
}

void LevelTracker::add_and_scan(double* v, const float* x, double a) {
  positive.add_and_scan(v, x, a, positive_window_);
  negative.add_and_scan(v, x, -a, negative_window_);
}

void LevelTracker::add_and_scan(double* v, const float* x, double a, const float* z, double b) {
  positive.add_and_scan(v, x, a, z, b, positive_window_);
  negative.add_and_scan(v, x, -a, z, -b, negative_window_);
}

void LevelTracker::rescale(const double* v, double factor) {
  last_.positive *= factor;
  last_.negative *= factor;
  if (width_ < Window::everything) width_ *= factor;
  centre(last_, width_);
  scan(v);
}

void LevelTracker::archive(StateArchive& state, const double* v) {
  state.part("positive", positive, v);
  state.part("negative", negative, v);
  state.part("positive_window", positive_window_);
  state.part("negative_window", negative_window_);
  state.finite("width", width_, 0.0);
  state.part("last", last_);
}

Solved LevelTracker::solve(const double* v, double volume) {
  Solved solved = solve_within(volume);
  if (width_ >= Window::everything) {
    width_ = 0.5;
  } else {
    const std::size_t inside = positive.inside().size() + negative.inside().size();
    width_ *= inside > 16 * wanted_inside_ ? 0.25 : (inside > wanted_inside_ ? 0.9 : 1.05);
    width_ = std::max(width_, 1e-12);
  }
  double width = width_;
  for (int attempt = 0; !solved.exact; ++attempt) {
    require(attempt < most_attempts, "there is no water level: a response is not a number, or too large");
    if (attempt > 0) width *= 4.0;
    if (attempt > 8) width = Window::everything;
    if (positive.below() + negative.below() < few && width < Window::everything)
      lowest_windows(v, volume, width);
    else
      centre(solved.levels, width);
    scan(v);
    solved = solve_within(volume);
  }
  last_ = solved.levels;
  centre(last_, width_);
  return solved;
}

}  // namespace svm
