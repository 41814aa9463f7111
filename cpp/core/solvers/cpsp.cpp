#include "solvers/cpsp.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "base/dot.hpp"
#include "base/error.hpp"
#include "base/swap_remove.hpp"

namespace svm {
namespace {

constexpr std::size_t most_starts = 1000000;
// A point whose image is closer to the span (squared distance) is not appended: dividing by the distance would magnify
// the rounding errors of float32 coordinates a thousand times.
constexpr double least_distance = 1e-6;

}  // namespace

Cpsp::Cpsp(const FeatureMatrix& points, const CpspSettings& settings, std::uint64_t seed)
    : settings_(settings),
      C_(1.0 / (require_setting(settings.lambda, "lambda") * static_cast<double>(points.size()))),
      basis_(settings.gamma, points, settings.capacity),
      random_(seed, Purpose::sampling),
      points_(1),
      examples_(1),
      margins_(points.size()) {
  require_setting(settings.eps, "eps");
  require(settings.capacity > 0, "the basis needs room for a function");
  require(settings.starts > 0 && settings.starts <= most_starts,
          "starts must be from 1 to 1,000,000, got " + std::to_string(settings.starts));
  collect();
}

void Cpsp::archive(StateArchive& state) {
  Solver::archive(state);
  state.part("basis", basis_);
  state.part("random", random_);
  state.lists("points", points_);
  state.lists("examples", examples_);
  state.check(!points_.empty() && examples_.size() == points_.size(), "points", " and examples are not equally many");
  for (const std::vector<double>& point : points_) {
    state.check(point.size() == basis_.size(), "points", " have not a coordinate for each basis function");
  }
  for (const std::vector<std::uint32_t>& cut : examples_) {
    for (const std::uint32_t i : cut)
      state.check(i < margins_.size(), "examples", " name one that the problem has not");
  }
  state.part("master", master_);
  state.values("margins", margins_);
  if (state.reads()) collect();
  state.check(master_.size() == points_.size(), "master", " has not a variable for each cut");
  state.number("objective", objective_);
}

bool Cpsp::step() {
  const double gap = objective_ - lower_bound();
  if (gap <= settings_.eps) return false;
  basis_.charge_coordinates(violated_.size() * basis_.size());
  if (!basis_.full() && !violated_.empty()) extend();
  add_cut();
  master_.solve(gap);
  update_margins();
  master_.drop_idle([this](std::size_t j) {
    swap_remove(points_, j);
    swap_remove(examples_, j);
  });
  Counters& counters = basis_.counters();
  ++counters.iterations;
  counters.presentations += basis_.examples();
  return true;
}

void Cpsp::extend() {
  const Residual residual{violated_, basis_.expansion(sum_)};
  BasisPoint start;
  double best = -1.0;
  for (std::size_t k = 0; k < settings_.starts; ++k) {
    BasisPoint point = basis_.training_point(violated_[random_.below(violated_.size())]);
    const double value = settings_.starts > 1 ? std::abs(basis_.value(residual, point)) : 0.0;
    if (k == 0 || value > best) {
      best = value;
      start = std::move(point);
    }
  }
  BasisPoint image = preimage(basis_, residual, std::move(start));
  // Rounded to float32, like the data, because the predictor stores the points in float32.
  for (double& value : image.values) value = static_cast<double>(static_cast<float>(value));
  image.measure();
  if (!basis_.append(std::move(image), least_distance)) return;
  sum_.push_back(basis_.last_sum(violated_));
  std::vector<double> grown;
  for (std::size_t j = 0; j < points_.size(); ++j) {
    points_[j].push_back(C_ * basis_.last_sum(examples_[j]));
    grown.push_back(std::sqrt(settings_.lambda) * points_[j].back());
  }
  master_.extend(grown);
}

void Cpsp::add_cut() {
  for (double& value : sum_) value *= C_;
  const double beta = static_cast<double>(violated_.size()) / static_cast<double>(margins_.size());
  points_.push_back(std::move(sum_));
  examples_.push_back(std::move(violated_));
  if (basis_.full()) {  // no more coordinates will come
    for (std::vector<std::uint32_t>& cut : examples_) std::vector<std::uint32_t>().swap(cut);
  }
  const std::vector<double>& newest = points_.back();
  std::vector<double> products;
  for (const std::vector<double>& point : points_) {
    products.push_back(settings_.lambda * dot(point.data(), newest.data(), newest.size()));
  }
  master_.add(beta, products);
}

std::vector<double> Cpsp::weights() const {
  std::vector<double> w(basis_.size());
  const std::vector<double>& gamma = master_.solution();
  for (std::size_t j = 0; j < points_.size(); ++j) {
    for (std::size_t k = 0; gamma[j] > 0.0 && k < w.size(); ++k) w[k] += gamma[j] * points_[j][k];
  }
  return w;
}

// Finds the examples of the next cut. Their coordinates are added while they are in the cache: a second pass would read
// them from memory again, which takes longer than the additions.
void Cpsp::collect() {
  violated_.clear();
  sum_.assign(basis_.size(), 0.0);
  for (std::size_t i = 0; i < margins_.size(); ++i) add_if_violated(i);
}

void Cpsp::add_if_violated(std::size_t i) {
  if (!(margins_[i] < 1.0)) return;
  violated_.push_back(static_cast<std::uint32_t>(i));
  basis_.add_uncharged(i, sum_.data());
}

void Cpsp::update_margins() {
  const std::vector<double> w = weights();
  violated_.clear();
  sum_.assign(basis_.size(), 0.0);
  double hinge = 0.0;
  for (std::size_t i = 0; i < margins_.size(); ++i) {
    margins_[i] = basis_.label(i) * basis_.product(i, w.data());
    add_if_violated(i);
    hinge += std::max(0.0, 1.0 - margins_[i]);
  }
  objective_ =
      0.5 * settings_.lambda * dot(w.data(), w.data(), w.size()) + hinge / static_cast<double>(margins_.size());
}

}  // namespace svm
