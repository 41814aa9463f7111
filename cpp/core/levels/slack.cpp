#include "levels/slack.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.hpp"
#include "simd/loops.hpp"

namespace svm {
namespace {

constexpr const char* no_number = "the slack cannot be selected: a weight is not a number, or too large";
constexpr int most_attempts = 1000;  // each makes the window four times as wide, until it contains everything
constexpr double first_margin = 0.1;
// Factors of the window's width: after the level lay outside, after a selection, and after one with more than `crowded`
// weights.
constexpr double missed = 4.0;
constexpr double wider = 1.05;
constexpr double narrower = 0.8;
constexpr std::size_t crowded = 64;
constexpr double memory = 0.9;   // weight of the past in the level's drift
constexpr std::size_t few = 32;  // from here on std::nth_element, which mispredicts every other branch, is faster

}  // namespace

Slack::Slack(std::size_t n, double mass) : scan_(0, n), margin_(first_margin) {
  require(mass >= 0.0 && mass <= static_cast<double>(n), "the slack's mass lies between 0 and n");
  const double full = std::floor(mass / most);
  const double rest = mass - most * full;
  count_ = static_cast<std::size_t>(full) + (rest > 0.0 ? 1 : 0);
  last_ = rest > 0.0 ? rest : most;
  level_ = Window::everything;
}

void Slack::select(const double* q) {
  if (count_ == 0) return;
  std::size_t above = 0;
  for (int attempt = 0;; ++attempt) {
    require(attempt < most_attempts, no_number);
    scan_.scan(q, window_);
    const std::size_t reached = scan_.size() - scan_.below();
    above = reached - scan_.inside().size();
    if (above < count_ && count_ <= reached) break;
    margin_ *= missed;
    if (above >= count_) {
      window_ = {window_.high, margin_ < 1.0 ? window_.high * (1.0 + margin_) : Window::everything};
    } else {
      window_ = {margin_ < 1.0 ? window_.low * (1.0 - margin_) : 0.0, window_.low};
    }
  }
  centre_window(kth_largest(count_ - above - 1));
  const std::vector<double>& inside = scan_.inside();
  const auto larger =
      static_cast<std::size_t>(std::count_if(inside.begin(), inside.end(), [this](double x) { return x > level_; }));
  tied_.clear();
  for (std::size_t k = 0; k < inside.size() && tied_.size() < count_ - above - larger; ++k) {
    if (inside[k] == level_) tied_.push_back(scan_.inside_index()[k]);
  }
  require(!tied_.empty(), no_number);
  cut_ = tied_.back();
}

double Slack::kth_largest(std::size_t k) {
  candidates_ = scan_.inside();
  std::size_t size = candidates_.size();
  while (size > few) {
    const double pivot = std::max(std::min(candidates_[0], candidates_[size / 2]),
                                  std::min(std::max(candidates_[0], candidates_[size / 2]), candidates_[size - 1]));
    const std::size_t larger = select_between(size, std::nextafter(pivot, Window::everything), Window::everything);
    if (k < larger) {
      candidates_.swap(selected_);
      size = larger;
      continue;
    }
    const std::size_t smaller = select_between(size, -Window::everything, std::nextafter(pivot, -Window::everything));
    if (k < size - smaller) return pivot;
    k -= size - smaller;
    candidates_.swap(selected_);
    size = smaller;
  }
  const auto wanted = candidates_.begin() + static_cast<std::ptrdiff_t>(k);
  std::nth_element(candidates_.begin(), wanted, candidates_.begin() + static_cast<std::ptrdiff_t>(size),
                   std::greater<>());
  return *wanted;
}

std::size_t Slack::select_between(std::size_t size, double low, double high) {
  selected_.resize(std::max(selected_.size(), size + simd::lanes));
  return simd::loops().compact(candidates_.data(), size, low, high, selected_.data());
}

void Slack::centre_window(double level) {
  if (level_ < Window::everything) drift_ = memory * drift_ + (1.0 - memory) * level / level_;
  level_ = level;
  margin_ = std::clamp(margin_ * (scan_.inside().size() > crowded ? narrower : wider), 1e-12, 0.5);
  window_ = {level * drift_ * (1.0 - margin_), level * drift_ * (1.0 + margin_)};
}

}  // namespace svm
