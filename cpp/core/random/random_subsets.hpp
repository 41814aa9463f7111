// Random subsets of {0, ..., n - 1} of a fixed size, without replacement. Each takes as many random numbers as it has
// elements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "random/random.hpp"

namespace svm {

class RandomSubsets {
 public:
  /// 1 <= count <= size.
  RandomSubsets(std::size_t size, std::size_t count, std::uint64_t seed)
      : random_(seed, Purpose::sampling),
        items_(size),
        count_(count),
        drawn_(count * std::max(count < large ? stock / count : one, one)),
        prepared_(drawn_.size()) {
    std::iota(items_.begin(), items_.end(), 0U);
    if (count_ >= large) unordered_.resize(count_);
    while ((size - 1) >> shift_ >= ranges) ++shift_;
    next_ = drawn_.size();
  }

  std::size_t count() const noexcept { return count_; }
  /// The next subset: `count` different items, valid until the next call.
  const std::uint32_t* next() noexcept {
    if (next_ == drawn_.size()) {
      prepare();
      std::swap(drawn_, prepared_);
      ready_ = false;
      next_ = 0;
    }
    next_ += count_;
    return drawn_.data() + (next_ - count_);
  }
  /// Draws the items of the next call of next() in advance; the present subset stays valid.
  void prepare() noexcept {
    if (next_ != drawn_.size() || ready_) return;
    draw();
    ready_ = true;
  }
  void archive(StateArchive& state) {
    state.part("random", random_);
    state.permutation("items", items_);
    state.indices("drawn", drawn_, items_.size());
    state.count("next", next_, drawn_.size());
    state.check(next_ % count_ == 0, "next", " is not where a subset begins");
    state.indices("prepared", prepared_, items_.size());
    state.number("ready", ready_);
    if (!state.reads()) return;
    state.check(distinct(drawn_, next_), "drawn", " has an item twice in a subset");
    state.check(!ready_ || distinct(prepared_, 0), "prepared", " has an item twice in a subset");
  }
  /// The item `distance` positions after the end of the present subset, or the last one drawn; for prefetching.
  std::uint32_t ahead(std::size_t distance) const noexcept {
    return drawn_[std::min(next_ + distance, drawn_.size() - 1)];
  }

 private:
  static constexpr std::size_t stock = 1024;  // items that are drawn at a time if subsets are small
  static constexpr std::size_t one = 1;

  // A subset of at least `large` items is grouped by this many ranges of item numbers: nearby rows are then read at
  // about the same time, and are still in the cache.
  static constexpr std::size_t ranges = 64;
  static constexpr std::size_t large = 128;

  /// Whether no subset from index `begin` on has an item twice.
  bool distinct(const std::vector<std::uint32_t>& subsets, std::size_t begin) const {
    std::vector<std::size_t> last(
        items_.size());  // for each item 1 + the index at which the last subset with it begins
    for (std::size_t place = begin; place < subsets.size(); ++place) {
      std::size_t& mark = last[subsets[place]];
      const std::size_t own = place / count_ * count_ + 1;
      if (mark == own) return false;
      mark = own;
    }
    return true;
  }
  void draw() noexcept {
    Random random = random_;  // a local copy: other threads may read members in the same cache line
    for (std::size_t begin = 0; begin < prepared_.size(); begin += count_) {
      std::uint32_t* out = prepared_.data() + begin;
      shuffle(random, count_ < large ? out : unordered_.data());
      if (count_ >= large) gather_ranges(out);
    }
    random_ = random;
  }
  // The first `count` steps of a Fisher-Yates shuffle: from any order before, all subsets are equally likely. The last
  // of these steps need not swap.
  void shuffle(Random& random, std::uint32_t* out) noexcept {
    const auto size = static_cast<std::uint32_t>(items_.size());
    for (std::uint32_t k = 0; k < count_; ++k) {
      const std::uint32_t place = k + random.below32(size - k);
      out[k] = items_[place];
      if (k + 1 == count_) break;
      items_[place] = items_[k];
      items_[k] = out[k];
    }
  }
  void gather_ranges(std::uint32_t* out) noexcept {
    std::array<std::uint32_t, ranges + 1> begin{};
    for (const std::uint32_t item : unordered_) ++begin[(item >> shift_) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const std::uint32_t item : unordered_) out[begin[item >> shift_]++] = item;
  }

  Random random_;
  std::vector<std::uint32_t> items_;
  std::size_t count_;
  std::vector<std::uint32_t> drawn_;
  std::size_t next_;
  std::vector<std::uint32_t> prepared_;
  unsigned shift_ = 0;  // item >> shift_ is its range
  std::vector<std::uint32_t> unordered_;
  bool ready_ = false;  // `prepared_` has been drawn
};

}  // namespace svm
