// A tree of sums of weights: drawing an index in proportion to its weight, and changing a weight, take O(log n) steps.
// A sum is always recomputed from the sixteen numbers below it, so rounding errors do not accumulate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/aligned.hpp"
#include "base/state.hpp"
#include "simd/loops.hpp"

namespace svm {

/// The weight of a value is the value itself, which must not be negative.
struct Plain {
  static double weight(double value) noexcept { return value; }
  static auto sums() { return simd::loops().sum_sixteens; }
};

/// The weight of a value is its square.
struct Squared {
  static double weight(double value) noexcept { return value * value; }
  static auto sums() { return simd::loops().sum_squared_sixteens; }
};

template <typename Weigh>
class SumTree {
 public:
  static constexpr std::size_t fan = 16;

  /// n >= 1 values, all 0.
  explicit SumTree(std::size_t size) : size_(size), values_(padded(size)) {
    for (std::size_t count = size; sums_.empty() || count > 1;) {
      count = padded(count) / fan;
      sums_.emplace_back(padded(count));
    }
  }

  std::size_t size() const noexcept { return size_; }
  /// The values, padded with zeros to a multiple of `fan`. After writing to them call one of the functions below.
  double* values() noexcept { return values_.data(); }
  const double* values() const noexcept { return values_.data(); }
  double total() const noexcept { return sums_.back()[0]; }

  /// Call after writing values at these `count` rising indices.
  void written(const std::int32_t* places, std::size_t count) {
    touch(places, count);
    sum_again();
  }

  /// Call after writing any values.
  void written() {
    touch_all();
    sum_again();
  }

  /// The sums of `fan` weights each, blocks() of them. A caller that writes all of them itself then calls
  /// sums_written().
  double* sums() noexcept { return sums_[0].data(); }
  const double* sums() const noexcept { return sums_[0].data(); }
  std::size_t blocks() const noexcept { return values_.size() / fan; }
  /// Recomputes those of these sums that contain the values at `count` indices.
  void sum_blocks_of(const std::int32_t* places, std::size_t count) {
    touch(places, count);
    Weigh::sums()(values(), touched_.data(), touched_.size(), sums());
  }
  void sums_written() {
    touch_all();
    sum_above();
  }

  /// Stores the sums too: their last bits depend on how they were computed.
  void archive(StateArchive& state) {
    state.finite_values("values", values_);
    state.lists("sums", sums_);
    if (!state.reads()) return;
    // `draw` follows positive weights; with none beyond the last value it stays inside the arrays.
    bool sound = !sums_.empty();
    std::size_t count = size_;
    for (const AlignedVector<double>& sums : sums_) {
      count = padded(count) / fan;
      sound = sound && sums.size() == padded(count) && none_from(sums, count);
      sound =
          sound && std::all_of(sums.begin(), sums.end(), [](double sum) { return sum >= 0.0 && std::isfinite(sum); });
    }
    state.check(sound && count == 1, "sums", " are not sums of weights");
    const auto weighs = [](double value) { return Weigh::weight(value) >= 0.0; };
    state.check(none_from(values_, size_) && std::all_of(values_.begin(), values_.end(), weighs), "values",
                " are not weights");
  }

  /// The first i such that weights 0 to i sum to more than uniform * total(), up to rounding; its weight is not 0.
  /// `uniform` in [0, 1), total() > 0.
  std::size_t draw(double uniform) const noexcept {
    double target = uniform * total();
    std::size_t block = 0;
    for (std::size_t level = sums_.size() - 1; level-- > 0;) {
      const double* sums = sums_[level].data() + block * fan;
      block = block * fan + pick(target, [&](std::size_t k) { return sums[k]; });
    }
    const double* values = values_.data() + block * fan;
    return block * fan + pick(target, [&](std::size_t k) { return Weigh::weight(values[k]); });
  }

 private:
  static std::size_t padded(std::size_t count) noexcept { return (count + fan - 1) / fan * fan; }
  /// Whether all elements from index `place` on are 0.
  static bool none_from(const AlignedVector<double>& elements, std::size_t place) {
    return std::all_of(elements.begin() + static_cast<std::ptrdiff_t>(place), elements.end(),
                       [](double element) { return element == 0.0; });
  }

  void touch_all() {
    touched_.resize(blocks());
    std::iota(touched_.begin(), touched_.end(), std::size_t{0});
  }
  void touch(const std::int32_t* places, std::size_t count) {
    touched_.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t block = static_cast<std::size_t>(places[k]) / fan;
      if (touched_.empty() || touched_.back() != block) touched_.push_back(block);
    }
  }

  void sum_again() {
    Weigh::sums()(values(), touched_.data(), touched_.size(), sums());
    sum_above();
  }

  // Recomputes the levels above, up to the total.
  void sum_above() {
    for (std::size_t level = 1; level < sums_.size(); ++level) {
      std::size_t kept = 0;
      for (const std::size_t below : touched_) {
        const std::size_t block = below / fan;
        if (kept == 0 || touched_[kept - 1] != block) touched_[kept++] = block;
      }
      touched_.resize(kept);
      simd::loops().sum_sixteens(sums_[level - 1].data(), touched_.data(), kept, sums_[level].data());
    }
  }

  // Picks one of sixteen weights and subtracts those before it from `target`.
  template <typename Weights>
  static std::size_t pick(double& target, const Weights& weights) noexcept {
    std::size_t last = 0;  // the last positive one: with rounding `target` may exceed the sum of all
    for (std::size_t k = 0; k < fan; ++k) {
      const double weight = weights(k);
      if (!(weight > 0.0)) continue;
      if (target < weight) return k;
      target -= weight;
      last = k;
    }
    target = weights(last);
    return last;
  }

  std::size_t size_;
  AlignedVector<double> values_;
  std::vector<AlignedVector<double>> sums_;  // sums_[0]: of sixteen weights each; every level is padded with zeros
  std::vector<std::size_t> touched_;         // blocks of one level whose sums are to be computed, rising
};

}  // namespace svm
