// Rows over a changing set of members: the values of whole rows for any cache size, and their cost.
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "kernel/expansion.hpp"

using svm::CountedRows;
using svm::Expansion;
using svm::KernelFunction;
using svm::Random;
using svm::RowSource;

namespace {

constexpr std::size_t n = 70;
constexpr double tolerance = 2e-5;

void wander(RowSource& source, const svm::test::Data& data, const KernelFunction& kernel, std::uint64_t seed) {
  Random random(seed, svm::Purpose::data);
  CountedRows rows(source);
  Expansion expansion(rows);
  std::uint64_t expected = 0;
  const auto agrees = [&](const float* row, std::size_t i, std::size_t count) {
    double worst = 0.0;
    for (std::size_t s = 0; s < count; ++s) {
      const double exact = data.kernel(kernel, i, expansion.member(s));
      worst = std::max(worst, std::abs(static_cast<double>(row[s]) - exact) / std::max(1.0, std::abs(exact)));
    }
    return worst < tolerance;
  };
  for (int t = 0; t < 2000; ++t) {
    const std::size_t i = random.below(n);
    const std::uint64_t what = random.below(4);
    if (!expansion.contains(i)) {
      expected += expansion.size();
      CHECK(agrees(expansion.evaluate(i), i, expansion.size()));
      if (what == 0) CHECK(agrees(expansion.append_evaluated(i), i, expansion.size()));
      if (what == 1) expansion.add(i);
    }
    if (expansion.size() >= 2 && what >= 2) {
      const std::size_t a = random.below(expansion.size());
      const std::size_t b = random.below(expansion.size());
      const float* first = expansion.row(a);
      const float* second = expansion.row(b);
      expected += 2 * expansion.size();
      CHECK(agrees(first, expansion.member(a), expansion.size()));
      CHECK(agrees(second, expansion.member(b), expansion.size()));
      if (what == 3 && random.below(2) == 0) {
        const std::uint32_t gone = expansion.member(a);
        expansion.remove(a);
        CHECK(!expansion.contains(gone));
      }
    }
    CHECK(rows.counters().kernel_evaluations == expected && rows.counters().inner_products == expected);
  }
  CHECK(expansion.size() > 0);
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  svm::test::use_naive_gemm();
  const svm::test::Data plain(n, 5, 2);
  svm::test::Data binary(n, 5, 3);
  for (float& value : binary.dense) value = value > 0.0F ? 1.0F : 0.0F;
  for (const auto kind :
       {KernelFunction::Kind::gaussian, KernelFunction::Kind::polynomial, KernelFunction::Kind::linear}) {
    const KernelFunction kernel{kind, 0.25, 1.0, 3};
    for (const bool sparse : {false, true}) {
      const svm::Points points(plain.view(sparse));
      std::vector<float> gram(n * n);
      for (std::size_t i = 0; i < n; ++i) svm::kernel_row(kernel, points, i, gram.data() + i * n);
      svm::GramRows whole(kernel, plain.view(sparse), 30, gram.data());
      wander(whole, plain, kernel, 1);
      for (const std::size_t capacity : {2U, 20U, 70U}) {
        svm::CachedRows cached(kernel, plain.view(sparse), 30, capacity);
        wander(cached, plain, kernel, 1);
      }
    }
    svm::CachedRows packed(kernel, binary.view(false), 30, 10);
    CHECK(packed.points().words() > 0);
    wander(packed, binary, kernel, 1);
  }
  return svm::test::finish();
}
