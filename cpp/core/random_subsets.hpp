// Random subsets of {0, ..., n - 1} of a fixed size, without replacement: each takes as many random numbers as it has elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "random.hpp"

namespace svm {

class RandomSubsets {
 public:
  /// 1 <= count <= size.
  RandomSubsets(std::size_t size, std::size_t count, std::uint64_t seed)
      : random_(seed, Purpose::sampling), items_(size), count_(count), drawn_(count * std::max(stock / count, one)) {
    std::iota(items_.begin(), items_.end(), 0U);
    next_ = drawn_.size();
  }

  std::size_t count() const noexcept { return count_; }
  /// The next subset, `count` different items, until the next call.
  const std::uint32_t* next() noexcept {
    if (next_ == drawn_.size()) draw();
    next_ += count_;
    return drawn_.data() + (next_ - count_);
  }
  /// The item that comes so many after the end of the present subset, or the last one drawn: to be fetched meanwhile.
  std::uint32_t ahead(std::size_t distance) const noexcept {
    return drawn_[std::min(next_ + distance, drawn_.size() - 1)];
  }

 private:
  static constexpr std::size_t stock = 256;  // items that are drawn at a time, at least
  static constexpr std::size_t one = 1;

  // The first steps of a shuffle: whatever the order before, all subsets are equally likely to come first.
  void draw() noexcept {
    for (std::size_t begin = 0; begin < drawn_.size(); begin += count_) {
      for (std::size_t k = 0; k < count_; ++k) {
        std::swap(items_[k], items_[k + random_.below32(static_cast<std::uint32_t>(items_.size() - k))]);
        drawn_[begin + k] = items_[k];
      }
    }
    next_ = 0;
  }

  Random random_;
  std::vector<std::uint32_t> items_;
  std::size_t count_;
  std::vector<std::uint32_t> drawn_;
  std::size_t next_;
};

}  // namespace svm
