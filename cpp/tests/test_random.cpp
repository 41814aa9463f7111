// Philox's known answers (Random123's kat_vectors), bounded integers and shuffles.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "check.hpp"
#include "random/random.hpp"

using svm::philox4x32;
using svm::Purpose;
using svm::Random;
using Block = std::array<std::uint32_t, 4>;

int main() {
  svm::test::skip_without_instruction_set();
  CHECK((philox4x32({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}));
  constexpr std::uint32_t ones = 0xffffffffu;
  CHECK((philox4x32({ones, ones, ones, ones}, {ones, ones}) ==
         Block{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}));
  CHECK((philox4x32({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}) ==
         Block{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}));

  Random random(7, Purpose::sampling);
  for (const std::uint64_t bound : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{1000},
                                    (std::uint64_t{1} << 63) + 1, ~std::uint64_t{0}}) {
    for (int k = 0; k < 1000; ++k) CHECK(random.below(bound) < bound);
  }
  for (int k = 0; k < 1000; ++k) {
    const double x = random.uniform();
    CHECK(x >= 0.0 && x < 1.0);
    CHECK(std::isfinite(random.normal()));
  }

  std::vector<std::uint32_t> items(1000);
  for (std::uint32_t k = 0; k < 1000; ++k) items[k] = k;
  const std::vector<std::uint32_t> before = items;
  random.shuffle(items);
  CHECK(items != before);
  std::sort(items.begin(), items.end());
  CHECK(items == before);
  std::vector<std::uint32_t> none;
  random.shuffle(none);
  CHECK(none.empty());

  std::map<std::vector<std::uint32_t>, int> orders;
  for (int k = 0; k < 24'000; ++k) {
    std::vector<std::uint32_t> four{0, 1, 2, 3};
    random.shuffle(four);
    ++orders[four];
  }
  CHECK(orders.size() == 24);
  // a thousand of each are expected, with a standard deviation of 31
  for (const auto& [order, times] : orders) CHECK(std::abs(times - 1000) < 160);

  std::set<std::uint64_t> words;
  for (const std::uint64_t seed : {0ull, 1ull, 1ull << 32, 1ull << 63}) {
    for (const Purpose purpose : {Purpose::sampling, Purpose::order, Purpose::features, Purpose::data}) {
      Random stream(seed, purpose);
      for (int k = 0; k < 10; ++k) words.insert(stream.bits64());
    }
  }
  CHECK(words.size() == 160);
  return svm::test::finish();
}
