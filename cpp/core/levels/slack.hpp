// The slack step of SIMBA: the largest weights get slack 2 each until the mass n nu is used up.
#pragma once

#include <cstddef>
#include <vector>

#include "levels/threshold_scan.hpp"

namespace svm {

/// argmax over 0 <= xi <= 2, sum xi <= mass, of sum q_i xi_i. Among equal weights the first ones get the slack.
class Slack {
 public:
  /// mass in [0, n].
  Slack(std::size_t n, double mass);

  /// O(n): one scan against a narrow window around the expected level, and a selection among the weights inside. Throws
  /// InvalidArgument if a weight is NaN.
  void select(const double* q);
  /// Call this after all weights have been multiplied by one factor.
  void rescale(double factor) noexcept {
    if (count_ == 0) return;  // the level is above all weights, whatever the factor
    level_ *= factor;
    window_ = {window_.low * factor, window_.high * factor};
  }

  /// The members that track the level; select() computes the others.
  void archive(StateArchive& state) {
    state.finite("level", level_);
    state.part("window", window_);
    state.finite("margin", margin_, 0.0);
    state.finite("drift", drift_, 0.0);
  }

  /// Weights above the level get slack 2, weights below it none.
  double level() const noexcept { return level_; }
  /// Indices of the weights that are equal to the level and get slack, rising.
  const std::vector<std::size_t>& tied() const noexcept { return tied_; }
  /// The slack of example i, for the q of the last select().
  double of(const double* q, std::size_t i) const noexcept {
    if (q[i] != level_) return q[i] > level_ ? most : 0.0;
    return i < cut_ ? most : (i == cut_ ? last_ : 0.0);
  }

 private:
  static constexpr double most = 2.0;  // slack of one example

  /// The k-th largest (from 0) of the weights inside the window: quickselect on SIMD vectors.
  double kth_largest(std::size_t k);
  /// Copies the candidates in [low, high] to selected_; returns how many.
  std::size_t select_between(std::size_t size, double low, double high);
  void centre_window(double level);

  std::size_t count_;  // examples that get slack
  double last_;        // what the last of them gets
  double level_;
  std::vector<std::size_t> tied_;
  std::size_t cut_ = 0;  // the last of them
  ThresholdScan scan_;
  Window window_;
  double margin_;       // half the window's width, relative to the level
  double drift_ = 1.0;  // factor of the level from one selection to the next, smoothed
  std::vector<double> candidates_;
  std::vector<double> selected_;
};

}  // namespace svm
