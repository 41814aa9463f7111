// A tracker of changing responses gives the levels of a fresh sort: slow drift, jumps, scalings, ties.
#include <algorithm>

#include "check.hpp"
#include "data.hpp"
#include "levels/water_level.hpp"

using svm::Levels;
using svm::LevelTracker;

namespace {

// Whether two levels cover the same responses: the split between the classes may be free, the covered sets are not.
bool same_basin(const std::vector<double>& v, std::size_t begin, std::size_t end, double a, double b, double slack) {
  const double low = std::min(a, b) + slack;
  const double high = std::max(a, b) - slack;
  for (std::size_t j = begin; j < end; ++j) {
    if (v[j] > low && v[j] < high) return false;
  }
  return true;
}

void follow(std::uint64_t seed, bool bias, double volume, double jump_every, bool tied) {
  svm::Random random(seed, svm::Purpose::data);
  constexpr std::size_t n = 700;
  constexpr std::size_t positives = 201;
  std::vector<double> v = svm::test::normals(random, n, tied);
  std::vector<float> x(n);
  LevelTracker tracker(n, positives, bias);
  tracker.scan(v.data());
  double held = volume;
  for (int step = 0; step < 250; ++step) {
    const Levels found = tracker.solve(v.data(), held).levels;
    const Levels sorted = svm::water_levels_sorted(v.data(), n, positives, held, bias);
    double size = held;
    for (const double value : v) size = std::max(size, std::abs(value));
    CHECK(svm::test::near(found.level(), sorted.level(), 1e-11 * size));
    CHECK(same_basin(v, 0, positives, found.positive, sorted.positive, 1e-11 * size));
    CHECK(same_basin(v, positives, n, found.negative, sorted.negative, 1e-11 * size));
    // The covered set has at least the lowest point of each basin, and no point above the level.
    const std::size_t up = tracker.positive.covered(found.positive);
    const std::size_t down = tracker.negative.covered(found.negative);
    CHECK(bias ? up > 0 && down > 0 : up + down > 0);
    if (up > 0) CHECK(v[tracker.positive.covered_index(found.positive, up - 1)] <= found.positive);
    if (down > 0) CHECK(v[tracker.negative.covered_index(found.negative, down - 1)] <= found.negative);

    if (random.uniform() < 0.02) {
      const double factor = random.uniform() < 0.5 ? 1e-6 : 0.3;
      for (double& value : v) value *= factor;
      held *= factor;
      tracker.rescale(v.data(), factor);
      continue;
    }
    double spread = 0.0;
    for (const double value : v) spread = std::max(spread, std::abs(value));
    const double amount = (random.uniform() < jump_every ? 3.0 : 0.01) * spread;
    for (float& value : x) value = static_cast<float>(tied ? std::round(random.normal()) : random.normal());
    tracker.add_and_scan(v.data(), x.data(), amount);
  }
}

// With a tiny volume the levels are at the lowest responses. A step raises these and their neighbours by more than the
// windows are wide. Windows that grow with each miss list a good part of all responses: an iteration takes ten times as
// long.
void few_are_listed(bool bias) {
  svm::Random random(1, svm::Purpose::data);
  constexpr std::size_t n = 20'000;
  constexpr std::size_t positives = 9'000;
  constexpr int steps = 400;
  const std::vector<double> points = svm::test::normals(random, n, false);
  std::vector<double> v(n);
  std::vector<float> up(n);
  std::vector<float> down(n);
  const auto row = [&](std::size_t i, std::vector<float>& out) {
    for (std::size_t j = 0; j < n; ++j) {
      const double apart = points[i] - points[j];
      out[j] = static_cast<float>(std::exp(-apart * apart) + (i == j ? 1.0 : 0.0));
    }
  };
  LevelTracker tracker(n, positives, bias);
  tracker.scan(v.data());
  std::size_t listed = 0;
  for (int step = 0; step < steps; ++step) {
    const Levels found = tracker.solve(v.data(), 1e-5).levels;
    if (step % 10 == 0) {
      const Levels sorted = svm::water_levels_sorted(v.data(), n, positives, 1e-5, bias);
      CHECK(svm::test::near(found.level(), sorted.level(), 1e-12));
    }
    if (step >= steps / 2) listed += tracker.positive.inside().size() + tracker.negative.inside().size();
    // as the SBP's steps are: the lowest response of each class
    row(static_cast<std::size_t>(std::min_element(v.begin(), v.begin() + positives) - v.begin()), up);
    row(static_cast<std::size_t>(std::min_element(v.begin() + positives, v.end()) - v.begin()), down);
    const double amount = 1.0 / std::sqrt(step + 1.0);
    tracker.add_and_scan(v.data(), up.data(), amount, down.data(), -amount);
  }
  CHECK(listed <= n / 10 * steps / 2);  // windows that grow list more than half of the responses here
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  std::uint64_t seed = 0;
  for (const bool bias : {false, true}) {
    for (const double volume : {0.0, 1e-9, 0.5, 30.0, 2000.0, 1e5}) {
      for (const double jumps : {0.0, 0.1}) {
        for (const bool tied : {false, true}) follow(++seed, bias, volume, jumps, tied);
      }
    }
  }
  few_are_listed(false);
  few_are_listed(true);
  return svm::test::finish();
}
