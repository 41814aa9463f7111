// The working set's problem: conditions of a maximum on regular, singular and slightly indefinite matrices; no step
// leaves the box, changes the sum, or lowers the objective.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "qp/box_qp.hpp"
#include "random/random.hpp"

using svm::BoxQp;
using svm::Random;

namespace {

struct Shape {
  std::size_t size;
  std::size_t rank;
  double noise;  // of the matrix: what float32 leaves of a singular one
  double bound;
};

void check_maximum(Random& random, const Shape& shape, bool balanced) {
  const std::size_t m = shape.size;
  BoxQp qp(balanced);
  qp.reset(m);
  std::vector<std::vector<double>> points;
  for (std::size_t k = 0; k < m; ++k) points.push_back(svm::test::normals(random, shape.rank));
  if (m > 3) points[m - 1] = points[1];
  double largest = 0.0;
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t l = 0; l <= k; ++l) {
      const double product = std::inner_product(points[k].begin(), points[k].end(), points[l].begin(), 0.0);
      qp.H(k, l) = qp.H(l, k) = product + shape.noise * random.normal();
    }
    largest = std::max(largest, qp.H(k, k));
    qp.gradient(k) = random.below(3) == 0 ? 1.0 : random.normal();
    const std::uint64_t place = random.below(3);  // at the lower bound, at the upper one, inside
    const double inside = place == 0 ? 0.0 : (place == 1 ? 1.0 : random.uniform());
    qp.low(k) = -shape.bound * inside;
    qp.high(k) = shape.bound * (1.0 - inside);
  }
  const std::vector<double> d = qp.solve();
  double sum = 0.0;
  double value = 0.0;
  double top = -1e300;
  double bottom = 1e300;
  for (std::size_t k = 0; k < m; ++k) {
    CHECK(d[k] >= qp.low(k) && d[k] <= qp.high(k));
    double slope = qp.gradient(k);
    for (std::size_t l = 0; l < m; ++l) slope -= qp.H(k, l) * d[l];
    if (d[k] < qp.high(k)) top = std::max(top, balanced ? slope : std::max(slope, 0.0));
    if (d[k] > qp.low(k)) bottom = std::min(bottom, balanced ? slope : std::min(slope, 0.0));
    value += 0.5 * d[k] * (qp.gradient(k) + slope);
    sum += d[k];
  }
  const double scale = 1.0 + largest * shape.bound;
  CHECK(!balanced || std::abs(sum) <= 1e-13 * shape.bound * static_cast<double>(m));
  CHECK(value >= 0.0);
  CHECK(top - bottom <= 1e-10 * scale || top < -1e299 || bottom > 1e299);
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  Random random(3, svm::Purpose::data);
  for (const bool balanced : {false, true}) {
    for (const std::size_t size : {1U, 2U, 3U, 10U, 50U}) {
      for (const std::size_t rank : {0U, 1U, 4U, 60U}) {
        for (const double noise : {0.0, 1e-8}) {
          for (const double bound : {1e-8, 1.0, 1e6}) {
            for (int repetition = 0; repetition < (size < 50 ? 40 : 5); ++repetition) {
              check_maximum(random, {size, rank, noise, bound}, balanced);
            }
          }
        }
      }
    }
  }
  return svm::test::finish();
}
