// Scans against plain counting: below, sum, inside, covered, and the k-th covered point for every k.
#include <algorithm>
#include <limits>
#include <set>

#include "check.hpp"
#include "data.hpp"
#include "levels/threshold_scan.hpp"

using svm::ThresholdScan;
using svm::Window;

namespace {

void compare(const ThresholdScan& scan, const std::vector<double>& v, std::size_t begin, std::size_t end,
             Window window) {
  std::size_t below = 0;
  double sum = 0.0;
  std::vector<double> inside;
  for (std::size_t j = begin; j < end; ++j) {
    if (v[j] < window.low) {
      ++below;
      sum += v[j];
    } else if (v[j] <= window.high) {
      inside.push_back(v[j]);
    }
  }
  CHECK(scan.size() == end - begin);
  CHECK(scan.below() == below);
  CHECK(svm::test::near(scan.below_sum(), sum, 1e-12 * static_cast<double>(end - begin + 1)));
  CHECK(scan.inside() == inside);

  std::vector<double> levels = inside;
  if (window.low > -Window::everything) levels.push_back(window.low);
  for (const double level : levels) {
    std::set<std::size_t> covered;
    for (std::size_t j = begin; j < end; ++j) {
      if (v[j] <= level) covered.insert(j);
    }
    CHECK(scan.covered(level) == covered.size());
    std::set<std::size_t> found;
    bool in_order = true;
    for (std::size_t k = 0; k < covered.size(); ++k) {
      const std::size_t index = scan.covered_index(level, k);
      found.insert(index);
      in_order = in_order && (k < below) == (v[index] < window.low);
    }
    CHECK(found == covered);  // every covered point is drawn by exactly one k
    CHECK(in_order);
    if (&level - levels.data() > 3) break;
  }
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  svm::Random random(1, svm::Purpose::data);
  for (const std::size_t n : {1U, 7U, 8U, 63U, 64U, 65U, 128U, 129U, 1000U}) {
    for (const bool tied : {false, true}) {
      std::vector<double> v = svm::test::normals(random, n, tied);
      std::vector<float> x(n);
      std::vector<float> z(n);
      for (std::size_t j = 0; j < n; ++j) {
        x[j] = static_cast<float>(random.normal());
        z[j] = static_cast<float>(random.normal());
      }
      for (const std::size_t begin : {std::size_t{0}, n / 3}) {
        const std::size_t end = n;
        ThresholdScan scan(begin, end);
        for (const Window window :
             {Window{}, Window{-0.1, 0.3}, Window{0.5, 0.5}, Window{5.0, 6.0}, Window{-9.0, -8.0}, Window{-9.0, 9.0}}) {
          scan.scan(v.data(), window);
          compare(scan, v, begin, end, window);

          std::vector<double> updated = v;
          scan.add_and_scan(updated.data(), x.data(), 0.7, window);
          for (std::size_t j = 0; j < n; ++j) {
            const double expected = v[j] + (j < begin ? 0.0 : 0.7 * static_cast<double>(x[j]));
            CHECK(svm::test::near(updated[j], expected, 1e-15 * (1.0 + std::abs(expected))));
          }
          compare(scan, updated, begin, end, window);

          std::vector<double> twice = v;
          scan.add_and_scan(twice.data(), x.data(), 0.7, z.data(), -0.2, window);
          for (std::size_t j = begin; j < n; ++j) {
            const double expected = v[j] + 0.7 * static_cast<double>(x[j]) - 0.2 * static_cast<double>(z[j]);
            CHECK(svm::test::near(twice[j], expected, 1e-15 * (4.0 + std::abs(expected))));
          }
          compare(scan, twice, begin, end, window);
        }
      }
    }
  }
  ThresholdScan nothing(5, 5);
  nothing.scan(nullptr, Window{});
  CHECK(nothing.below() == 0 && nothing.inside().empty() && nothing.covered(1.0) == 0);
  return svm::test::finish();
}
