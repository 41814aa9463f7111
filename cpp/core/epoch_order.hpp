// The order in which complete passes present the examples: a fresh permutation for each pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "random.hpp"

namespace svm {

class EpochOrder {
 public:
  EpochOrder(std::size_t size, std::uint64_t seed) : random_(seed, Purpose::order), order_(size) {
    std::iota(order_.begin(), order_.end(), 0U);
    random_.shuffle(order_);
  }

  /// The example that is to be presented now, and the one after it (itself at the end of a pass).
  std::size_t now() const noexcept { return order_[position_]; }
  std::size_t after() const noexcept { return order_[position_ + 1 < order_.size() ? position_ + 1 : position_]; }
  /// Goes on to the next; true where a pass has ended.
  bool advance() noexcept {
    if (++position_ < order_.size()) return false;
    position_ = 0;
    random_.shuffle(order_);
    return true;
  }

 private:
  Random random_;
  std::vector<std::uint32_t> order_;
  std::size_t position_ = 0;
};

}  // namespace svm
