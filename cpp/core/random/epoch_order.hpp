// The order of the examples in passes over the training set: a random permutation, and by default a fresh one in each.
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
  /// fresh: each pass has another order.
  EpochOrder(std::size_t size, std::uint64_t seed, bool fresh = true)
      : random_(seed, Purpose::order), order_(size), fresh_(fresh) {
    std::iota(order_.begin(), order_.end(), 0U);
    random_.shuffle(order_);
  }

  /// The present example.
  std::size_t now() const noexcept { return order_[position_]; }
  /// The example `count` positions later, or the last one of the pass.
  std::size_t ahead(std::size_t count) const noexcept { return order_[std::min(position_ + count, order_.size() - 1)]; }
  /// Prefetches rows that come soon; see CountedFeatures.
  template <typename Features>
  void prefetch(const Features& features) const noexcept {
    features.prefetch_offset(ahead(Features::offsets_ahead));
    features.prefetch_row(ahead(Features::rows_ahead));
  }
  /// Moves to the next example. Returns true if that ended a pass.
  bool advance() noexcept {
    if (++position_ < order_.size()) return false;
    position_ = 0;
    if (fresh_) random_.shuffle(order_);
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
  bool fresh_;
};

}  // namespace svm
