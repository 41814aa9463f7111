#include "kernel/kernel_basis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "base/dot.hpp"
#include "base/error.hpp"
#include "data/row_operations.hpp"
#include "kernel/kernel.hpp"
#include "simd/loops.hpp"

namespace svm {
namespace {

// Up to this gamma (|x|^2 + |z|^2) the exponent is computed from the inner product: the rounding errors of m terms in
// float64 are at most (m + 4) 2^-53 times it. Beyond, it is computed from the differences of coordinates.
constexpr double largest_exponent = 1e6;
constexpr std::size_t most_coordinates = std::size_t{1} << 48;

/// Number of coordinates of n points.
std::size_t room(std::size_t n, std::size_t capacity) {
  require(capacity <= most_coordinates / n, "the basis has room for too many functions: " + std::to_string(capacity) +
                                                " for " + std::to_string(n) + " points");
  return n * capacity;
}

}  // namespace

void BasisPoint::measure() noexcept { square = dot(values.data(), values.data(), values.size()); }

KernelBasis::KernelBasis(double gamma, const FeatureMatrix& training, std::size_t capacity)
    : gamma_(gamma),
      capacity_(capacity),
      training_(training),
      coordinates_(room(training.size(), capacity)),
      last_(training.size()) {
  const KernelFunction kernel{KernelFunction::Kind::gaussian, gamma};
  const double square = training.largest_norm() * training.largest_norm();
  require_resolution(kernel, square);
  require_range(kernel, square * (1.0 - 1e-15));  // the root was rounded
}

BasisPoint KernelBasis::training_point(std::size_t i) const {
  BasisPoint point{std::vector<double>(dimension()), 0.0};
  const RowView x = training_.row_uncharged(i);
  for (std::size_t k = 0; k < x.size; ++k) point.values[x.at(k)] = static_cast<double>(x.values[k]);
  point.measure();
  return point;
}

// -gamma |x - z|^2, with |x|^2 + |z|^2, a function that returns <x, z>, and one that subtracts x from its argument.
template <typename Product, typename Subtract>
double KernelBasis::exponent(double squares, const BasisPoint& z, const Product& product, const Subtract& subtract) {
  if (gamma_ * squares <= largest_exponent) return -gamma_ * std::max(0.0, squares - 2.0 * product());
  difference_ = z.values;
  subtract(difference_.data());
  return -gamma_ * dot(difference_.data(), difference_.data(), difference_.size());
}

double KernelBasis::kernel(const BasisPoint& x, const BasisPoint& z) {
  const auto product = [&] { return dot(x.values.data(), z.values.data(), z.values.size()); };
  const auto subtract = [&](double* from) {
    for (std::size_t k = 0; k < x.values.size(); ++k) from[k] -= x.values[k];
  };
  return std::exp(exponent(x.square + z.square, z, product, subtract));
}

// Writes K(x_i, z) for i = example(0), example(1), ... to `values_`.
template <typename Example>
void KernelBasis::evaluate(std::size_t count, const Example& example, const BasisPoint& z) {
  charge_values(count);
  values_.resize((count + simd::lanes - 1) / simd::lanes * simd::lanes);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = example(k);
    const RowView x = training_.row(i);
    const auto product = [&] { return dot(simd::loops(), x, z.values.data()); };
    const auto subtract = [&](double* from) { add(simd::loops(), from, x, -1.0); };
    values_[k] = exponent(training_.squared_norm(i) + z.square, z, product, subtract);
  }
  std::fill(values_.begin() + static_cast<std::ptrdiff_t>(count), values_.end(), 0.0);
  simd::loops().exponential(values_.data(), values_.size());
}

void KernelBasis::charge_values(std::size_t count) noexcept {
  if constexpr (!counting) return;
  counters().kernel_evaluations += count;
  counters().inner_products += count;
}

double KernelBasis::value(const Residual& r, const BasisPoint& z) {
  evaluate(r.examples.size(), [&](std::size_t k) { return r.examples[k]; }, z);
  charge_values(r.beta.size());
  terms_.clear();
  for (std::size_t k = 0; k < r.examples.size(); ++k) terms_.push_back(label(r.examples[k]) * values_[k]);
  for (std::size_t j = 0; j < r.beta.size(); ++j) terms_.push_back(-r.beta[j] * kernel(points_[j], z));
  return std::accumulate(terms_.begin(), terms_.end(), 0.0);
}

void KernelBasis::pull(const Residual& r, double* out) const noexcept {
  std::fill(out, out + dimension(), 0.0);
  const double* term = terms_.data();
  for (const std::uint32_t i : r.examples) add(simd::loops(), out, training_.row_uncharged(i), *term++);
  for (std::size_t j = 0; j < r.beta.size(); ++j, ++term) {
    for (std::size_t k = 0; k < dimension(); ++k) out[k] += *term * points_[j].values[k];
  }
}

