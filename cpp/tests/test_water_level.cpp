// Water levels against sorting, and by their own conditions.
#include <limits>

#include "check.hpp"
#include "data.hpp"
#include "levels/water_level.hpp"

using svm::Levels;
using svm::water_levels;
using svm::water_levels_sorted;

namespace {

double held(const std::vector<double>& c, std::size_t begin, std::size_t end, double level) {
  double volume = 0.0;
  for (std::size_t j = begin; j < end; ++j) volume += std::max(0.0, level - c[j]);
  return volume;
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  svm::Random random(2, svm::Purpose::data);
  for (int round = 0; round < 4000; ++round) {
    const std::size_t sizes[] = {1, 2, 3, 10, 64, 65, 200};
    const std::size_t n = sizes[random.below(7)];
    std::vector<double> c = svm::test::normals(random, n, round % 3 == 0);
    const double magnitude = std::pow(10.0, static_cast<double>(random.below(13)) - 6.0);
    for (double& x : c) x = round % 5 == 0 ? magnitude : x * magnitude;
    const double volume = round % 10 == 0 ? 0.0 : magnitude * std::pow(10.0, 12.0 * random.uniform() - 9.0);
    const double size = magnitude * 10.0 + volume;
    const std::size_t positives = n > 1 ? 1 + static_cast<std::size_t>(random.below(n - 1)) : 1;
    for (const bool bias : {false, true}) {
      if (bias && n == 1) continue;
      const Levels found = water_levels(c.data(), n, positives, volume, bias);
      const Levels sorted = water_levels_sorted(c.data(), n, positives, volume, bias);
      CHECK(svm::test::near(found.positive, sorted.positive, 1e-13 * size));
      CHECK(svm::test::near(found.negative, sorted.negative, 1e-13 * size));
      const double total = held(c, 0, positives, found.positive) + held(c, positives, n, found.negative);
      CHECK(svm::test::near(total, volume, 1e-12 * size * static_cast<double>(n)));
      CHECK(bias || found.positive == found.negative);
    }
  }
  // A minute volume: rounding must leave the lowest point of each basin covered.
  for (int round = 0; round < 4000; ++round) {
    const std::vector<double> c = svm::test::normals(random, 6);
    const double volume = std::pow(10.0, -12.0 - 280.0 * random.uniform());
    const Levels found = water_levels(c.data(), 6, 3, volume, true);
    CHECK(found.positive >= std::min({c[0], c[1], c[2]}));
    CHECK(found.negative >= std::min({c[3], c[4], c[5]}));
    CHECK(water_levels(c.data(), 6, 3, volume, false).positive >= std::min({c[0], c[1], c[2], c[3], c[4], c[5]}));
    const std::vector<double> tied(7, c[0]);
    CHECK(water_levels(tied.data(), 7, 3, volume, false).positive >= c[0]);
  }
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double good[] = {0.0, 1.0};
  for (const double bad : {nan, infinity, -infinity, -1.0}) {
    CHECK(svm::test::refuses([&] { water_levels(good, 2, 1, bad, false); }, "volume"));
    if (bad == -1.0) continue;
    const double responses[] = {0.0, bad};
    CHECK(svm::test::refuses([&] { water_levels(responses, 2, 1, 1.0, true); }, "response 1 is not finite"));
  }
  CHECK(svm::test::refuses([&] { water_levels(good, 0, 0, 1.0, false); }, "at least one response"));
  CHECK(svm::test::refuses([&] { water_levels(good, 2, 0, 1.0, true); }, "both classes"));
  CHECK(svm::test::refuses([&] { water_levels(good, 2, 2, 1.0, true); }, "both classes"));
  return svm::test::finish();
}
