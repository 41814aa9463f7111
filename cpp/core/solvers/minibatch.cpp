#include "solvers/minibatch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "base/error.hpp"

namespace svm {
namespace {

const MiniBatchSettings& checked(const MiniBatchSettings& settings, std::size_t n) {
  require_setting(settings.lambda, "lambda");
  require(settings.batch_size > 0, "batch_size must be at least 1, not 0");
  require(settings.batch_size <= n, "batch_size = " + std::to_string(settings.batch_size) + " is more than the " +
                                        std::to_string(n) + " examples");
  return settings;
}

Shard checked(const Shard& shard, const FeatureMatrix& matrix) {
  if (shard.ranks <= 1) return {0, 1, matrix.size(), matrix.largest_norm()};
  require(shard.rank < shard.ranks && shard.ranks <= shard.size &&
              shard.size <= std::numeric_limits<std::uint32_t>::max() &&
              (shard.size - shard.rank + shard.ranks - 1) / shard.ranks == matrix.size(),
          "the rows are not those of this shard");
  return shard;
}

__extension__ using Wide = unsigned __int128;

}  // namespace

MiniBatchSolver::MiniBatchSolver(const FeatureMatrix& matrix, const MiniBatchSettings& settings, std::uint64_t seed,
                                 const Shard& shard, AllReduce all_reduce)
    : FeatureSolver(matrix),
      settings_(checked(settings, shard.ranks > 1 ? shard.size : matrix.size())),
      shard_(checked(shard, matrix)),
      batch_(matrix, features_, settings.batch_size, settings.threads, std::move(all_reduce)),
      sum_(matrix.dimension()),
      single_(settings.batch_size == 1 && settings.average == Averaging::last && shard_.ranks == 1),
      subsets_(shard_.size, settings.batch_size, seed),
      average_(settings.average, matrix.dimension()),
      local_(shard_.ranks > 1 ? settings.batch_size : 0) {}

void MiniBatchSolver::keep_local() noexcept {
  // The upper half of ceil(2^64 / ranks) times a 32-bit number is its quotient; a division would take as long as an
  // example. A branch would be mispredicted, so every example is written, and overwritten if it belongs to another
  // process.
  const std::uint64_t inverse = std::numeric_limits<std::uint64_t>::max() / shard_.ranks + 1;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < settings_.batch_size; ++k) {
    const std::uint64_t i = subset_[k];
    const auto quotient = static_cast<std::uint64_t>((static_cast<Wide>(inverse) * i) >> 64);
    local_[kept] = static_cast<std::uint32_t>(quotient);
    kept += i - quotient * shard_.ranks == shard_.rank ? 1 : 0;
  }
  subset_ = local_.data();
  subset_size_ = kept;
}

void MiniBatchSolver::average(bool taken) {
  average_.include(counters().iterations, scale(), sum_.data(), [&](double factor, double* v) {
    if (taken) batch_.add(factor, v);
  });
}

void MiniBatchSolver::archive(StateArchive& state) {
  FeatureSolver::archive(state);
  state.part("subsets", subsets_);
  state.values("sum", sum_);
  state.part("average", average_);
}

double MiniBatchPegasos::scale() const noexcept {
  const auto t = static_cast<double>(counters().iterations);
  return t > 0.0 ? 1.0 / (settings_.lambda * static_cast<double>(settings_.batch_size) * t) : 0.0;
}

bool MiniBatchPegasos::step() {
  // y <w, x> < 1, where w is 0 before the first step
  const auto before = static_cast<double>(counters().iterations);
  const double margin = settings_.lambda * static_cast<double>(settings_.batch_size) * before;
  iterate([=](std::size_t, double response, double&) { return before == 0.0 || response < margin ? 1.0 : 0.0; });
  return true;
}

