// Random subsets of {0, ..., n - 1} of a fixed size, without replacement. Each takes as many random numbers as it has
// elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "random/random.hpp"

namespace svm {

class RandomSubsets {
 public:
  /// 1 <= count <= size.
  RandomSubsets(std::size_t size, std::size_t count, std::uint64_t seed)
      : random_(seed, Purpose::sampling),
        size_(size),
        count_(count),
        ordered_(size / count < gap),
        drawn_(count * std::max(stock / count, one)),
        next_(drawn_.size()),
        prepared_(drawn_.size()),
        marks_((size + word - 1) / word) {}

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
    state.indices("drawn", drawn_, size_);
    state.count("next", next_, drawn_.size());
    state.check(next_ % count_ == 0, "next", " is not where a subset begins");
    state.indices("prepared", prepared_, size_);
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

  static constexpr std::size_t word = 64;  // marks
  static constexpr std::size_t gap = 512;  // between the items of an ordered subset, at most, on average

  /// Whether no subset from index `begin` on has an item twice.
  bool distinct(const std::vector<std::uint32_t>& subsets, std::size_t begin) const {
    std::vector<std::size_t> last(size_);  // for each item 1 + the index at which the last subset with it begins
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
      draw_one(random, out);
      if (ordered_) {
        take_marked(out);
      } else {
        for (std::size_t k = 0; k < count_; ++k) marks_[out[k] / word] = 0;
      }
    }
    random_ = random;
  }
  // Floyd's algorithm (Bentley, Floyd: A sample of brilliance; Communications of the ACM 30, 1987). All subsets are
  // equally likely. Marks the items.
  void draw_one(Random& random, std::uint32_t* out) noexcept {
    for (auto last = static_cast<std::uint32_t>(size_ - count_); last < size_; ++last) {
      std::uint32_t item = random.below32(last + 1);
      if ((marks_[item / word] >> (item % word) & 1) != 0) item = last;
      marks_[item / word] |= std::uint64_t{1} << (item % word);
      *out++ = item;
    }
  }
  // Writes the marked items in rising order and removes the marks.
  void take_marked(std::uint32_t* out) noexcept {
    for (std::size_t place = 0; place < marks_.size(); ++place) {
      for (std::uint64_t left = std::exchange(marks_[place], 0); left != 0; left &= left - 1) {
        *out++ = static_cast<std::uint32_t>(place * word) + static_cast<std::uint32_t>(__builtin_ctzll(left));
      }
    }
  }

  Random random_;
  std::size_t size_;
  std::size_t count_;
  bool ordered_;  // in rising order: nearby rows are then read one after the other. Finding the order takes O(size)
  std::vector<std::uint32_t> drawn_;
  std::size_t next_;
  std::vector<std::uint32_t> prepared_;
  std::vector<std::uint64_t> marks_;  // bit i % 64 of word i / 64 for item i; 0 between draws
  bool ready_ = false;                // `prepared_` has been drawn
};

}  // namespace svm
