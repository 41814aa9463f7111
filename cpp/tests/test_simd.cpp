// The inner loops against plain loops, at every length around the vector and block sizes.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "check.hpp"
#include "data.hpp"
#include "linear/weight_vector.hpp"

using svm::simd::Best;
using svm::simd::DualRange;

namespace {

constexpr double C = 0.8;

struct Range {
  std::vector<double> responses;
  std::vector<double> alpha;
  std::vector<float> diagonal;
  std::vector<float> x;
  std::vector<float> z;

  bool unit;  // all diagonal values are 1, and the loops get none

  Range(svm::Random& random, std::size_t n, bool unit_diagonal)
      : responses(svm::test::normals(random, n)), alpha(n), diagonal(n), x(n), z(n), unit(unit_diagonal) {
    for (std::size_t j = 0; j < n; ++j) {
      const double where = random.uniform();
      alpha[j] = where < 0.3 ? 0.0 : (where < 0.6 ? C : C * random.uniform());
      diagonal[j] = unit ? 1.0F : static_cast<float>(0.5 + random.uniform());
      x[j] = static_cast<float>(random.uniform());
      z[j] = static_cast<float>(random.uniform());
    }
  }
  DualRange view() { return {responses.data(), alpha.data(), unit ? nullptr : diagonal.data(), responses.size(), C}; }
};

double clipped(double x) { return std::min(std::max(x, 0.0), C); }

void gains(svm::Random& random, std::size_t n, bool unit) {
  Range range(random, n, unit);
  std::vector<double> expected = range.responses;
  const Best best = svm::simd::loops().add_and_best_gain(range.view(), range.x.data(), -0.3);
  double top = -1.0;
  double violation = 0.0;
  std::size_t where = 0;
  for (std::size_t j = 0; j < n; ++j) {
    expected[j] -= 0.3 * static_cast<double>(range.x[j]);
    CHECK(svm::test::near(range.responses[j], expected[j], 1e-14));
    const double gradient = 1.0 - expected[j];
    const auto diagonal = static_cast<double>(range.diagonal[j]);
    const double step = clipped(range.alpha[j] + gradient / diagonal) - range.alpha[j];
    const double gain = step * (gradient - 0.5 * step * diagonal);
    CHECK(svm::test::near(svm::simd::loops().gain(expected[j], range.alpha[j], diagonal, C), gain, 1e-13));
    if (gain > top) {
      top = gain;
      where = j;
    }
    if (range.alpha[j] < C) violation = std::max(violation, gradient);
    if (range.alpha[j] > 0.0) violation = std::max(violation, -gradient);
  }
  CHECK(svm::test::near(best.score, top, 1e-13));
  CHECK(svm::test::near(best.violation, violation, 1e-13));
  CHECK(best.block == where / svm::simd::block);
}

void pairs(svm::Random& random, std::size_t n, bool unit, double sign) {
  Range range(random, n, unit);
  std::vector<double> expected = range.responses;
  const Best up = svm::simd::loops().add_two_and_best_up(range.view(), range.x.data(), 0.4, range.z.data(), -0.1, sign);
  double top = -1e300;
  double bottom = 1e300;
  std::size_t where = 0;
  for (std::size_t j = 0; j < n; ++j) {
    expected[j] += 0.4 * static_cast<double>(range.x[j]) - 0.1 * static_cast<double>(range.z[j]);
    CHECK(svm::test::near(range.responses[j], expected[j], 1e-14));
    const double value = sign * (1.0 - expected[j]);
    const bool rises = sign > 0.0 ? range.alpha[j] < C : range.alpha[j] > 0.0;
    const bool falls = sign > 0.0 ? range.alpha[j] > 0.0 : range.alpha[j] < C;
    if (rises && value > top) {
      top = value;
      where = j;
    }
    if (falls) bottom = std::min(bottom, value);
  }
  if (top > -1e300) {
    CHECK(svm::test::near(up.score, top, 1e-13));
    CHECK(up.block == where / svm::simd::block);
  }
  if (bottom < 1e300) CHECK(svm::test::near(up.violation, bottom, 1e-13));

  const Best partner = svm::simd::loops().best_partner(range.view(), range.x.data(), sign, 0.9, 1.1);
  double best = -1.0;
  for (std::size_t j = 0; j < n; ++j) {
    const bool falls = sign > 0.0 ? range.alpha[j] > 0.0 : range.alpha[j] < C;
    const double descent = 0.9 - sign * (1.0 - range.responses[j]);
    double score = -1.0;
    if (falls && descent > 0.0) {
      const double curvature = 1.1 + static_cast<double>(range.diagonal[j]) - 2.0 * static_cast<double>(range.x[j]);
      score = descent * descent / (curvature > 0.0 ? curvature : 1e-12);
    }
    const double found =
        svm::simd::loops().partner_score(range.responses[j], range.alpha[j], static_cast<double>(range.diagonal[j]),
                                         static_cast<double>(range.x[j]), C, sign, 0.9, 1.1);
    CHECK(svm::test::near(found, score, 1e-12 * std::max(1.0, std::abs(score))));
    if (score > best) {
      best = score;
      where = j;
    }
  }
  CHECK(svm::test::near(partner.score, best, 1e-12 * std::max(1.0, std::abs(best))));
  if (best > 0.0) CHECK(partner.block == where / svm::simd::block);
}

// Of equal scores the first block's is taken; a block without candidates is never taken before one with candidates.
void ties(bool unit) {
  constexpr std::size_t n = 1000;
  const std::vector<float> row(n, 0.25F);
  const std::vector<float> diagonal(n, 1.0F);
  const svm::simd::Loops& loops = svm::simd::loops();
  for (const std::size_t first : {0U, 1U, 63U, 64U, 130U, 700U, 959U, 960U, 999U}) {
    std::vector<double> responses(n, 0.5);
    std::vector<double> alpha(n, 0.0);
    for (std::size_t j = first; j < n; j += 7) alpha[j] = 0.4;
    const DualRange range{responses.data(), alpha.data(), unit ? nullptr : diagonal.data(), n, C};
    CHECK(loops.best_partner(range, row.data(), 1.0, 0.9, 1.0).block == first / svm::simd::block);
    CHECK(loops.add_two_and_best_up(range, row.data(), 0.0, row.data(), 0.0, -1.0).block == first / svm::simd::block);
    for (double& value : alpha) value = value > 0.0 ? 0.0 : C;
    CHECK(loops.add_and_best_gain(range, row.data(), 0.0).block == first / svm::simd::block);
  }
}

/// <v, x>, v += a x and |v|^2, for an x of n values: the first n, or at n places among 3 n.
template <typename Real>
void weights(svm::Random& random, std::size_t n, double rounding) {
  svm::Weights<Real> v(3 * n);
  std::vector<double> expected = svm::test::normals(random, 3 * n);
  std::copy(expected.begin(), expected.end(), v.values());
  v.refresh_norm();
  std::vector<float> x(n);
  std::vector<std::int32_t> places(n);
  double squared_norm = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    x[k] = static_cast<float>(random.normal());
    places[k] = static_cast<std::int32_t>(3 * k + random.below(3));
    squared_norm += static_cast<double>(x[k]) * static_cast<double>(x[k]);
  }
  for (const svm::RowView slice : {svm::RowView{x.data(), nullptr, n}, svm::RowView{x.data(), places.data(), n}}) {
    double product = 0.0;
    for (std::size_t k = 0; k < n; ++k) product += expected[slice.at(k)] * static_cast<double>(x[k]);
    const double dot = v.dot(slice);
    CHECK(svm::test::near(dot, product, rounding));
    v.add(slice, 1.7, dot, squared_norm);
    for (std::size_t k = 0; k < n; ++k) expected[slice.at(k)] += 1.7 * static_cast<double>(x[k]);
    double norm2 = 0.0;
    for (std::size_t j = 0; j < 3 * n; ++j) {
      CHECK(svm::test::near(static_cast<double>(v.values()[j]), expected[j], 0.1 * rounding));
      norm2 += expected[j] * expected[j];
    }
    CHECK(svm::test::near(v.squared_norm(), norm2, 10.0 * rounding));
  }
}

