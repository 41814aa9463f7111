#include "solvers/sgdqn.hpp"

namespace svm {
namespace {

constexpr double least_gain = 0.01;
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
SgdQnRule<Real>::SgdQnRule(const FeatureMatrix& matrix, double lambda, std::int64_t skip)
    : lambda_(lambda),
      period_(period_of(matrix, skip)),
      v_(matrix.dimension()),
      before_(matrix.dimension()),
      gain_(matrix.dimension()) {}

template <typename Real>
void SgdQnRule<Real>::start(double t0) {
  v_.multiply(0.0);
  std::fill(gain_.begin(), gain_.end(), Real{1});
  left_ = period_;
  regularised_ = false;
  time_ = t0;
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
    learn_gains(x, y, violated, y * before_.dot(x) < 1.0);
    regularised_ = false;
  }
  if (--left_ == 0) regularise();
  if (violated) add(x, y / (lambda_ * time_));
}

template <typename Real>
void SgdQnRule<Real>::regularise() noexcept {
  const auto rate = static_cast<Real>(static_cast<double>(period_) / time_);  // < 1, as t >= period
  Real* v = v_.values();
  Real* before = before_.values();
  for (std::size_t j = 0; j < gain_.size(); ++j) {
    before[j] = v[j];
    v[j] -= rate * gain_[j] * v[j];
  }
  left_ = period_;
  regularised_ = true;
}

template <typename Real>
void SgdQnRule<Real>::learn_gains(const RowView& x, double y, bool violated, bool violated_before) noexcept {
  const double share = 2.0 / r_;
  r_ += 1.0;
  // Where only the regulariser's gradient changed, the ratio is 1 / lambda.
  for (Real& gain : gain_) gain += static_cast<Real>(share) * (Real{1} - gain);
  if (violated == violated_before) return;
  // Where the loss of this example appeared or vanished: 1 / (lambda + change of the loss's gradient / change of w).
  const double sign = violated ? -y : y;
  for (std::size_t k = 0; k < x.size; ++k) {
    if (x.values[k] == 0.0F) continue;
    const std::size_t j = x.at(k);
    const double moved = static_cast<double>(v_.values()[j]) - static_cast<double>(before_.values()[j]);
    const double ratio = 1.0 / (1.0 + sign * static_cast<double>(x.values[k]) / (lambda_ * moved));
    gain_[j] = static_cast<Real>(std::clamp(static_cast<double>(gain_[j]) + share * (ratio - 1.0), least_gain, 1.0));
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
