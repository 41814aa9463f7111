#include "solvers/simba.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "simd/loops.hpp"

namespace svm {
namespace {

constexpr double longest_unit_norm = 1.0 + 1e-5;  // a norm up to this counts as 1: files have six decimals
constexpr std::size_t coordinates_ahead = 16;     // coordinates of a row for which weights are prefetched
// A step multiplies a weight by 3/4 or more, and with clipping by 3 or less. So within this many steps no weight leaves
// the range of float64. Without clipping the factor has no bound, and the sum of the weights is compared with a limit.
constexpr std::uint64_t between_checks = 256;
const double largest_total = std::ldexp(1.0, 500);
// The smallest weight relative to the sum: its probability is negligible, but it can still grow again.
const double smallest_weight = std::ldexp(1.0, -600);

double inverse_norm_of(double largest_norm) { return largest_norm > longest_unit_norm ? 1.0 / largest_norm : 1.0; }

double checked(double nu, double inverse_norm) {
  require(nu >= 0.0 && nu * inverse_norm <= 1.0, "nu = " + text_of(nu) + ": it must lie between 0 and " +
                                                     text_of(1.0 / inverse_norm) + ", the largest norm of a row, or 1");
  return nu * inverse_norm;
}

}  // namespace

Simba::Simba(const FeatureMatrix& matrix, const SimbaSettings& settings, std::uint64_t seed)
    : FeatureSolver(matrix),
      settings_(settings),
      inverse_norm_(inverse_norm_of(matrix.largest_norm())),
      log_n_(std::log(static_cast<double>(matrix.size()))),
      random_(seed, Purpose::sampling),
      q_(matrix.size()),
      slack_(matrix.size(), checked(settings.nu, inverse_norm_) * static_cast<double>(matrix.size())),
      u_(matrix.dimension()),
      sum_(matrix.dimension()) {
  require(matrix.positives() > 0 && matrix.positives() < matrix.size(), "SIMBA needs examples of both classes");
  matrix.make_columns();
  std::fill(q_.values(), q_.values() + matrix.size(), 1.0);
  q_.written();
  next_ = q_.draw(random_.uniform());
}

void Simba::archive(StateArchive& state) {
  FeatureSolver::archive(state);
  state.part("random", random_);
  state.part("q", q_);
  state.check(q_.total() > 0.0, "q", " has no weight");
  state.part("slack", slack_);
  state.index("next", next_, size());
  state.part("u", u_);
  state.number("shrink", shrink_);
  sum_.archive(state, "shrinks", "late");
  state.number("biases", biases_);
}

bool Simba::step() {
  Counters& counters = features_.counters();
  if (settings_.horizon > 0 && counters.iterations >= settings_.horizon) return false;
  ++counters.iterations;
  ++counters.presentations;
  const auto t = static_cast<double>(settings_.horizon > 0 ? settings_.horizon : counters.iterations);
  const double eta = settings_.printed_rate ? std::sqrt(log_n_) / t : std::sqrt(log_n_ / t);
  add_row(next_, 1.0 / std::sqrt(2.0 * t));
  shrink_ = 1.0 / std::max(1.0, std::sqrt(u_.total()));
  slack_.select(q_.values());
  const double bias = settings_.bias ? best_bias() : 0.0;
  sum_.add(shrink_);
  biases_ += bias;
  reweight(eta, bias);
  if (counters.iterations % between_checks == 0 || !(q_.total() <= largest_total)) keep_in_range();
  next_ = q_.draw(random_.uniform());
  features_.prefetch_row(next_);
  return true;
}

void Simba::add_row(std::size_t i, double length) {
  const RowView x = features_.row(i);
  const double amount = length * features_.label(i) * inverse_norm_;
  double* u = u_.values();
  for (std::size_t k = 0; k < x.size; ++k) {
    if (k + coordinates_ahead < x.size) {
      __builtin_prefetch(u + x.at(k + coordinates_ahead), 1);
      sum_.prefetch(x.at(k + coordinates_ahead));
    }
    const std::size_t j = x.at(k);
    const double added = amount * static_cast<double>(x.values[k]);
    u[j] += added;
    sum_.change(j, added);
  }
  if (x.indices != nullptr) {
    u_.written(x.indices, x.size);
  } else {
    u_.written();
  }
}

double Simba::best_bias() const {
  constexpr std::size_t fan = SumTree<Plain>::fan;
  const std::size_t mixed = features_.positives() / fan;  // the block with examples of both classes
  double difference = 0.0;                                // p'y, times the sum of q
  for (std::size_t block = 0; block < q_.blocks(); ++block) {
    if (block != mixed) difference += (block < mixed ? 1.0 : -1.0) * q_.sums()[block];
  }
  for (std::size_t i = mixed * fan; i < std::min((mixed + 1) * fan, features_.size()); ++i) {
    difference += features_.label(i) * q_.values()[i];
  }
  return static_cast<double>((difference > 0.0) - (difference < 0.0));
}

double Simba::factor(double estimate, double eta) const noexcept {
  double v = eta * estimate;
  if (settings_.clip) v = std::clamp(v, -1.0, 1.0);
  return 1.0 - v + v * v;
}

void Simba::change(std::size_t i, double estimate, double eta) {
  changed_.push_back(static_cast<std::int32_t>(i));
  weights_.push_back(q_.values()[i] * factor(estimate, eta));
}

void Simba::reweight(double eta, double bias) {
  double* q = q_.values();
  changed_.clear();
  weights_.clear();
  for (const std::size_t i : slack_.tied()) {
    change(i, slack_.of(q, i) + features_.label(i) * bias, eta);
  }
  // With w = 0 the estimate of <x_i, w> is 0 and nothing is read.
  if (u_.total() > 0.0) {
    const std::size_t j = u_.draw(random_.uniform());
    const double scale = shrink_ * u_.total() / u_.values()[j] * inverse_norm_;  // |w|^2 / w_j
    const RowView x = features_.column(j);
    for (std::size_t k = 0; k < x.size; ++k) {
      const std::size_t i = x.at(k);
      const double y = features_.label(i);
      const double estimate = y * static_cast<double>(x.values[k]) * scale;
      change(i, estimate + slack_.of(q, i) + y * bias, eta);
    }
  }
  multiply(eta, bias);
  for (std::size_t k = 0; k < changed_.size(); ++k) q[changed_[k]] = weights_[k];
  q_.sum_blocks_of(changed_.data(), changed_.size());
  q_.sums_written();
}

void Simba::multiply(double eta, double bias) {
  constexpr std::size_t fan = SumTree<Plain>::fan;
  const auto scale_split = simd::loops().scale_split;
  const double level = slack_.level();
  const double above[2] = {factor(2.0 + bias, eta), factor(2.0 - bias, eta)};
  const double others[2] = {factor(bias, eta), factor(-bias, eta)};
  // Blocks of one class use the fast loop; the block with examples of both classes does not.
  const std::size_t positives = features_.positives();
  const std::size_t mixed = positives / fan;
  double* q = q_.values();
  double* sums = q_.sums();
  scale_split(q, mixed * fan, level, above[0], others[0], sums);
  for (std::size_t i = mixed * fan; i < std::min((mixed + 1) * fan, features_.size()); ++i) {
    const std::size_t side = i < positives ? 0 : 1;
    q[i] *= q[i] > level ? above[side] : others[side];
  }
  const auto place = static_cast<std::int32_t>(mixed * fan);
  q_.sum_blocks_of(&place, 1);
  if (mixed + 1 < q_.blocks()) {
    const std::size_t first = (mixed + 1) * fan;
    scale_split(q + first, (q_.blocks() - mixed - 1) * fan, level, above[1], others[1], sums + mixed + 1);
  }
}

void Simba::keep_in_range() {
  require(std::isfinite(q_.total()), "without clipping an importance weight became too large for float64");
  double* q = q_.values();
  const double scale = std::ldexp(1.0, -std::ilogb(q_.total()));  // a power of two: nothing is rounded
  for (std::size_t i = 0; i < features_.size(); ++i) q[i] = std::max(q[i] * scale, smallest_weight);
  q_.written();
  slack_.rescale(scale);
}

void Simba::weights(double* out) const {
  const auto steps = static_cast<double>(std::max<std::uint64_t>(counters().iterations, 1));
  const double* u = u_.values();
  for (std::size_t j = 0; j < dimension(); ++j) out[j] = sum_.of(j, u[j]) / steps;
}

double Simba::bias() const {
  return biases_ / inverse_norm_ / static_cast<double>(std::max<std::uint64_t>(counters().iterations, 1));
}

void Simba::last_weights(double* out) const {
  for (std::size_t j = 0; j < dimension(); ++j) out[j] = shrink_ * u_.values()[j];
}

void Simba::distribution(double* out) const {
  for (std::size_t i = 0; i < features_.size(); ++i) out[i] = q_.values()[i] / q_.total();
}

}  // namespace svm