// With equal gradients the first variable is taken; with all at a bound there may be none.
void violating_pairs(svm::Random& random, std::size_t n, bool stuck) {
  std::vector<double> gradients(n);
  std::vector<double> alpha(n);
  std::vector<double> low(n);
  for (std::size_t j = 0; j < n; ++j) {
    const double where = random.uniform();
    gradients[j] = static_cast<double>(random.below(9)) - 4.0;
    low[j] = random.below(2) == 0 ? 0.0 : -C;
    alpha[j] = low[j] + (stuck ? C : (where < 0.3 ? 0.0 : (where < 0.6 ? C : C * random.uniform())));
  }
  std::size_t rising = n;
  std::size_t falling = n;
  for (std::size_t j = 0; j < n; ++j) {
    if (alpha[j] < low[j] + C && (rising == n || gradients[j] > gradients[rising])) rising = j;
    if (alpha[j] > low[j] && (falling == n || gradients[j] < gradients[falling])) falling = j;
  }
  const svm::simd::ViolatingPair pair =
      svm::simd::loops().violating_pair(gradients.data(), alpha.data(), low.data(), C, n);
  CHECK(pair.rising == rising && (rising == n || pair.top == gradients[rising]));
  CHECK(pair.falling == falling && (falling == n || pair.bottom == gradients[falling]));
}

