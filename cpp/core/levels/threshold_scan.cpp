#include "levels/threshold_scan.hpp"

#include <algorithm>
#include <cmath>

#include "simd/loops.hpp"

namespace svm {

ThresholdScan::ThresholdScan(std::size_t begin, std::size_t end)
    : begin_(begin), end_(end), block_counts_((end - begin + simd::block - 1) / simd::block) {}

void ThresholdScan::scan(const double* v, Window window) {
  window_ = window;
  below_sum_ = simd::loops().scan(v + begin_, size(), window.low, window.high, block_counts_.data());
  compact_inside(v);
}

void ThresholdScan::add_and_scan(double* v, const float* x, double a, Window window) {
  window_ = window;
  below_sum_ =
      simd::loops().add_and_scan(v + begin_, x + begin_, a, size(), window.low, window.high, block_counts_.data());
  compact_inside(v);
}

void ThresholdScan::add_and_scan(double* v, const float* x, double a, const float* z, double b, Window window) {
  window_ = window;
  below_sum_ = simd::loops().add_two_and_scan(v + begin_, x + begin_, a, z + begin_, b, size(), window.low, window.high,
                                              block_counts_.data());
  compact_inside(v);
}

void ThresholdScan::compact_inside(const double* v) {
  double block_counts = 0.0;
  double units = 0.0;
  for (const double code : block_counts_) {
    block_counts += code;
    units += std::trunc(code / simd::inside_unit);
  }
  const auto total = static_cast<std::size_t>(units);
  below_ = static_cast<std::size_t>(block_counts - units * simd::inside_unit);
  // With NaN among the responses a block may have more elements than its count says, hence the extra room.
  inside_.resize(total + simd::block + simd::lanes);
  inside_index_.resize(inside_.size());
  std::size_t kept = 0;
  for (std::size_t b = 0; b < block_counts_.size() && kept < total; ++b) {
    if (block_counts_[b] < simd::inside_unit) continue;
    const std::size_t first = begin_ + b * simd::block;
    kept += simd::loops().compact(v + first, std::min(simd::block, end_ - first), first, window_.low, window_.high,
                                  inside_.data() + kept, inside_index_.data() + kept);
  }
  inside_.resize(total);
  inside_index_.resize(total);
}

// The sum below the window is stored too: its last bits depend on the pass in which it was computed.
void ThresholdScan::archive(StateArchive& state, const double* v) {
  state.part("window", window_);
  state.values("block_counts", block_counts_);
  state.number("below", below_);
  state.finite("below_sum", below_sum_);
  state.list("inside", inside_);
  state.list("inside_index", inside_index_);
  if (!state.reads()) return;
  ThresholdScan again(begin_, end_);
  again.scan(v, window_);
  state.check(again.block_counts_ == block_counts_ && again.below_ == below_ && again.inside_ == inside_ &&
                  again.inside_index_ == inside_index_,
              "inside", " is not what a scan of the responses finds");
}

std::size_t ThresholdScan::covered(double level) const noexcept {
  return below_ +
         static_cast<std::size_t>(std::count_if(inside_.begin(), inside_.end(), [=](double x) { return x <= level; }));
}

std::size_t ThresholdScan::covered_index(const double* v, double level, std::size_t k) const {
  if (k >= below_) {
    k -= below_;
    for (std::size_t p = 0; p < inside_.size(); ++p) {
      if (inside_[p] <= level && k-- == 0) return inside_index_[p];
    }
  } else {
    std::size_t b = 0;
    for (; b < block_counts_.size(); ++b) {
      const std::size_t here = static_cast<std::size_t>(block_counts_[b]) % static_cast<std::size_t>(simd::inside_unit);
      if (k < here) break;
      k -= here;
    }
    for (std::size_t j = begin_ + b * simd::block; j < end_; ++j) {
      if (v[j] < window_.low && k-- == 0) return j;
    }
  }
  throw InvalidArgument("no such response is covered by the water level: a response or the level is not a number");
}

}  // namespace svm
