#include "random/random.hpp"

#include <cmath>
#include <utility>

namespace svm {
std::array<std::uint32_t, 4> philox4x32(const std::array<std::uint32_t, 4>& counter,
                                        const std::array<std::uint32_t, 2>& key) noexcept {
  constexpr std::size_t blocks = simd::philox_blocks;
  std::array<std::uint32_t, 4 * blocks> words{};
  for (std::size_t k = 0; k < counter.size(); ++k) words[k * blocks] = counter[k];
  simd::loops().philox(words.data(), key[0], key[1]);
  return {words[0], words[blocks], words[2 * blocks], words[3 * blocks]};
}

Random::Random(std::uint64_t seed, Purpose purpose) noexcept
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      purpose_(static_cast<std::uint32_t>(purpose)) {}

void Random::refill() noexcept {
  std::array<std::uint32_t, 4 * blocks> words{};
  for (std::size_t b = 0; b < blocks; ++b) {
    words[b] = static_cast<std::uint32_t>(block_ + b);
    words[blocks + b] = static_cast<std::uint32_t>((block_ + b) >> 32);
    words[2 * blocks + b] = purpose_;
  }
  simd::loops().philox(words.data(), key_[0], key_[1]);
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t k = 0; k < 4; ++k) buffer_[4 * b + k] = words[k * blocks + b];
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

void Random::archive(StateArchive& state) {
  state.number("block", block_);
  state.count("used", used_, buffer_.size());
  state.number("has_spare", has_spare_);
  state.finite("spare", spare_);
  if (!state.reads()) return;
  state.check(used_ == buffer_.size() || block_ >= blocks, "block", " comes before the numbers that are in use");
  if (used_ == buffer_.size()) return;
  const std::size_t used = used_;  // the numbers of the present buffer are drawn again
  block_ -= blocks;
  refill();
  used_ = used;
}

void Random::shuffle(std::vector<std::uint32_t>& items) noexcept {
  for (std::size_t last = items.size(); last > 1; --last) {
    std::swap(items[last - 1], items[below32(static_cast<std::uint32_t>(last))]);
  }
}

}  // namespace svm
