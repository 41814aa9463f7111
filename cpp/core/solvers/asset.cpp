#include "solvers/asset.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace svm {
namespace {

constexpr std::size_t least_block = 256;
constexpr std::size_t longest_log = std::size_t{1} << 24;  // iterates or samples: their log takes 112 bytes for each
constexpr std::size_t most_features = std::size_t{1} << 31;

const AssetSettings& checked(const AssetSettings& settings, std::size_t dimension) {
  require_setting(settings.lambda, "lambda");
  require_setting(settings.step, "the step's scale");
  if (settings.bound) require_setting(*settings.bound, "the intercept's bound");
  require(!settings.bound || !settings.strongly_convex,
          "steps 1 / (lambda j) are for problems without intercept: with one they are not strongly convex");
  require(settings.window > 0, "the average takes at least 1 iterate, not 0");
  require(settings.samples > 0, "D_G is estimated from at least 1 example, not from 0");
  require(settings.window <= longest_log && settings.samples <= longest_log,
          "window and samples are at most 2^24, got " + std::to_string(settings.window) + " and " +
              std::to_string(settings.samples));
  require(dimension < most_features, "there are 2^31 features or more: " + std::to_string(dimension));
  return settings;
}

}  // namespace

AssetRule::AssetRule(std::size_t dimension, const AssetSettings& settings)
    : settings_(checked(settings, dimension)),
      dimension_(dimension),
      radius_(1.0 / std::sqrt(settings.lambda)),
      g_(dimension),
      average_(dimension, settings.window, std::max({least_block, settings.window, settings.samples})) {
  if (settings.strongly_convex) first_step_ = 1.0 / settings.lambda;
}

void AssetRule::archive(StateArchive& state, std::uint64_t iterations, std::uint64_t rows) {
  state.number("first_step", first_step_);
  state.number("deviation", deviation_);
  state.part("g", g_);
  state.number("bias", bias_);
  average_.archive(state, average_.window() > 1 ? iterations : 0, rows);
  if (!state.reads()) return;
  iterations_ = iterations;
  left_in_block_ = (block() - iterations % block()) % block();
}

AssetStream::AssetStream(std::size_t length, std::size_t raw_dimension, std::size_t dimension,
                         const AssetSettings& settings)
    : rule_(dimension, settings),
      length_(length),
      raw_dimension_(raw_dimension),
      samples_(std::min(settings.samples, length)),
      rows_(2 * rule_.block() * dimension),
      labels_(rule_.block()),
      squared_norms_(rule_.block()),
      stored_(rule_.block()) {
  require(length > 0, "the stream has no examples");
  require(dimension > 0, "there are no features");
  require(length < Counters::most && raw_dimension < Counters::most, "a stream is shorter and narrower than 2^62");
}

std::size_t AssetStream::expected() const noexcept { return std::min(rule_.block(), length_ - fed_); }

void AssetStream::feed(const float* rows, const std::int8_t* labels, const std::uint32_t* stored, std::size_t size) {
  require(counters_.iterations == fed_, "the examples handed over before have not all been presented");
  require(size > 0 && size == expected(),
          "a block has " + std::to_string(expected()) + " examples here, not " + std::to_string(size));
  const std::size_t begin = fed_ / rule_.block() % 2 * rule_.block();
  std::copy_n(rows, size * dimension(), rows_.data() + begin * dimension());
  std::copy_n(labels, size, labels_.begin());
  std::copy_n(stored, size, stored_.begin());
  for (std::size_t k = 0; k < size; ++k) squared_norms_[k] = svm::squared_norm(row(begin + k));
  if (fed_ == 0) {
    double sum = 0.0;
    for (std::size_t l = 0; l < samples_; ++l) sum += squared_norms_[l] + 1.0;
    rule_.start(sum / static_cast<double>(samples_));
  }
  fed_ += size;
}

void AssetStream::archive(StateArchive& state) {
  Solver::archive(state);
  state.problem({{"length", length_}, {"raw_dimension", raw_dimension_}, {"d", dimension()}, {"block", rule_.block()}});
  state.part("counters", counters_);
  state.count("fed", fed_, length_);
  state.check(fed_ % rule_.block() == 0 || fed_ == length_, "fed", " is not where a block ends");
  state.check(counters_.iterations <= fed_ && fed_ - counters_.iterations <= rule_.block(), "fed",
              " and the iterations are not in one block");
  state.values("rows", rows_);
  state.values("labels", labels_);
  state.values("squared_norms", squared_norms_);
  state.values("stored", stored_);
  rule_.archive(state, counters_.iterations, 2 * rule_.block());
}

bool AssetStream::step() {
  if (counters_.iterations >= fed_) return false;
  const std::size_t k = counters_.iterations % rule_.block();
  const std::size_t place = counters_.iterations / rule_.block() % 2 * rule_.block() + k;
  rule_.present(row(place), place, labels_[k], squared_norms_[k]);
  ++counters_.iterations;
  ++counters_.presentations;
  if constexpr (counting) {
    counters_.inner_products += dimension() + 1;  // one for each feature, and one with the weights
    counters_.feature_accesses += dimension() * stored_[k];
    counters_.feature_accesses_dense += dimension() * raw_dimension_;
  }
  return true;
}

}  // namespace svm
