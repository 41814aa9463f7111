// Philox's known answers (Random123's kat_vectors) with each instruction set, and streams that differ. What a stream
// makes of the words is tested in tests/solvers/test_random.py.
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
