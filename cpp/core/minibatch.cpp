#include "minibatch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "error.hpp"

namespace svm {
namespace {

const MiniBatchSettings& checked(const MiniBatchSettings& settings, std::size_t n) {
  require(std::isfinite(settings.lambda) && settings.lambda > 0.0, "lambda must be finite and positive");
  require(settings.batch_size > 0, "batch_size must be at least 1, not 0");
  require(settings.batch_size <= n, "batch_size = " + std::to_string(settings.batch_size) + " is more than the " +
                                        std::to_string(n) + " examples");
  return settings;
}

}  // namespace

MiniBatchSolver::MiniBatchSolver(const FeatureMatrix& matrix, const MiniBatchSettings& settings, std::uint64_t seed)
    : LinearSolver(matrix),
      settings_(checked(settings, matrix.size())),
      batch_(matrix, features_, settings.threads),
      sum_(matrix.dimension()),
      changes_(settings.batch_size),
      subsets_(matrix.size(), settings.batch_size, seed),
      average_(settings.average, matrix.dimension()),
      rows_(settings.batch_size),
      amounts_(settings.batch_size),
      scaled_(settings.batch_size) {}

void MiniBatchSolver::average() {
  average_.take(counters().iterations, scale(), sum_.data(), [this](double factor, double* v) {
    for (std::size_t k = 0; k < chosen_; ++k) scaled_[k] = factor * amounts_[k];
    batch_.add({rows_.data(), scaled_.data(), chosen_}, v);
  });
}

double MiniBatchPegasos::scale() const noexcept {
  const auto t = static_cast<double>(counters().iterations);
  return t > 0.0 ? 1.0 / (settings_.lambda * static_cast<double>(settings_.batch_size) * t) : 0.0;
}

bool MiniBatchPegasos::step() {
  // y <w, x> < 1, where w is 0 before the first step
  const auto before = static_cast<double>(counters().iterations);
  const double margin = settings_.lambda * static_cast<double>(settings_.batch_size) * before;
  present([&](std::size_t k, double response) { changes_[k] = before == 0.0 || response < margin ? 1.0 : 0.0; });
  choose(changes_);
  batch_.add(chosen(), sum_.data());
  end_iteration();
  return true;
}

bool MiniBatchPegasos::steps(const Limit& limit, std::uint64_t count) { return repeat(*this, limit, count); }

MiniBatchSdca::MiniBatchSdca(const FeatureMatrix& matrix, const MiniBatchSettings& settings,
                             const MiniBatchSdcaSettings& own, std::uint64_t seed)
    : MiniBatchSolver(matrix, settings, seed),
      own_(own),
      lambda_n_(settings.lambda * static_cast<double>(matrix.size())),
      unit_(std::max(1.0, matrix.largest_norm() * matrix.largest_norm())),
      beta_(own.beta),
      alpha_(matrix.size()),
      responses_(settings.batch_size),
      change_(own.variant == SdcaVariant::aggressive ? matrix.dimension() : 0),
      products_(settings.batch_size) {
  require(std::isfinite(own.beta) && own.beta >= 1.0, "beta must be finite and at least 1");
  require(own.gamma > 0.0 && own.gamma < 1.0, "gamma must lie between 0 and 1");
}

double MiniBatchSdca::lower_bound() const {
  const double squared = std::inner_product(sum_.begin(), sum_.end(), sum_.begin(), 0.0);
  const auto n = static_cast<double>(size());
  return std::accumulate(alpha_.begin(), alpha_.end(), 0.0) / n - squared / (2.0 * lambda_n_ * n);
}

bool MiniBatchSdca::step() {
  present([&](std::size_t k, double response) {
    responses_[k] = response;
    changes_[k] = change(k, response, beta_);
  });
  choose(changes_);
  if (own_.variant != SdcaVariant::aggressive) {
    batch_.add(chosen(), sum_.data());
  } else if (!aggressive_step()) {
    choose_none();
    end_iteration();
    return true;
  }
  for (std::size_t k = 0; k < settings_.batch_size; ++k) alpha_[subset_[k]] += changes_[k];
  end_iteration();
  return true;
}

bool MiniBatchSdca::steps(const Limit& limit, std::uint64_t count) { return repeat(*this, limit, count); }

/// Equation (15): the change of the k-th example's alpha.
double MiniBatchSdca::change(std::size_t k, double response, double beta) const noexcept {
  const double divisor = own_.variant == SdcaVariant::naive ? features_.squared_norm(subset_[k]) : unit_ * beta;
  const double alpha = alpha_[subset_[k]];
  // most stay at a bound, which the processor foresees without waiting for the response
  if ((alpha == 0.0 && response >= lambda_n_) || (alpha == 1.0 && response <= lambda_n_)) return 0.0;
  // a row of zeros leaves the weights alone: its coordinate goes to the bound
  const double free = divisor > 0.0 ? (lambda_n_ - response) / divisor : 1.0;
  return std::clamp(alpha + free, 0.0, 1.0) - alpha;
}

/// Algorithm 2: a tentative step shows how far the examples of this subset get in each other's way, rho, and the step is made
/// anew with that. Returns whether it was taken.
bool MiniBatchSdca::aggressive_step() {
  const double tentative = std::inner_product(changes_.begin(), changes_.end(), changes_.begin(), 0.0);
  if (chosen().size == 0) return false;
  const double rho = std::clamp(make_change() / (unit_ * tentative), 1.0, own_.beta);
  unmake_change();
  for (std::size_t k = 0; k < settings_.batch_size; ++k) changes_[k] = change(k, responses_[k], rho);
  choose(changes_);
  // n lambda n times the change of the dual objective
  double gain = -0.5 * make_change();
  for (std::size_t k = 0; k < settings_.batch_size; ++k) gain += changes_[k] * (lambda_n_ - responses_[k]);
  const bool taken = gain > 0.0;
  if (taken && dense_) {
    for (std::size_t j = 0; j < sum_.size(); ++j) sum_[j] += change_[j];
  } else if (taken) {
    batch_.add(chosen(), sum_.data());
  }
  unmake_change();
  beta_ = std::pow(beta_, own_.gamma) * std::pow(rho, 1.0 - own_.gamma);
  if (!taken) ++refused_;
  return taken;
}

/// Adds up in `change_` what was chosen, and returns its squared norm: in an order that does not depend on the threads.
double MiniBatchSdca::make_change() {
  dense_ = batch_.stored(chosen()) >= dimension();
  batch_.add(chosen(), change_.data());
  if (dense_) return std::inner_product(change_.begin(), change_.end(), change_.begin(), 0.0);
  batch_.dots(chosen(), change_.data(), [this](std::size_t k, double dot) { products_[k] = dot; });
  return std::inner_product(products_.begin(), products_.begin() + static_cast<std::ptrdiff_t>(chosen().size),
                            chosen().amounts, 0.0);
}

void MiniBatchSdca::unmake_change() {
  if (dense_) {
    std::fill(change_.begin(), change_.end(), 0.0);
  } else {
    batch_.clear(chosen(), change_.data());
  }
}

}  // namespace svm
