#include "random.hpp"

#include <cmath>
#include <utility>

namespace svm {
namespace {

/// Words 0 to 3 of some counter blocks.
template <std::size_t blocks>
using Words = std::array<std::array<std::uint32_t, blocks>, 4>;

/// 10 rounds of Philox4x32 on each block.
template <std::size_t blocks>
void philox(Words<blocks>& word, std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::uint64_t left = std::uint64_t{0xD2511F53u} * word[0][b];
      const std::uint64_t right = std::uint64_t{0xCD9E8D57u} * word[2][b];
      word[0][b] = static_cast<std::uint32_t>(right >> 32) ^ word[1][b] ^ key[0];
      word[1][b] = static_cast<std::uint32_t>(right);
      word[2][b] = static_cast<std::uint32_t>(left >> 32) ^ word[3][b] ^ key[1];
      word[3][b] = static_cast<std::uint32_t>(left);
    }
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(const std::array<std::uint32_t, 4>& counter,
                                        const std::array<std::uint32_t, 2>& key) noexcept {
  Words<1> word{};
  for (std::size_t k = 0; k < word.size(); ++k) word[k][0] = counter[k];
  philox(word, key);
  return {word[0][0], word[1][0], word[2][0], word[3][0]};
}

Random::Random(std::uint64_t seed, Purpose purpose) noexcept
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      purpose_(static_cast<std::uint32_t>(purpose)) {}

void Random::refill() noexcept {
  Words<blocks> word{};
  for (std::size_t b = 0; b < blocks; ++b) {
    word[0][b] = static_cast<std::uint32_t>(block_ + b);
    word[1][b] = static_cast<std::uint32_t>((block_ + b) >> 32);
    word[2][b] = purpose_;
  }
  philox(word, key_);
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t k = 0; k < word.size(); ++k) buffer_[word.size() * b + k] = word[k][b];
  }
  block_ += blocks;
  used_ = 0;
}

std::uint64_t Random::bits64() noexcept {
  const std::uint64_t low = bits32();
  return low | (std::uint64_t{bits32()} << 32);
}

std::uint64_t Random::below(std::uint64_t bound) noexcept {
  __extension__ using Wide = unsigned __int128;
  Wide product = Wide{bits64()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) product = Wide{bits64()} * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double Random::uniform() noexcept { return static_cast<double>(bits64() >> 11) * 0x1.0p-53; }

double Random::normal() noexcept {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double x = 0.0;
  double y = 0.0;
  double square = 0.0;
  do {
    x = 2.0 * uniform() - 1.0;
    y = 2.0 * uniform() - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(square) / square);
  spare_ = y * factor;
  has_spare_ = true;
  return x * factor;
}

void Random::shuffle(std::vector<std::uint32_t>& items) noexcept {
  for (std::size_t last = items.size(); last > 1; --last) {
    std::swap(items[last - 1], items[below32(static_cast<std::uint32_t>(last))]);
  }
}

}  // namespace svm
