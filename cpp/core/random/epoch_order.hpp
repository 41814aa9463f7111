// The order in which complete passes present the examples: a fresh permutation for each pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "random/random.hpp"

namespace svm {

class EpochOrder {
 public:
  EpochOrder(std::size_t size, std::uint64_t seed) : random_(seed, Purpose::order), order_(size) {
    std::iota(order_.begin(), order_.end(), 0U);
    random_.shuffle(order_);
  }

  /// The example that is to be presented now.
  std::size_t now() const noexcept { return order_[position_]; }
  /// Those that come soon and later, to be fetched meanwhile: memory answers after several short rows are done.
  std::size_t soon() const noexcept { return ahead(4); }
  std::size_t later() const noexcept { return ahead(8); }
  /// The one `count` places on, or the last of the pass.
  std::size_t ahead(std::size_t count) const noexcept { return order_[std::min(position_ + count, order_.size() - 1)]; }
  /// Goes on to the next; true where a pass has ended.
  bool advance() noexcept {
    if (++position_ < order_.size()) return false;
    position_ = 0;
    random_.shuffle(order_);
    return true;
  }
  void archive(StateArchive& state) {
    state.part("random", random_);
    state.permutation("order", order_);
    state.index("position", position_, order_.size());
  }

 private:
  Random random_;
  std::vector<std::uint32_t> order_;
  std::size_t position_ = 0;
};

}  // namespace svm
