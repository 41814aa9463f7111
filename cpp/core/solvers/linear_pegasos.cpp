#include "solvers/linear_pegasos.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace svm {
namespace {

constexpr std::uint64_t between_refreshes = 4096;  // steps between two norms of float32 weights, or d if that is more

}  // namespace

template <typename Real>
LinearPegasos<Real>::LinearPegasos(const FeatureMatrix& matrix, const LinearPegasosSettings& settings,
                                   std::uint64_t seed)
    : Loop(matrix),
      settings_(settings),
      random_(seed, Purpose::sampling),
      next_(CountedFeatures::offsets_ahead),
      u_(matrix.dimension()) {
  require_positive(settings.lambda, "lambda");
  for (std::size_t& i : next_) i = random_.below(matrix.size());
}

template <typename Real>
void LinearPegasos<Real>::archive(StateArchive& state) {
  Loop::archive(state);
  state.part("random", random_);
  state.indices("next", next_, features_.size());
  state.part("u", u_);
}

template <typename Real>
double LinearPegasos<Real>::shrink() const noexcept {
  const auto t = static_cast<double>(features_.counters().iterations);
  return t > 0.0 ? 1.0 / (settings_.lambda * t) : 0.0;
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
  // y <w, x> < 1, where w is u / (lambda (t - 1)), and 0 before the first step
  const auto before = static_cast<double>(counters.iterations);
  const bool violated = y * u_.present(x) < settings_.lambda * before || counters.iterations == 0;
  ++counters.iterations;
  ++counters.presentations;
  if (violated) u_.add(x, y, features_.squared_norm(i));
  if (settings_.project) project();
  return true;
}

template <typename Real>
void LinearPegasos<Real>::project() {
  const std::uint64_t t = features_.counters().iterations;
  if constexpr (std::is_same_v<Real, float>) {
    if (t % std::max<std::uint64_t>(between_refreshes, this->dimension()) == 0) u_.refresh_norm();
  }
  u_.project(std::sqrt(settings_.lambda) * static_cast<double>(t));
}

template class LinearPegasos<double>;
template class LinearPegasos<float>;

}  // namespace svm
