// The slack step against sorting, with weights that change as in SIMBA.
#include <algorithm>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "levels/slack.hpp"
#include "random/random.hpp"

using svm::Random;
using svm::Slack;

namespace {

std::vector<double> by_sorting(const std::vector<double>& q, double mass) {
  std::vector<std::size_t> order(q.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return q[a] > q[b]; });
  std::vector<double> slack(q.size());
  for (const std::size_t i : order) {
    slack[i] = std::min(2.0, mass);
    mass -= slack[i];
    if (!(mass > 0.0)) break;
  }
  return slack;
}

void check(std::size_t n, double nu, double coarse, Random& random) {
  const double mass = nu * static_cast<double>(n);
  Slack slack(n, mass);
  std::vector<double> q(n, 1.0);
  for (int t = 0; t < 300; ++t) {
    slack.select(q.data());
    const std::vector<double> expected = by_sorting(q, mass);
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) same = same && svm::test::near(slack.of(q.data(), i), expected[i], 1e-9);
    CHECK(same);
    bool above = true;
    for (std::size_t i = 0; i < n; ++i) above = above && (q[i] <= slack.level() || expected[i] == 2.0);
    CHECK(above);
    for (const std::size_t i : slack.tied()) CHECK(q[i] == slack.level() && expected[i] > 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      q[i] *= 1.0 - 0.03 * expected[i];
      // Some weights change differently, and coarsely, so that many are equal.
      if (random.below(4) == 0) q[i] *= 1.0 + 0.1 * std::round(random.normal() * coarse) / coarse;
      q[i] = std::clamp(q[i], 1e-100, 1e100);
    }
    if (t % 50 == 49) {
      const double factor = t % 100 == 99 ? 0x1p-20 : 0x1p30;
      for (double& x : q) x *= factor;
      slack.rescale(factor);
    }
    if (t == 200) std::fill(q.begin(), q.end(), 0.5);  // far from the expected level
  }
}

// Without slack the level is above all weights; a state of it is accepted however often the weights were rescaled.
void check_without_slack() {
  for (const double factor : {0x1p8, 0x1p-8}) {
    Slack slack(10, 0.0);
    const std::vector<double> q(10, 1.0);
    for (int times = 0; times < 1000; ++times) {
      slack.select(q.data());
      slack.rescale(factor);
    }
    for (std::size_t i = 0; i < q.size(); ++i) CHECK(slack.of(q.data(), i) == 0.0);
    const svm::State state = svm::state_of(slack);
    Slack other(10, 0.0);
    svm::restore(other, state);
    CHECK(svm::state_of(other) == state);
  }
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  Random random(1, svm::Purpose::data);
  for (const std::size_t n : {2U, 3U, 17U, 64U, 65U, 1000U}) {
    for (const double nu : {0.0, 1e-9, 0.01, 0.3, 0.5, 1.0}) {
      check(n, nu, 2.0, random);
      check(n, nu, 1e6, random);
    }
  }
  check_without_slack();
  CHECK(svm::test::refuses([] { Slack(10, 10.5); }, "between 0 and n"));
  CHECK(svm::test::refuses([] { Slack(10, -0.5); }, "between 0 and n"));
  return svm::test::finish();
}
