// ASSET (Lee, Wright 2011): robust stochastic approximation on approximate kernel features, in batches and on streams.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/aligned.hpp"
#include "base/settings.hpp"
#include "linear/weight_vector.hpp"
#include "linear/window_average.hpp"
#include "random/epoch_order.hpp"
#include "random/random.hpp"
#include "solvers/linear_solver.hpp"

namespace svm {

struct AssetSettings {
  double lambda = 1.0;
  bool strongly_convex = false;  ///< ASSET*: steps 1 / (lambda j); else D_X / (D_G sqrt(j))
  std::optional<double> bound;   ///< |b| <= B, where there is an intercept
  double step = 1.0;             ///< factor of the steps of ASSET; not used by ASSET*
  std::size_t window = 100;      ///< iterates in the average, the last ones
  std::size_t samples = 100;     ///< M: examples from which D_G is estimated

  auto fields() {
    return std::tuple(required("lambda", lambda), field("strongly_convex", strongly_convex), field("bound", bound),
                      field("step", step), field("window", window), field("samples", samples));
  }
};

/// Algorithm 1; the iterate is (g, b).
class AssetRule {
 public:
  AssetRule(std::size_t dimension, const AssetSettings& settings);

  /// Examples in a block. The rows of a block must stay in memory until the next block has been presented.
  std::size_t block() const noexcept { return average_.block(); }
  std::size_t dimension() const noexcept { return dimension_; }
  /// Sets D_G^2: the mean of |v|^2 + 1 over the first examples (at g = 0, b = 0 all of them violate the margin).
  void start(double deviation) noexcept {
    deviation_ = deviation;
    if (settings_.strongly_convex) return;
    const double bound = settings_.bound.value_or(0.0);
    const double diameter = std::sqrt(1.0 / settings_.lambda + bound * bound);  // D_X
    first_step_ = settings_.step * diameter / std::sqrt(deviation);
  }
  /// One step on row v. `upcoming`: the values of a row that will be presented soon, to be prefetched, or null.
  void present(const RowView& v, std::uint64_t number, double y, double squared_norm, const float* upcoming = nullptr) {
    if (left_in_block_ == 0) {
      left_in_block_ = average_.block();
      g_.refresh_norm();
      if (average_.window() > 1) average_.begin([this](double* out) { last(out); });
    }
    --left_in_block_;
    const double eta = step_length(++iterations_);
    const bool violated = y * (g_.present(v, upcoming) + bias_) < 1.0;
    // ASSET*'s first factor must be exactly 0, whatever the rounding of its step.
    double factor =
        settings_.strongly_convex ? 1.0 - 1.0 / static_cast<double>(iterations_) : 1.0 - settings_.lambda * eta;
    double amount = violated ? eta * y : 0.0;
    g_.multiply(factor);
    if (violated) g_.add(v, amount, squared_norm);
    const double shortening = g_.project(radius_);
    factor *= shortening;
    amount *= shortening;
    if (settings_.bound && violated) bias_ = std::clamp(bias_ + eta * y, -*settings_.bound, *settings_.bound);
    if (average_.window() > 1) average_.append({number, factor, amount, eta, bias_});
  }
  /// Writes the average of the last iterates g, weighted by their steps; returns the average of b. row_of(number): the
  /// view of a row.
  template <typename RowOf>
  double average(const RowOf& row_of, double* out) const {
    if (average_.window() > 1) return average_.copy(row_of, out);
    last(out);
    return bias_;
  }
  /// Writes the last iterate g.
  void last(double* out) const noexcept { g_.copy(1.0, out); }
  double last_bias() const noexcept { return bias_; }
  double step_length(std::uint64_t j) const noexcept {
    const auto number = static_cast<double>(j);
    return first_step_ / (settings_.strongly_convex ? number : std::sqrt(number));
  }
  double deviation() const noexcept { return deviation_; }
  /// iterations: those that have been counted; rows: the numbers of rows are below it.
  void archive(StateArchive& state, std::uint64_t iterations, std::uint64_t rows);

 private:
  AssetSettings settings_;
  std::size_t dimension_;
  double radius_;
  double first_step_ = 0.0;
  double deviation_ = 0.0;
  std::uint64_t iterations_ = 0;
  std::size_t left_in_block_ = 0;
  ScaledVector<double> g_;
  double bias_ = 0.0;
  WindowAverage average_;
};

struct AssetBatchSettings : AssetSettings {
  bool one_pass = false;  ///< each example once, in random order; else uniform with replacement, without end

