#include "qp/box_qp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace svm {
namespace {

// A variable depends on the others if its curvature, given them, is below this part of its own curvature.
constexpr double least_independence = 1e-10;
// Rounding error of a slope, relative to the terms of its sum.
constexpr double rounding_of_slopes = 1e-14;
// Free variables count as at their maximum if their slopes are below the violation divided by this.
constexpr double violation_over_slopes = 1e3;
constexpr std::size_t steps_per_variable = 30;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

void BoxQp::reset(std::size_t size) {
  gradient_.assign(size, 0.0);
  H_.assign(size * size, 0.0);
  low_.assign(size, 0.0);
  high_.assign(size, 0.0);
}

const std::vector<double>& BoxQp::solve() {
  step_.assign(size(), 0.0);
  slopes_.assign(size(), 0.0);
  free_.clear();
  for (std::size_t k = 0; k < size(); ++k) {
    if (rises(k) && falls(k)) free_.push_back(k);
  }
  bool moved = false;
  update_slopes();
  for (std::size_t step = 0; violation_ > rounding_ && step < steps_per_variable * (size() + 1); ++step) {
    if (find_direction() && climb()) {
      moved = true;
    } else if (!enter()) {
      break;
    }
    update_slopes();
  }
  if (!moved && violation_ > rounding_) climb_steepest();
  return step_;
}

void BoxQp::update_slopes() {
  rounding_ = 0.0;
  double top = balanced_ ? -infinity : 0.0;
  double bottom = -top;
  top_ = bottom_ = size();
  for (std::size_t k = 0; k < size(); ++k) {
    double slope = gradient_[k];
    double terms = std::abs(slope);
    for (std::size_t l = 0; l < size(); ++l) {
      const double term = curvature(k, l) * step_[l];
      slope -= term;
      terms += std::abs(term);
    }
    slopes_[k] = slope;
    rounding_ = std::max(rounding_, rounding_of_slopes * terms);
    if (rises(k) && slope > top) {
      top = slope;
      top_ = k;
    }
    if (falls(k) && slope < bottom) {
      bottom = slope;
      bottom_ = k;
    }
  }
  violation_ = balanced_ && (top_ == size() || bottom_ == size()) ? 0.0 : std::max(top - bottom, 0.0);
}

bool BoxQp::is_free(std::size_t k) const noexcept { return std::find(free_.begin(), free_.end(), k) != free_.end(); }

bool BoxQp::enter() {
  if (balanced_ && free_.empty()) {
    free_ = {top_, bottom_};
    return true;
  }
  // One at a time: then the next direction leads into the box.
  double level = 0.0;
  if (balanced_) {
    for (const std::size_t k : free_) level += slopes_[k] / static_cast<double>(free_.size());
  }
  const double above = top_ < size() && !is_free(top_) ? slopes_[top_] - level : 0.0;
  const double below = bottom_ < size() && !is_free(bottom_) ? level - slopes_[bottom_] : 0.0;
  if (above <= 0.0 && below <= 0.0) return false;
  free_.push_back(above >= below ? top_ : bottom_);
  return true;
}

double BoxQp::reduced_slope(std::size_t k) const noexcept {
  return slopes_[k] - (balanced_ ? slopes_[free_.front()] : 0.0);
}

double BoxQp::reduced_curvature(std::size_t k, std::size_t l) const noexcept {
  if (!balanced_) return curvature(k, l);
  const std::size_t first = free_.front();
  return curvature(k, l) + (curvature(first, first) - curvature(first, k) - curvature(first, l));
}

// Cholesky factorisation with the largest pivot first, until the remaining variables are dependent.
void BoxQp::factorize() {
  const std::size_t m = order_.size();
  factor_.assign(m * m, 0.0);
  const auto pivot = [&](std::size_t a) {
    double left = reduced_curvature(order_[a], order_[a]);
    for (std::size_t c = 0; c < rank_; ++c) left -= factor_[a * m + c] * factor_[a * m + c];
    return left;
  };
  for (rank_ = 0; rank_ < m; ++rank_) {
    std::size_t best = m;
    double largest = least_independence;
    for (std::size_t a = rank_; a < m; ++a) {
      // The terms that make the diagonal element.
      const double scale =
          curvature(order_[a], order_[a]) + (balanced_ ? curvature(free_.front(), free_.front()) : 0.0);
      const double part = scale > 0.0 ? pivot(a) / scale : 0.0;
      if (part > largest) {
        largest = part;
        best = a;
      }
    }
    if (best == m) break;
    std::swap(order_[best], order_[rank_]);
    for (std::size_t c = 0; c < rank_; ++c) std::swap(factor_[best * m + c], factor_[rank_ * m + c]);
    const double root = std::sqrt(pivot(rank_));
    factor_[rank_ * m + rank_] = root;
    for (std::size_t a = rank_ + 1; a < m; ++a) {
      double value = reduced_curvature(order_[a], order_[rank_]);
      for (std::size_t c = 0; c < rank_; ++c) value -= factor_[a * m + c] * factor_[rank_ * m + c];
      factor_[a * m + rank_] = value / root;
    }
  }
}

void BoxQp::solve_factor(std::vector<double>& x) const noexcept {
  const std::size_t m = order_.size();
  for (std::size_t a = 0; a < rank_; ++a) {
    for (std::size_t c = 0; c < a; ++c) x[a] -= factor_[a * m + c] * x[c];
    x[a] /= factor_[a * m + a];
  }
  for (std::size_t a = rank_; a-- > 0;) {
    for (std::size_t c = a + 1; c < rank_; ++c) x[a] -= factor_[c * m + a] * x[c];
    x[a] /= factor_[a * m + a];
  }
}

bool BoxQp::find_direction() {
  if (free_.size() < (balanced_ ? 2U : 1U)) return false;
  const double least = std::max(rounding_, violation_ / violation_over_slopes);
  const auto steep = [&](std::size_t k) { return std::abs(reduced_slope(k)) > least; };
  order_.assign(free_.begin() + (balanced_ ? 1 : 0), free_.end());
  if (std::none_of(order_.begin(), order_.end(), steep)) return false;
  factorize();
  const auto dependent = order_.begin() + static_cast<std::ptrdiff_t>(rank_);
  along_.assign(order_.size(), 0.0);
  if (std::any_of(order_.begin(), dependent, steep)) {
    for (std::size_t c = 0; c < rank_; ++c) along_[c] = reduced_slope(order_[c]);
    solve_factor(along_);
  } else {
    // The independent variables are at their maximum. The steepest dependent one moves, and they move along so that
    // there is no curvature.
    const auto steepest = std::max_element(dependent, order_.end(), [this](std::size_t k, std::size_t l) {
      return std::abs(reduced_slope(k)) < std::abs(reduced_slope(l));
    });
    for (std::size_t c = 0; c < rank_; ++c) along_[c] = reduced_curvature(*steepest, order_[c]);
    solve_factor(along_);
    const double sign = reduced_slope(*steepest) > 0.0 ? 1.0 : -1.0;
    for (std::size_t c = 0; c < rank_; ++c) along_[c] *= -sign;
    along_[static_cast<std::size_t>(steepest - order_.begin())] = sign;
  }
  direction_.assign(size(), 0.0);
  for (std::size_t a = 0; a < order_.size(); ++a) {
    direction_[order_[a]] = along_[a];
    if (balanced_) direction_[free_.front()] -= along_[a];
  }
  return true;
}

bool BoxQp::climb() {
  double slope = 0.0;
  double bend = 0.0;
  double reach = infinity;
  const auto way_to_bound = [this](std::size_t k) {
    if (direction_[k] == 0.0) return infinity;
    return ((direction_[k] > 0.0 ? high_[k] : low_[k]) - step_[k]) / direction_[k];
  };
  for (const std::size_t k : free_) {
    slope += direction_[k] * slopes_[k];
    for (const std::size_t l : free_) bend += direction_[k] * curvature(k, l) * direction_[l];
    reach = std::min(reach, way_to_bound(k));
  }
  const double length = bend > 0.0 ? std::min(slope / bend, reach) : reach;
  bool moved = false;
  for (std::size_t p = free_.size(); p-- > 0;) {
    const std::size_t k = free_[p];
    const double before = step_[k];
    if (slope > 0.0 && direction_[k] != 0.0) {
      const double bound = direction_[k] > 0.0 ? high_[k] : low_[k];
      step_[k] = way_to_bound(k) <= length ? bound : std::clamp(before + length * direction_[k], low_[k], high_[k]);
    }
    moved = moved || step_[k] != before;
    if (!rises(k) || !falls(k)) free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(p));
  }
  return moved;
}

void BoxQp::climb_steepest() {
  direction_.assign(size(), 0.0);
  free_.clear();
  const bool upwards = top_ < size() && (bottom_ == size() || slopes_[top_] >= -slopes_[bottom_]);
  if (balanced_ || upwards) free_.push_back(top_);
  if (balanced_ || !upwards) free_.push_back(bottom_);
  if (balanced_ || upwards) direction_[top_] = 1.0;
  if (balanced_ || !upwards) direction_[bottom_] = -1.0;
  climb();
  update_slopes();
}

}  // namespace svm
