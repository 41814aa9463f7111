#include "random.hpp"

#include <cmath>
#include <utility>

namespace svm {

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) noexcept {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t left = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t right = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<std::uint32_t>(right >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(right),
               static_cast<std::uint32_t>(left >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(left)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

Random::Random(std::uint64_t seed, Purpose purpose) noexcept
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      purpose_(static_cast<std::uint32_t>(purpose)) {}

void Random::refill() noexcept {
  buffer_ =
      philox4x32({static_cast<std::uint32_t>(block_), static_cast<std::uint32_t>(block_ >> 32), purpose_, 0}, key_);
  ++block_;
  used_ = 0;
}

std::uint32_t Random::bits32() noexcept {
  if (used_ == buffer_.size()) refill();
  return buffer_[used_++];
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

std::uint32_t Random::below32(std::uint32_t bound) noexcept {
  std::uint64_t product = std::uint64_t{bits32()} * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{bits32()} * bound;
  }
  return static_cast<std::uint32_t>(product >> 32);
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
