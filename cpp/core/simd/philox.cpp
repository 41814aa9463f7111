// Philox4x32 on 16 counter blocks at a time: each round depends on the one before, so 16 blocks take little longer than
// one.
#include "simd/loops.hpp"

namespace svm::simd::SVM_SIMD_NAME {
namespace {

void philox(std::uint32_t* words, std::uint32_t low_key, std::uint32_t high_key) {
  // Words are held in 64 bits, the width of their products, so that each product is one vector multiplication.
  std::uint64_t word[4][philox_blocks];
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t b = 0; b < philox_blocks; ++b) word[k][b] = words[k * philox_blocks + b];
  }
  constexpr std::uint64_t low = 0xFFFFFFFFu;
  for (int round = 0; round < 10; ++round) {
    for (std::size_t b = 0; b < philox_blocks; ++b) {
      const std::uint64_t left = 0xD2511F53u * (word[0][b] & low);
      const std::uint64_t right = 0xCD9E8D57u * (word[2][b] & low);
      word[0][b] = (right >> 32) ^ word[1][b] ^ low_key;
      word[1][b] = right & low;
      word[2][b] = (left >> 32) ^ word[3][b] ^ high_key;
      word[3][b] = left & low;
    }
    low_key += 0x9E3779B9u;
    high_key += 0xBB67AE85u;
  }
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::size_t b = 0; b < philox_blocks; ++b)
      words[k * philox_blocks + b] = static_cast<std::uint32_t>(word[k][b]);
  }
}

}  // namespace

void set_philox(Loops& table) { table.philox = philox; }

}  // namespace svm::simd::SVM_SIMD_NAME
