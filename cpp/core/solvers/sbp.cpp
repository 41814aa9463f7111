#include "solvers/sbp.hpp"

#include <cmath>

#include "base/error.hpp"

namespace svm {

// The predictor is w = sum_i alpha_i y_i phi(x_i), with alpha = scale_ beta_ and the responses scale_ v_, so that a
// projection changes one number. norm2_ is |w|^2. sum_ and settled_ are the sums of alpha over the iterations since
// renormalise() was last called, and before.

Sbp::Sbp(RowSource& source, const SbpSettings& settings, std::uint64_t seed)
    : KernelSolver(source),
      settings_(settings),
      random_(seed, Purpose::sampling),
      tracker_(source.size(), source.positives(), settings.bias),
      volume_(settings.nu * static_cast<double>(source.size())),
      v_(source.size()),
      beta_(source.size()),
      sum_(source.size()),
      settled_(source.size()) {
  require(settings.nu >= 0.0 && volume_ < 1e100, "nu must not be negative, and nu n must be below 1e100");
  require(rows_.largest_diagonal() > 0.0, "every training point has K(x, x) = 0: there is nothing to learn from");
  rows_.draw_at_random();
  const double longest = std::sqrt(rows_.largest_diagonal());  // of the points in feature space
  require_not_negative(settings_.eta, "eta");
  if (settings_.eta == 0.0) settings_.eta = 1.0 / longest;  // 0 stands for the default
  require_setting(settings_.eta * longest, "eta sqrt(max K(x, x))");
  tracker_.scan(v_.data());
}

bool Sbp::step() {
  Counters& counters = rows_.counters();
  // the levels of v_, not of the responses scale_ v_: so the volume is divided by the scale
  const Solved solved = tracker_.solve(v_.data(), volume_ / scale_);
  levels_ = solved.levels;
  level_ = scale_ * levels_.level();
  const double eta = settings_.eta / std::sqrt(static_cast<double>(counters.iterations + 1));
  const ThresholdScan& up = tracker_.positive;
  const ThresholdScan& down = tracker_.negative;
  // draws one of the covered points of a class, all equally likely
  const auto draw = [&](const ThresholdScan& scan, const Basin& basin) {
    return basin.index(scan, random_.below(basin.results()));
  };
  if (settings_.bias && settings_.pairs) {
    const Draw draws[] = {{draw(up, solved.positive), 0.5 * eta}, {draw(down, solved.negative), 0.5 * eta}};
    apply(draws, 2);
    counters.presentations += 2;
  } else {
    Draw single{0, eta};
    if (settings_.bias) {
      single.index = random_.below(2) == 0 ? draw(up, solved.positive) : draw(down, solved.negative);
    } else {
      const std::size_t covered_up = up.covered(levels_.positive);
      const std::size_t k = random_.below(covered_up + down.covered(levels_.negative));
      single.index =
          k < covered_up ? up.covered_index(levels_.positive, k) : down.covered_index(levels_.negative, k - covered_up);
    }
    apply(&single, 1);
    counters.presentations += 1;
  }
  ++counters.iterations;
  sum_.add(scale_);
  if (scale_ < 1e-6) renormalise();
  return true;  // not converged: the SBP has no stopping rule
}

void Sbp::apply(const Draw* draws, std::size_t count) {
  const double* v = v_.data();
  const float* rows[2] = {nullptr, nullptr};
  double steps[2] = {0.0, 0.0};  // y_i (change of beta_i): v_j changes by y_j steps[k] K(x_i, x_j)
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = draws[k].index;
    rows[k] = rows_.row(i);
    steps[k] = rows_.label(i) * draws[k].amount / scale_;
    // |w + a y_i phi(x_i)|^2 = |w|^2 + 2 a c_i + a^2 K(x_i, x_i), with the response c_i = scale_ v_i
    norm2_ += 2.0 * draws[k].amount * scale_ * v[i] + draws[k].amount * draws[k].amount * rows_.diagonal(i);
    beta_[i] += draws[k].amount / scale_;
    sum_.change(i, draws[k].amount / scale_);
  }
  if (count == 2) {
    norm2_ += 2.0 * draws[0].amount * draws[1].amount * rows_.label(draws[0].index) * rows_.label(draws[1].index) *
              static_cast<double>(rows[0][draws[1].index]);
    tracker_.add_and_scan(v_.data(), rows[0], steps[0], rows[1], steps[1]);
  } else {
    tracker_.add_and_scan(v_.data(), rows[0], steps[0]);
  }
  if (norm2_ > 1.0) {  // project w to the unit ball
    scale_ /= std::sqrt(norm2_);
    norm2_ = 1.0;
  }
}

// Multiplies the scale into the arrays before it underflows.
void Sbp::renormalise() {
  for (std::size_t i = 0; i < size(); ++i) {
    settled_[i] += sum_.of(i, beta_[i]);
    beta_[i] *= scale_;
    v_[i] *= scale_;
  }
  sum_.clear();
  tracker_.rescale(v_.data(), scale_);
  scale_ = 1.0;
}

void Sbp::archive(StateArchive& state) {
  KernelSolver::archive(state);
  state.part("random", random_);
  state.finite_values("v", v_, LevelTracker::most);
  state.part("tracker", tracker_, v_.data());
  state.part("levels", levels_);
  state.number("level", level_);
  state.finite("scale", scale_, 1e-100);
  state.finite("norm2", norm2_);
  state.check(scale_ <= 1.0 && norm2_ <= 1.0, "scale", " or the squared norm is above 1");
  state.values("beta", beta_);
  sum_.archive(state, "scale_sum", "credit");
  state.values("settled", settled_);
}

void Sbp::coefficients(double* out) const {
  const auto iterations = static_cast<double>(counters().iterations);
  for (std::size_t i = 0; i < size(); ++i) {
    out[i] = iterations > 0.0 ? rows_.label(i) * sum_.of(i, beta_[i], settled_[i]) / iterations : 0.0;
  }
}

}  // namespace svm
