#include "solvers/sgdqn.hpp"

#include <string>

namespace svm {
namespace {

// original
constexpr double least_gain = 0.01;
// corrected, as in the published program; in units of lambda
constexpr double least_curvature = 0.1;
constexpr double largest_curvature = 100.0;
constexpr double curvature_of_unmoved = 1.0 + largest_curvature;
constexpr std::int64_t most_passes = 100;
constexpr double largest_period = 0x1p62;

std::uint64_t period_of(const FeatureMatrix& matrix, std::int64_t skip) {
  require(skip >= 1, "skip must be a whole number >= 1");
  double stored = 0.0;
  for (std::size_t i = 0; i < matrix.size(); ++i) stored += static_cast<double>(matrix.row(i).size);
  const double cells = static_cast<double>(matrix.size()) * static_cast<double>(matrix.dimension());
  const double period = std::round(static_cast<double>(skip) * cells / std::max(stored, 1.0));
  return static_cast<std::uint64_t>(std::min(period, largest_period));
}

}  // namespace

template <typename Real>
SgdQnRule<Real>::SgdQnRule(const FeatureMatrix& matrix, const SgdQnSettings& settings)
    : settings_(settings),
      period_(period_of(matrix, settings.skip)),
      // a regulariser that counts anew in each pass may never act
      least_t0_(restarts() && period_ > matrix.size() ? 1.0 : static_cast<double>(period_)),
      v_(matrix.dimension()),
      before_(matrix.dimension()),
      gain_(matrix.dimension()) {
  require(settings.tuning_passes >= 1 && settings.tuning_passes <= most_passes, "tuning_passes must be from 1 to 100");
}

template <typename Real>
Tuning SgdQnRule<Real>::tuning(std::size_t n) const noexcept {
  if (!corrected()) return {};
  return {std::clamp<std::size_t>(n / 10, 1000, 10000), static_cast<std::uint64_t>(settings_.tuning_passes), true,
          least_t0_};
}

template <typename Real>
void SgdQnRule<Real>::end_epoch() noexcept {
  if (!restarts()) return;
  left_ = period_;
  regularised_ = false;
}

template <typename Real>
void SgdQnRule<Real>::start(double t0) {
  if (corrected()) {
    require(t0 >= least_t0_, "t0 must be at least " + std::to_string(static_cast<std::uint64_t>(least_t0_)) +
                                 ": the steps between two actions of the regulariser, or 1 if it never acts");
  }
  v_.clear();
  std::fill(gain_.begin(), gain_.end(), corrected() ? static_cast<Real>(1.0 / t0) : Real{1});
  left_ = period_;
  regularised_ = false;
  time_ = corrected() ? 0.0 : t0;
  added_ = 0.0;
  r_ = 2.0;
}

template <typename Real>
void SgdQnRule<Real>::archive(StateArchive& state) {
  state.part("v", v_);
  state.part("before", before_);
  state.values("gain", gain_);
  state.count("left", left_, period_);
  state.number("regularised", regularised_);
  state.number("time", time_);
  state.number("added", added_);
  state.number("r", r_);
}

template <typename Real>
double SgdQnRule<Real>::squared_norm() noexcept {
  v_.refresh_norm();
  return v_.squared_norm();
}

template <typename Real>
void SgdQnRule<Real>::present(CountedFeatures& features, std::size_t i) {
  const RowView x = features.row(i);
  const double y = features.label(i);
  features.charge_inner_product();
  const bool violated = y * v_.dot(x) < 1.0;
  time_ += 1.0;
  if (regularised_) {
    features.charge_inner_product();
    const bool violated_before = y * before_.dot(x) < 1.0;
    // The change of the loss's gradient is sign x.
    const double sign = violated == violated_before ? 0.0 : (violated ? -y : y);
    if (!corrected()) {
      average_ratios(x, sign);
    } else if (sign != 0.0) {
      add_curvatures(x, sign);
    }
    regularised_ = false;
  }
  if (--left_ == 0) regularise();
  if (violated) add(x, y * rate() / settings_.lambda);
}

template <typename Real>
void SgdQnRule<Real>::regularise() noexcept {
  const auto part = static_cast<Real>(static_cast<double>(period_) * rate());  // times a gain it is at most 1
  Real* v = v_.values();
  Real* before = before_.values();
  for (std::size_t j = 0; j < gain_.size(); ++j) {
    before[j] = v[j];
    v[j] -= part * gain_[j] * v[j];
  }
  left_ = period_;
  regularised_ = true;
}

template <typename Real>
double SgdQnRule<Real>::curvature(const RowView& x, std::size_t k, double sign) const noexcept {
  const std::size_t j = x.at(k);
  const double moved = static_cast<double>(v_.values()[j]) - static_cast<double>(before_.values()[j]);
  return 1.0 + sign * static_cast<double>(x.values[k]) / (settings_.lambda * moved);
}

template <typename Real>
void SgdQnRule<Real>::add_curvatures(const RowView& x, double sign) {
  const double steps = time_ - added_;
  added_ = time_;
  const auto grown = [&](Real gain, double curvature) {
    return static_cast<Real>(1.0 / (1.0 / static_cast<double>(gain) + steps * curvature));
  };
  std::vector<Real> grown_gains;  // the new gains of the example's coordinates
  for (std::size_t k = 0; k < x.size; ++k) {
    const std::size_t j = x.at(k);
    const bool still = v_.values()[j] == before_.values()[j];
    const double c =
        still ? curvature_of_unmoved : std::clamp(curvature(x, k, sign), least_curvature, largest_curvature);
    grown_gains.push_back(grown(gain_[j], x.values[k] == 0.0F ? 1.0 : c));
  }
  for (Real& gain : gain_) gain = grown(gain, 1.0);
  for (std::size_t k = 0; k < x.size; ++k) gain_[x.at(k)] = grown_gains[k];
}

template <typename Real>
void SgdQnRule<Real>::average_ratios(const RowView& x, double sign) noexcept {
  const double share = 2.0 / r_;
  r_ += 1.0;
  for (Real& gain : gain_) gain += static_cast<Real>(share) * (Real{1} - gain);
  for (std::size_t k = 0; sign != 0.0 && k < x.size; ++k) {
    if (x.values[k] == 0.0F) continue;
    Real& gain = gain_[x.at(k)];
    const double ratio = 1.0 / curvature(x, k, sign);
    gain = static_cast<Real>(std::clamp(static_cast<double>(gain) + share * (ratio - 1.0), least_gain, 1.0));
  }
}

template <typename Real>
void SgdQnRule<Real>::add(const RowView& x, double amount) noexcept {
  const auto factor = static_cast<Real>(amount);
  Real* v = v_.values();
  if (x.indices == nullptr) {
    for (std::size_t j = 0; j < x.size; ++j) v[j] += factor * gain_[j] * static_cast<Real>(x.values[j]);
    return;
  }
  for (std::size_t k = 0; k < x.size; ++k) {
    const auto j = static_cast<std::size_t>(x.indices[k]);
    v[j] += factor * gain_[j] * static_cast<Real>(x.values[k]);
  }
}

template class SgdQnRule<double>;
template class SgdQnRule<float>;

}  // namespace svm
