// Pegasos on explicit weights: the method of `Pegasos` with the linear kernel, at the cost of one row per iteration.
#pragma once

#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "linear/weight_vector.hpp"
#include "random/random.hpp"
#include "solvers/linear_solver.hpp"

namespace svm {

struct LinearPegasosSettings {
  double lambda = 1.0;
  bool project = false;  ///< onto ||w|| <= 1 / sqrt(lambda) after each step

  auto fields() { return std::tuple(required("lambda", lambda), field("project", project)); }
};

class LinearPegasos final : public DirectLoop<LinearPegasos, FeatureSolver> {
 public:
  LinearPegasos(const FeatureMatrix& matrix, const LinearPegasosSettings& settings, std::uint64_t seed)
      : DirectLoop(matrix),
        settings_(settings),
        random_(seed, Purpose::sampling),
        next_(CountedFeatures::offsets_ahead),
        u_(matrix.dimension()) {
    require_setting(settings.lambda, "lambda");
    for (std::size_t& i : next_) i = random_.below(matrix.size());
  }

  void weights(double* out) const override { u_.copy(shrink(), out); }
  void archive(StateArchive& state) override {
    DirectLoop::archive(state);
    state.part("random", random_);
    state.indices("next", next_, features_.size());
    state.part("u", u_);
  }
  bool step() override {
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

 private:
  // With eta = 1 / (lambda t) the recursion is t w_t = (t - 1) w_{t-1} + y x / lambda: so w_t = shrink() u_t with
  // u_t = u_{t-1} + y x.
  double shrink() const noexcept {
    const auto t = static_cast<double>(features_.counters().iterations);
    return t > 0.0 ? 1.0 / (settings_.lambda * t) : 0.0;
  }
  void project() { u_.project(std::sqrt(settings_.lambda) * static_cast<double>(features_.counters().iterations)); }

  LinearPegasosSettings settings_;
  Random random_;
  // The examples of iteration t, t + 1, ..., drawn ahead so that their rows can be prefetched: that of iteration t is at
  // t modulo the size.
  std::vector<std::size_t> next_;
  ScaledVector<double> u_;
};

}  // namespace svm