// A Gaussian's values at every exponent to far below float32's smallest normal number, 2^-126 = e^-87.34.
void exponentials() {
  constexpr std::size_t n = 100003;
  const std::vector<float> norms(n);
  std::vector<float> x(n);
  for (std::size_t j = 0; j < n; ++j) x[j] = -1e-3F * static_cast<float>(j);
  std::vector<float> values(x);
  svm::simd::loops().gaussian(values.data(), norms.data(), 0.0F, 0.5F, n);
  for (std::size_t j = 0; j < n; ++j) {
    const double wanted = std::exp(static_cast<double>(x[j]));
    const auto value = static_cast<double>(values[j]);
    CHECK(x[j] < -87.3F ? value >= 0.0 && value < 1.3e-38 : std::abs(value / wanted - 1.0) < 1e-7);
    CHECK(x[j] > -87.7F || value == 0.0);
  }
  CHECK(values[0] == 1.0F);

  std::vector<double> exponents(100000);  // 0 to -750
  for (std::size_t j = 0; j < exponents.size(); ++j) exponents[j] = -7.5e-3 * static_cast<double>(j);
  std::vector<double> wide(exponents);
  svm::simd::loops().exponential(wide.data(), wide.size());
  for (std::size_t j = 0; j < wide.size(); ++j) {
    CHECK(std::abs(wide[j] / std::exp(std::max(exponents[j], -708.0)) - 1.0) < 1e-15);
  }
  CHECK(wide[0] == 1.0);
}

// Each pointer of the table is a loop.
void complete_table() {
  const svm::simd::Loops& loops = svm::simd::loops();
  static_assert(sizeof loops % sizeof(void*) == 0);
  for (std::size_t k = 0; k < sizeof loops / sizeof(void*); ++k) {
    const void* pointer = nullptr;
    std::memcpy(&pointer, reinterpret_cast<const char*>(&loops) + k * sizeof pointer, sizeof pointer);
    CHECK(pointer != nullptr);
  }
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  complete_table();
  exponentials();
  svm::Random random(3, svm::Purpose::data);
  for (const std::size_t n : {1U, 5U, 8U, 63U, 64U, 65U, 127U, 128U, 200U, 513U}) {
    for (int round = 0; round < 20; ++round) {
      for (const bool unit : {false, true}) {
        violating_pairs(random, n, unit);
        gains(random, n, unit);
        pairs(random, n, unit, 1.0);
        pairs(random, n, unit, -1.0);
      }
      weights<double>(random, n, 1e-11);
      weights<float>(random, n, 1e-4);
    }
  }
  ties(false);
  ties(true);
  // A point without length: its step goes to the bound that its gradient points to.
  CHECK(svm::test::near(svm::simd::loops().gain(0.0, 0.0, 0.0, C), C, 1e-15));
  CHECK(svm::test::near(svm::simd::loops().gain(3.0, C, 0.0, C), 2.0 * C, 1e-15));
  return svm::test::finish();
}