bool KernelBasis::append(BasisPoint z, double least) {
  if (gamma_ * z.square > largest_exponent) {  // points are handed out in float32, and here the rounding would matter
    for (double& value : z.values) value = static_cast<double>(static_cast<float>(value));
    z.measure();
  }
  const std::size_t k = size();
  charge_values(k);
  std::vector<double> column(k + 1, 1.0);
  for (std::size_t j = 0; j < k; ++j) column[j] = kernel(points_[j], z);
  std::vector<double> l(column.begin(), column.end() - 1);
  factor_.forward(l.data());
  const double pivot = 1.0 - dot(l.data(), l.data(), k);
  if (pivot < least) return false;
  factor_.append(std::move(column), 0.0);
  compute_coordinates(z);
  points_.push_back(std::move(z));
  return true;
}

// Appends the coordinates of the training points along z, whose column the factor has already.
void KernelBasis::compute_coordinates(const BasisPoint& z) {
  const std::size_t k = size();
  const double* l = factor_.column(k).data();
  const double scale = 1.0 / std::sqrt(1.0 - dot(l, l, k));
  evaluate(examples(), [](std::size_t i) { return i; }, z);
  for (std::size_t i = 0; i < examples(); ++i) {
    const auto coordinate = static_cast<float>(scale * (values_[i] - product(i, l)));
    coordinates_[i * capacity_ + k] = coordinate;
    last_[i] = static_cast<float>(label(i)) * coordinate;
  }
}

void KernelBasis::archive(StateArchive& state) {
  std::vector<std::vector<double>> points;
  for (const BasisPoint& point : points_) points.push_back(point.values);
  state.lists("points", points);
  state.part("factor", factor_);
  if (state.reads()) {
    state.check(points.size() <= capacity_ && points.size() == factor_.size(), "points",
                " and their factor do not fit the basis");
    points_.clear();
    for (std::vector<double>& values : points) {
      state.check(values.size() == dimension(), "points", " are not points of this problem");
      for (const double value : values) state.check(std::isfinite(value), "points", " are not finite");
      BasisPoint point{std::move(values), 0.0};
      point.measure();
      compute_coordinates(point);
      points_.push_back(std::move(point));
    }
  }
  state.part("training",
             training_);  // last: the recomputation above was charged again, and the counters are overwritten here
}

double KernelBasis::product(std::size_t i, const double* w) noexcept {
  if constexpr (counting) ++counters().inner_products;
  charge_coordinates(size());
  const float* next = coordinates_.data() + std::min(i + 1, examples() - 1) * capacity_;
  return simd::loops().dot_and_prefetch(coordinates_.data() + i * capacity_, w, size(), next);
}

void KernelBasis::add_uncharged(std::size_t i, double* sum) const noexcept {
  simd::loops().add(sum, coordinates_.data() + i * capacity_, label(i), size());
}

void KernelBasis::charge_coordinates(std::size_t count) noexcept {
  if constexpr (!counting) return;
  counters().feature_accesses += count;
  counters().feature_accesses_dense += count;
}

double KernelBasis::last_sum(const std::vector<std::uint32_t>& examples) noexcept {
  charge_coordinates(examples.size());
  double total[4] = {};  // independent sums, so that additions overlap
  std::size_t k = 0;
  for (; k + 4 <= examples.size(); k += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) total[lane] += static_cast<double>(last_[examples[k + lane]]);
  }
  for (; k < examples.size(); ++k) total[0] += static_cast<double>(last_[examples[k]]);
  return (total[0] + total[1]) + (total[2] + total[3]);
}

std::vector<double> KernelBasis::expansion(std::vector<double> w) const {
  factor_.back(w.data());
  return w;
}

BasisPoint preimage(KernelBasis& basis, const Residual& r, BasisPoint z, std::size_t most) {
  constexpr double enough = 1e-3;  // relative gain of a step
  constexpr int halvings = 6;
  std::vector<double> pull(z.values.size());
  double value = basis.value(r, z);
  for (std::size_t step = 0; step < most && value != 0.0; ++step) {
    basis.pull(r, pull.data());
    double gain = 0.0;
    double part = 1.0;
    for (int halved = 0; halved <= halvings && gain <= 0.0; ++halved, part *= 0.5) {
      BasisPoint next = z;
      for (std::size_t k = 0; k < pull.size(); ++k) next.values[k] += part * (pull[k] / value - z.values[k]);
      next.measure();
      const double next_value = basis.value(r, next);
      gain = std::abs(next_value) / std::abs(value) - 1.0;
      if (gain <= 0.0) continue;
      z = std::move(next);
      value = next_value;
    }
    if (gain < enough) break;
  }
  return z;
}

}  // namespace svm
