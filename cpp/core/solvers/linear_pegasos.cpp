#include "solvers/linear_pegasos.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace svm {
namespace {

constexpr double smallest = 1e-6;  // a smaller product of the projections' factors is multiplied into the weights
constexpr std::uint64_t between_refreshes = 4096;  // steps between two sums of float32 weights, or d if that is more

}  // namespace

template <typename Real>
LinearPegasos<Real>::LinearPegasos(const FeatureMatrix& matrix, const LinearPegasosSettings& settings,
                                   std::uint64_t seed)
    : Loop(matrix),
      settings_(settings),
      random_(seed, Purpose::sampling),
      next_(CountedFeatures::offsets_ahead),
      weights_(matrix.dimension()) {
  require_positive(settings.lambda, "lambda");
  for (std::size_t& i : next_) i = random_.below(matrix.size());
}

template <typename Real>
void LinearPegasos<Real>::archive(StateArchive& state) {
  Loop::archive(state);
  state.part("random", random_);
  state.indices("next", next_, features_.size());
  state.part("weights", weights_);
  state.number("stretch", stretch_);
}

template <typename Real>
double LinearPegasos<Real>::shrink() const noexcept {
  const auto t = static_cast<double>(features_.counters().iterations);
  return t > 0.0 ? 1.0 / (settings_.lambda * t * stretch_) : 0.0;
}

template <typename Real>
bool LinearPegasos<Real>::step() {
  Counters& counters = features_.counters();
  std::size_t& place = next_[counters.iterations % CountedFeatures::offsets_ahead];
  const std::size_t i = place;
  place = random_.below(features_.size());
  features_.prefetch_offset(place);
  features_.prefetch_row(next_[(counters.iterations + CountedFeatures::rows_ahead) % CountedFeatures::offsets_ahead]);
  const RowView x = features_.row(i);
  const double y = features_.label(i);
  features_.charge_inner_product();
  const double dot = weights_.dot(x);
  // y <w, x> < 1, where w is v / (lambda (t - 1) stretch), and 0 before the first step
  const auto before = static_cast<double>(counters.iterations);
  const bool violated = y * dot < settings_.lambda * before * stretch_ || counters.iterations == 0;
  ++counters.iterations;
  ++counters.presentations;
  if (violated) weights_.add(x, y * stretch_, dot, features_.squared_norm(i));
  if (settings_.project) project();
  return true;
}

template <typename Real>
void LinearPegasos<Real>::project() {
  if constexpr (std::is_same_v<Real, float>) {
    const std::uint64_t period = std::max<std::uint64_t>(between_refreshes, this->dimension());
    if (features_.counters().iterations % period == 0) weights_.refresh_norm();
  }
  const double norm = shrink() * std::sqrt(weights_.squared_norm());
  const double radius = 1.0 / std::sqrt(settings_.lambda);
  if (norm > radius) stretch_ *= norm / radius;
  if (stretch_ * smallest < 1.0) return;
  weights_.multiply(1.0 / stretch_);
  stretch_ = 1.0;
}

template class LinearPegasos<double>;
template class LinearPegasos<float>;

}  // namespace svm