  auto fields() { return std::tuple_cat(AssetSettings::fields(), std::tuple(field("one_pass", one_pass))); }
};

/// ASSET and ASSET* on rows of features.
class Asset final : public DirectLoop<Asset, FeatureSolver> {
 public:
  Asset(const FeatureMatrix& matrix, const AssetBatchSettings& settings, std::uint64_t seed)
      : DirectLoop(matrix), rule_(matrix.dimension(), settings), random_(seed, Purpose::sampling) {
    std::size_t samples = settings.samples;
    if (settings.one_pass) {
      order_.emplace(matrix.size(), seed);
      samples = std::min(samples, matrix.size());
    }
    // D_G is estimated from the first examples of the pass, or from examples drawn for this purpose.
    double sum = 0.0;
    for (std::size_t l = 0; l < samples; ++l) {
      const std::size_t i = order_ ? order_->ahead(l) : random_.below(matrix.size());
      sum += matrix.squared_norm(i) + 1.0;
    }
    rule_.start(sum / static_cast<double>(samples));
    for (std::size_t& i : next_) i = next();
  }

  /// See AssetRule.
  double average(double* out) const {
    return rule_.average([this](std::uint64_t i) { return features_.row_uncharged(i); }, out);
  }
  void weights(double* out) const override { average(out); }
  double bias() const override {
    std::vector<double> weights(dimension());
    return average(weights.data());
  }
  const AssetRule& rule() const noexcept { return rule_; }
  void archive(StateArchive& state) override {
    DirectLoop::archive(state);
    rule_.archive(state, features_.counters().iterations, features_.size());
    state.part("random", random_);
    if (order_) state.part("order", *order_);
    state.index("next", next_[0], features_.size());
    state.index("after_next", next_[1], features_.size());
  }
  bool step() override {
    Counters& counters = features_.counters();
    if (order_ && counters.iterations >= features_.size()) return false;
    const std::size_t i = next_[0];
    next_ = {next_[1], next()};
    const RowView v = features_.row(i);
    features_.charge_inner_product();
    rule_.present(v, i, features_.label(i), features_.squared_norm(i), features_.row_uncharged(next_[1]).values);
    ++counters.iterations;
    ++counters.presentations;
    return true;
  }

 private:
  std::size_t next() noexcept {
    if (!order_) return random_.below(features_.size());
    const std::size_t i = order_->now();
    order_->advance();
    return i;
  }

  AssetRule rule_;
  Random random_;
  std::optional<EpochOrder> order_;
  std::array<std::size_t, 2> next_{};  // drawn ahead, so that their rows can be prefetched
};

/// ASSET_on and ASSET*_on: the caller hands over the features of the examples block by block; two blocks are kept.
class AssetStream final : public DirectLoop<AssetStream, Solver> {
 public:
  /// length: examples in the stream; raw_dimension: coordinates of an example.
  AssetStream(std::size_t length, std::size_t raw_dimension, std::size_t dimension, const AssetSettings& settings);

  const Counters& counters() const noexcept override { return counters_; }
  /// See AssetRule.
  double average(double* out) const {
    return rule_.average([this](std::uint64_t place) { return row(place); }, out);
  }
  const AssetRule& rule() const noexcept { return rule_; }
  std::size_t dimension() const noexcept { return rule_.dimension(); }
  /// Examples of the next block; 0 at the end of the stream.
  std::size_t expected() const noexcept;
  /// Examples handed over so far; steps stop there.
  std::size_t fed() const noexcept { return fed_; }
  /// Takes the next block, after all examples before it have been presented: rows (size x dimension), labels +1 or -1,
  /// and the numbers of stored coordinates of the examples from which the features were computed.
  void feed(const float* rows, const std::int8_t* labels, const std::uint32_t* stored, std::size_t size);
  void archive(StateArchive& state) override;
  bool step() override;

 private:
  RowView row(std::size_t place) const noexcept { return {rows_.data() + place * dimension(), nullptr, dimension()}; }

  AssetRule rule_;
  std::size_t length_;
  std::size_t raw_dimension_;
  std::size_t samples_;
  std::size_t fed_ = 0;
  Counters counters_;
  AlignedVector<float> rows_;  // of this block and of the one before it
  // Of the examples of this block.
  std::vector<double> labels_;
  std::vector<double> squared_norms_;
  std::vector<std::uint32_t> stored_;
};

}  // namespace svm
