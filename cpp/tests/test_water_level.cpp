// Water levels against sorting, and the draws by the conditions of a supergradient. Other levels and wrong arguments
// are in tests/solvers/test_water_level.py.
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

// The probabilities of a draw with bias, where each class is drawn from with probability 1/2: by counting all results.
std::vector<double> distribution(const std::vector<double>& c, std::size_t positives, double volume,
                                 const svm::Window& window) {
  svm::LevelTracker tracker(c.size(), positives, true);
  tracker.positive.scan(c.data(), window);
  tracker.negative.scan(c.data(), window);
  const svm::Solved solved = tracker.solve(c.data(), volume);
  CHECK(solved.positive.count == solved.negative.count);
  std::vector<double> p(c.size());
  for (const bool up : {true, false}) {
    const svm::Basin& basin = up ? solved.positive : solved.negative;
    const double each = 0.5 / static_cast<double>(basin.results());
    for (std::uint64_t k = 0; k < basin.results(); ++k) {
      p[basin.index(up ? tracker.positive : tracker.negative, k)] += each;
    }
  }
  return p;
}

// The draw's mean is a supergradient of f, the mean of the two levels (Cotter, Shalev-Shwartz, Srebro 2012, Lemma 3.1):
// f(c + h) <= f(c) + <p, h>. Few distinct responses, so that many are equal to a level.
void check_supergradient(svm::Random& random, const svm::Window& window) {
  const std::size_t n = 2 + random.below(11);
  const std::size_t positives = 1 + random.below(n - 1);
  std::vector<double> c(n);
  for (double& x : c) x = 0.5 * static_cast<double>(random.below(5));
  const double volume = 0.25 * static_cast<double>(random.below(20));
  const auto f = [&](const std::vector<double>& responses) {
    return water_levels_sorted(responses.data(), n, positives, volume, true).level();
  };
  const std::vector<double> p = distribution(c, positives, volume, window);
  for (int round = 0; round < 60; ++round) {
    std::vector<double> moved = c;
    double bound = f(c) + 1e-12;
    const double size = std::pow(10.0, -static_cast<double>(random.below(4)));
    for (std::size_t i = 0; i < n; ++i) {
      // all, or about one in n
      const double h = round % 2 == 0 || random.below(n) == 0 ? size * random.normal() : 0.0;
      moved[i] += h;
      bound += p[i] * h;
    }
    CHECK(f(moved) <= bound);
  }
  // Equal responses of a class are equally likely.
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool same = c[i] == c[j] && (i < positives) == (j < positives);
      CHECK(!same || svm::test::near(p[i], p[j], 1e-15));
    }
  }
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
  for (int round = 0; round < 2000; ++round) {
    check_supergradient(random, {});
    check_supergradient(random, {0.5, 1.5});
    check_supergradient(random, {0.6, 1.4});
  }
  // The levels are 1 and 0.75, and two responses of each class are covered: 0 and a third of each 1; 0 and 0.5.
  const std::vector<double> expected{0.25, 0.25 / 3.0, 0.25 / 3.0, 0.25 / 3.0, 0.25, 0.25, 0.0, 0.0};
  const std::vector<double> drawn = distribution({0.0, 1.0, 1.0, 1.0, 0.0, 0.5, 2.0, 3.0}, 4, 2.0, {});
  for (std::size_t i = 0; i < drawn.size(); ++i) CHECK(svm::test::near(drawn[i], expected[i], 1e-15));
  return svm::test::finish();
}