MiniBatchSdca::MiniBatchSdca(const FeatureMatrix& matrix, const MiniBatchSdcaSettings& settings, std::uint64_t seed,
                             const Shard& shard, AllReduce all_reduce)
    : DirectLoop(matrix, settings, seed, shard, std::move(all_reduce)),
      sdca_(settings),
      lambda_n_(settings.lambda * static_cast<double>(shard_.size)),
      largest_square_(std::max(1.0, shard_.largest_norm * shard_.largest_norm)),
      beta_(settings.beta),
      alpha_(matrix.size()),
      responses_(settings.batch_size),
      before_(settings.batch_size) {
  require_setting(settings.beta, "beta", 1.0);
  require(settings.gamma > 0.0 && settings.gamma < 1.0, "gamma must lie between 0 and 1");
}

double MiniBatchSdca::lower_bound() const {
  return shard_.ranks == 1 ? lower_bound(std::accumulate(alpha_.begin(), alpha_.end(), 0.0))
                           : std::numeric_limits<double>::quiet_NaN();
}

double MiniBatchSdca::lower_bound(double sum_of_alpha) const {
  const double squared = std::inner_product(sum_.begin(), sum_.end(), sum_.begin(), 0.0);
  const auto n = static_cast<double>(shard_.size);
  return sum_of_alpha / n - squared / (2.0 * lambda_n_ * n);
}

void MiniBatchSdca::archive(StateArchive& state) {
  MiniBatchSolver::archive(state);
  state.values("alpha", alpha_);
  state.number("beta", beta_);
  state.number("refused", refused_);
}

bool MiniBatchSdca::step() {
  // With one example there is no interference, and no step is undone: `naive` divides by the example's squared norm,
  // `safe` and `aggressive` by beta times the larger of 1 and the largest squared norm.
  if (sdca_.variant == SdcaVariant::aggressive && settings_.batch_size > 1) {
    end_iteration(aggressive_step());
  } else {
    iterate([&](std::size_t k, double response, double&) { return change_to(k, aim(k, response, beta_)); });
  }
  return true;
}

/// Equation (15): the new alpha of the k-th example.
double MiniBatchSdca::aim(std::size_t k, double response, double beta) const noexcept {
  const std::size_t i = subset_[k];
  const double alpha = alpha_[i];
  // Most stay at a bound. With one example the processor predicts this branch and does not wait for the response; with
  // more, a wrong prediction costs more than the division.
  if (settings_.batch_size == 1 &&
      ((alpha == 0.0 && response >= lambda_n_) || (alpha == 1.0 && response <= lambda_n_))) {
    return alpha;
  }
  const double divisor = sdca_.variant == SdcaVariant::naive ? features_.squared_norm(i) : largest_square_ * beta;
  // A zero row does not change the weights: its coordinate goes to the bound.
  const double free = divisor > 0.0 ? (lambda_n_ - response) / divisor : 1.0;
  return std::clamp(alpha + free, 0.0, 1.0);
}

/// Algorithm 2: a tentative step measures the correlation rho of the subset's examples, and the step is repeated with
/// rho as the divisor. Returns whether it was taken.
bool MiniBatchSdca::aggressive_step() {
  const double tentative = present([&](std::size_t k, double response, double& tally) {
    responses_[k] = response;
    before_[k] = alpha_[subset_[k]];
    const double change = aim(k, response, beta_) - before_[k];
    tally += change * change;
    return change;
  });
  if (tentative == 0.0) return false;
  const double rho = std::clamp(batch_.squared_norm() / (largest_square_ * tentative), 1.0, sdca_.beta);
  const double raised = present_again([&](std::size_t k, double& tally) {
    const double change = change_to(k, aim(k, responses_[k], rho));
    tally += change * (lambda_n_ - responses_[k]);
    return change;
  });
  beta_ = std::pow(beta_, sdca_.gamma) * std::pow(rho, 1.0 - sdca_.gamma);
  // n lambda n times the change of the dual objective
  if (raised - 0.5 * batch_.squared_norm() > 0.0) return true;
  for (std::size_t k = 0; k < subset_size_; ++k) alpha_[subset_[k]] = before_[k];
  ++refused_;
  return false;
}

}  // namespace svm
