#include "levels/threshold_scan.hpp"

#include <algorithm>
#include <iterator>

namespace svm {

ThresholdScan::ThresholdScan(std::size_t begin, std::size_t end)
    : begin_(begin), end_(end), blocks_((end - begin + simd::block - 1) / simd::block) {}

void ThresholdScan::scan(const double* v, Window window) {
  window_ = window;
  take(simd::loops().scan(v + begin_, size(), window.low, window.high, blocks_.data()), v);
}

void ThresholdScan::add_and_scan(double* v, const float* x, double a, Window window) {
  window_ = window;
  take(simd::loops().add_and_scan(v + begin_, x + begin_, a, size(), window.low, window.high, blocks_.data()), v);
}

void ThresholdScan::add_and_scan(double* v, const float* x, double a, const float* z, double b, Window window) {
  window_ = window;
  take(simd::loops().add_two_and_scan(v + begin_, x + begin_, a, z + begin_, b, size(), window.low, window.high,
                                      blocks_.data()),
       v);
}

double ThresholdScan::lowest(const double* v) const noexcept {
  // Eight minima at a time: one would wait for itself.
  double least[8];
  std::fill(std::begin(least), std::end(least), Window::everything);
  std::size_t i = begin_;
  for (; i + 8 <= end_; i += 8) {
    for (std::size_t k = 0; k < 8; ++k) least[k] = v[i + k] < least[k] ? v[i + k] : least[k];
  }
  for (; i < end_; ++i) least[0] = std::min(least[0], v[i]);
  return *std::min_element(std::begin(least), std::end(least));
}

void ThresholdScan::take(const simd::Scanned& scanned, const double* v) {
  below_ = scanned.below;
  below_sum_ = scanned.below_sum;
  inside_.resize(scanned.inside);
  inside_index_.resize(scanned.inside);
  simd::loops().take_inside(v + begin_, begin_, blocks_.data(), blocks_.size(), inside_.data(), inside_index_.data());
}

// A scan of the responses finds all but the sum below the window, whose last bits depend on the pass in which it was
// computed.
void ThresholdScan::archive(StateArchive& state, const double* v) {
  state.part("window", window_);
  state.finite("below_sum", below_sum_);
  if (!state.reads()) return;
  const double below_sum = below_sum_;
  scan(v, window_);
  below_sum_ = below_sum;
}

std::size_t ThresholdScan::covered(double level) const noexcept {
  return below_ +
         static_cast<std::size_t>(std::count_if(inside_.begin(), inside_.end(), [=](double x) { return x <= level; }));
}

std::size_t ThresholdScan::covered_index(double level, std::size_t k) const {
  if (k < below_) return begin_ + simd::loops().nth_below(blocks_.data(), blocks_.size(), k);
  k -= below_;
  for (std::size_t p = 0; p < inside_.size(); ++p) {
    if (inside_[p] <= level && k-- == 0) return inside_index_[p];
  }
  throw InvalidArgument("no such response is covered by the water level: a response or the level is not a number");
}

}  // namespace svm
