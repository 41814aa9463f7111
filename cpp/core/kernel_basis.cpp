#include "kernel_basis.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "dot.hpp"
#include "error.hpp"
#include "simd.hpp"
#include "slice_kernels.hpp"

namespace svm {
namespace {

constexpr std::size_t most_coordinates = std::size_t{1} << 48;

/// Coordinates of n points.
std::size_t room(std::size_t n, std::size_t capacity) {
  require(capacity <= most_coordinates / n, "the basis has room for too many functions: " + std::to_string(capacity) +
                                                " for " + std::to_string(n) + " points");
  return n * capacity;
}

double dot_with(const Slice& x, const double* z) { return dot(simd::kernels(), x, z); }

}  // namespace

void Place::measure() noexcept { square = dot(values.data(), values.data(), values.size()); }

KernelBasis::KernelBasis(double gamma, const FeatureMatrix& points, std::size_t capacity)
    : gamma_(gamma), capacity_(capacity), points_(points), coordinates_(room(points.size(), capacity)) {
  require(std::isfinite(gamma) && gamma > 0.0, "gamma must be finite and positive");
}

Place KernelBasis::at(std::size_t i) const {
  Place place{std::vector<double>(dimension()), 0.0};
  const Slice x = points_.coming_row(i);
  for (std::size_t k = 0; k < x.size; ++k) place.values[x.at(k)] = static_cast<double>(x.values[k]);
  place.measure();
  return place;
}

double KernelBasis::charged(double square) noexcept {
  if constexpr (counting) ++counters().kernel_evaluations;
  points_.charge_inner_product();
  return std::exp(-gamma_ * std::max(0.0, square));
}

double KernelBasis::kernel(const Slice& x, double square, const Place& z) noexcept {
  return charged(square + z.square - 2.0 * dot_with(x, z.values.data()));
}

double KernelBasis::kernel(const Place& x, const Place& z) noexcept {
  return charged(x.square + z.square - 2.0 * dot(x.values.data(), z.values.data(), z.values.size()));
}

double KernelBasis::value(const Residual& r, const Place& z, double* pull) {
  if (pull != nullptr) std::fill(pull, pull + dimension(), 0.0);
  double total = 0.0;
  for (const std::uint32_t i : r.examples) {
    const Slice x = points_.row(i);
    const double term = label(i) * kernel(x, points_.squared_norm(i), z);
    total += term;
    if (pull != nullptr) add(simd::kernels(), pull, x, term);
  }
  for (std::size_t j = 0; j < r.beta.size(); ++j) {
    const double term = -r.beta[j] * kernel(places_[j], z);
    total += term;
    for (std::size_t k = 0; pull != nullptr && k < dimension(); ++k) pull[k] += term * places_[j].values[k];
  }
  return total;
}

bool KernelBasis::append(Place z, double least) {
  const std::size_t k = size();
  std::vector<double> column(k + 1, 1.0);
  for (std::size_t j = 0; j < k; ++j) column[j] = kernel(places_[j], z);
  std::vector<double> l(column.begin(), column.end() - 1);
  factor_.forward(l.data());
  const double pivot = 1.0 - dot(l.data(), l.data(), k);
  if (pivot < least) return false;
  factor_.append(std::move(column), 0.0);
  take_coordinates(z);
  places_.push_back(std::move(z));
  return true;
}

// Those that z, of which the factor has the column already, adds to the training points.
void KernelBasis::take_coordinates(const Place& z) noexcept {
  const std::size_t k = size();
  const double* l = factor_.column(k).data();
  const double scale = 1.0 / std::sqrt(1.0 - dot(l, l, k));
  for (std::size_t i = 0; i < examples(); ++i) {
    const double value = kernel(points_.row(i), points_.squared_norm(i), z);
    float* row = coordinates_.data() + i * capacity_;
    row[k] = static_cast<float>(scale * (value - simd::kernels().dot(coordinates(i), l, k)));
  }
}

void KernelBasis::archive(StateArchive& state) {
  std::vector<std::vector<double>> places;
  for (const Place& place : places_) places.push_back(place.values);
  state.lists("places", places);
  state.part("factor", factor_);
  if (state.reads()) {
    state.check(places.size() <= capacity_ && places.size() == factor_.size(), "places",
                " and their factor do not fit the basis");
    places_.clear();
    for (std::vector<double>& values : places) {
      state.check(values.size() == dimension(), "places", " are not points of this problem");
      for (const double value : values) state.check(std::isfinite(value), "places", " are not finite");
      Place place{std::move(values), 0.0};
      place.measure();
      take_coordinates(place);
      places_.push_back(std::move(place));
    }
  }
  state.part("points", points_);  // after what has been charged above, once more
}

const float* KernelBasis::coordinates(std::size_t i) noexcept {
  if constexpr (counting) {
    ++counters().inner_products;
    counters().feature_accesses += size();
    counters().feature_accesses_dense += size();
  }
  return coordinates_.data() + i * capacity_;
}

float KernelBasis::last_coordinate(std::size_t i) noexcept {
  if constexpr (counting) {
    ++counters().feature_accesses;
    ++counters().feature_accesses_dense;
  }
  return coordinates_[i * capacity_ + size() - 1];
}

std::vector<double> KernelBasis::sum(const std::vector<std::uint32_t>& examples) {
  std::vector<double> total(size());
  if constexpr (counting) {
    counters().feature_accesses += examples.size() * size();
    counters().feature_accesses_dense += examples.size() * size();
  }
  for (const std::uint32_t i : examples) {
    simd::kernels().add(total.data(), coordinates_.data() + i * capacity_, label(i), size());
  }
  return total;
}

std::vector<double> KernelBasis::expansion(std::vector<double> w) const {
  factor_.back(w.data());
  return w;
}

}  // namespace svm
