// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3;
// SC 2011). Bounded integers, shuffles and normals are implemented here, so a seed gives the same numbers with every
// compiler and library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/state.hpp"
#include "simd/loops.hpp"

namespace svm {

/// The use of a stream. Streams of one seed and different purposes are independent.
enum class Purpose : std::uint32_t { sampling = 1, order = 2, features = 3, data = 4 };

class Random {
 public:
  Random(std::uint64_t seed, Purpose purpose) noexcept;

  std::uint32_t bits32() noexcept {
    if (used_ == buffer_.size()) refill();
    return buffer_[used_++];
  }
  std::uint64_t bits64() noexcept;
  /// Uniform on {0, ..., bound - 1}, without bias (Lemire 2019); bound >= 1.
  std::uint64_t below(std::uint64_t bound) noexcept;
  /// Like `below`, from half as many random bits: random numbers take most of the time of a shuffle.
  std::uint32_t below32(std::uint32_t bound) noexcept {
    std::uint64_t product = std::uint64_t{bits32()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{bits32()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }
  /// Uniform on [0, 1) with 53 random bits.
  double uniform() noexcept;
  /// Standard normal (Marsaglia's polar method).
  double normal() noexcept;
  /// Fisher-Yates, of fewer than 2^32 items.
  void shuffle(std::vector<std::uint32_t>& items) noexcept;
  /// The position in the stream; seed and purpose are not stored.
  void archive(StateArchive& state);

 private:
  static constexpr std::size_t blocks = simd::philox_blocks;

  void refill() noexcept;

  std::array<std::uint32_t, 2> key_;
  std::uint32_t purpose_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4 * blocks> buffer_{};
  std::size_t used_ = 4 * blocks;
  bool has_spare_ = false;
  double spare_ = 0.0;
};

/// The generator itself: 10 rounds on one counter block.
std::array<std::uint32_t, 4> philox4x32(const std::array<std::uint32_t, 4>& counter,
                                        const std::array<std::uint32_t, 2>& key) noexcept;

}  // namespace svm
