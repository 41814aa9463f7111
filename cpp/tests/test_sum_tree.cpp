// Sum trees: the total and every draw against running sums, after single changes, changes of many, and of all.
#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "random/random.hpp"
#include "random/sum_tree.hpp"

using svm::Plain;
using svm::Random;
using svm::Squared;
using svm::SumTree;

namespace {

template <typename Weigh>
void set(SumTree<Weigh>& tree, std::size_t i, double value) {
  const auto place = static_cast<std::int32_t>(i);
  tree.values()[i] = value;
  tree.written(&place, 1);
}

template <typename Weigh>
void compare(const SumTree<Weigh>& tree, Random& random) {
  std::vector<double> sums(tree.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < tree.size(); ++i) sums[i] = sum += Weigh::weight(tree.values()[i]);
  CHECK(svm::test::near(tree.total(), sum, 1e-12 * sum));
  if (!(sum > 0.0)) return;
  for (int k = 0; k < 200; ++k) {
    const double uniform = k == 0 ? 0.0 : (k == 1 ? 1.0 - 0x1p-53 : random.uniform());
    const std::size_t drawn = tree.draw(uniform);
    CHECK(drawn < tree.size());
    CHECK(Weigh::weight(tree.values()[drawn]) > 0.0);
    CHECK(sums[drawn] >= uniform * sum * (1.0 - 1e-12));
    CHECK(drawn == 0 || sums[drawn - 1] <= uniform * sum * (1.0 + 1e-12));
  }
}

template <typename Weigh>
void check(std::size_t n, Random& random) {
  SumTree<Weigh> tree(n);
  CHECK(tree.total() == 0.0);
  for (const double size : {1e-150, 1e150, 1.0}) {
    for (std::size_t i = 0; i < n; ++i) tree.values()[i] = random.below(3) == 0 ? 0.0 : size * random.uniform();
    tree.written();
    compare(tree, random);
  }
  for (int k = 0; k < 50; ++k) set(tree, random.below(n), random.below(4) == 0 ? 0.0 : random.uniform());
  compare(tree, random);
  std::vector<std::int32_t> places;
  for (std::size_t i = 0; i < n; ++i) {
    if (random.below(5) != 0) continue;
    places.push_back(static_cast<std::int32_t>(i));
    tree.values()[i] = random.uniform();
  }
  tree.written(places.data(), places.size());
  compare(tree, random);
  for (const std::int32_t place : places) tree.values()[place] = random.uniform();
  tree.sum_blocks_of(places.data(), places.size());
  tree.sums_written();
  compare(tree, random);
  std::fill(tree.values(), tree.values() + n, 0.0);
  set(tree, n - 1, 1e-300);
  tree.written();
  CHECK(Weigh::weight(1e-300) == 0.0 || tree.draw(0.5) == n - 1);
}

// Weights whose sums are exact: the index of each draw is.
void check_whole_weights(std::size_t n, Random& random) {
  SumTree<Plain> tree(n);
  for (std::size_t i = 0; i < n; ++i) set(tree, i, i + 1 == n ? 3.0 : static_cast<double>(random.below(5)));
  double before = 0.0;
  for (std::size_t i = 0; i < n; before += tree.values()[i++]) {
    for (double part = 0.5; part < tree.values()[i]; ++part) CHECK(tree.draw((before + part) / tree.total()) == i);
  }
  CHECK(tree.total() == before && tree.draw(1.0 - 0x1p-53) == n - 1);
}

// After a million changes to weights of all sizes the total is that of a fresh tree.
void check_many_changes(Random& random) {
  constexpr std::size_t n = 4097;
  SumTree<Plain> tree(n);
  for (int k = 0; k < 1'000'000; ++k) set(tree, random.below(n), std::exp(4.0 * random.normal()));
  SumTree<Plain> fresh(n);
  std::copy_n(tree.values(), n, fresh.values());
  fresh.written();
  CHECK(tree.total() == fresh.total());
  compare(tree, random);
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  Random random(1, svm::Purpose::data);
  for (const std::size_t n : {1U, 2U, 15U, 16U, 17U, 255U, 256U, 257U, 4096U, 4097U, 70000U}) {
    check<Plain>(n, random);
    check<Squared>(n, random);
    if (n <= 4097) check_whole_weights(n, random);
  }
  check_many_changes(random);
  return svm::test::finish();
}
