// The factor against its definition while columns are added and removed; the gap on singular matrices, with variables
// added and removed.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "qp/cholesky.hpp"
#include "qp/simplex_qp.hpp"
#include "random/random.hpp"

using svm::Cholesky;
using svm::Random;
using svm::SimplexQp;

namespace {

using Points = std::vector<std::vector<double>>;

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

std::vector<double> products(const Points& points, const std::vector<double>& point) {
  std::vector<double> out;
  for (const std::vector<double>& other : points) out.push_back(product(other, point));
  out.push_back(product(point, point));
  return out;
}

void check_factor(Random& random) {
  Cholesky factor;
  Points points;
  for (int t = 0; t < 200; ++t) {
    if (points.size() < 20 && (points.empty() || random.below(3) > 0)) {
      const std::vector<double> point = svm::test::normals(random, 40);
      CHECK(factor.append(products(points, point), 1e-13) == 0.0);
      points.push_back(point);
    } else {
      const std::size_t k = random.below(points.size());
      factor.remove(k);
      points.erase(points.begin() + static_cast<std::ptrdiff_t>(k));
    }
    const std::vector<double> wanted = svm::test::normals(random, points.size());
    std::vector<double> x = wanted;
    factor.solve(x.data());
    double worst = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      double found = 0.0;
      for (std::size_t j = 0; j < points.size(); ++j) found += product(points[i], points[j]) * x[j];
      worst = std::max(worst, std::abs(found - wanted[i]));
    }
    CHECK(worst < 1e-9);
  }
  const std::vector<double> twin = points.back();
  const double added = factor.append(products(points, twin), 1e-3);
  CHECK(svm::test::near(added, 1e-3, 1e-9));
}

void check_programme(Random& random, std::size_t dimension, bool tied) {
  SimplexQp qp;
  Points points;
  std::vector<double> beta;
  for (int t = 0; t < 120; ++t) {
    points.push_back(svm::test::normals(random, dimension, tied));
    if (t % 7 == 3) points.back() = points[random.below(points.size())];
    beta.push_back(tied ? 0.5 : random.uniform());
    const std::vector<double> point = points.back();
    points.pop_back();
    qp.add(beta.back(), products(points, point));
    points.push_back(point);
    if (t % 11 == 10) {  // all vectors get one more coordinate
      const std::vector<double> q = svm::test::normals(random, points.size(), tied);
      for (std::size_t j = 0; j < points.size(); ++j) points[j].push_back(q[j]);
      qp.extend(q);
      ++dimension;
    }
    qp.solve(1e-11);
    CHECK(qp.gap() <= 1e-11);
    for (std::size_t j = points.size() - 1; j > 0; --j) {
      if (qp.solution()[j] > 0.0 || random.below(30) > 0) continue;
      qp.remove(j);
      std::swap(points[j], points.back());
      points.pop_back();
      std::swap(beta[j], beta.back());
      beta.pop_back();
    }
    const std::vector<double>& gamma = qp.solution();
    double mass = 0.0;
    double value = 0.0;
    double worst = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      double row = 0.0;
      for (std::size_t j = 0; j < points.size(); ++j) row += gamma[j] * product(points[i], points[j]);
      worst = std::max(worst, std::abs(row - qp.products()[i]));
      CHECK(gamma[i] >= 0.0);
      mass += gamma[i];
      value += gamma[i] * (beta[i] - 0.5 * row);
    }
    CHECK(worst < 1e-11 && svm::test::near(mass, 1.0, 1e-12) && svm::test::near(value, qp.value(), 1e-11));
  }
}

/// Two variables, where sum gamma = 1 leaves one unknown: gamma_1 = min(1, beta / H_11), also where H is negligible.
void check_sizes() {
  constexpr double beta = 0.25;
  for (int exponent = -60; exponent <= 8; ++exponent) {
    const double H = std::pow(10.0, exponent);
    SimplexQp qp;
    qp.add(0.0, {0.0});
    qp.add(beta, {0.0, H});
    qp.solve(1e-3 * beta);
    const double exact = std::min(1.0, beta / H);
    CHECK(qp.solution()[1] >= 0.9 * exact && qp.solution()[1] <= 1.1 * exact);
    CHECK(qp.value() >= 0.9 * (exact * beta - 0.5 * exact * exact * H));
  }
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  Random random(7, svm::Purpose::data);
  check_factor(random);
  check_sizes();
  for (const std::size_t dimension : {1U, 4U, 30U}) {
    check_programme(random, dimension, false);
    check_programme(random, dimension, true);
  }
  return svm::test::finish();
}
