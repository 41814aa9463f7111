// Training by training.hpp: the results of the core's classes used by hand, in the caller's order, and what is refused.
#include "training/training.hpp"

#include <limits>
#include <optional>

#include "check.hpp"
#include "data.hpp"
#include "levels/water_level.hpp"
#include "solvers/lasvm.hpp"
#include "solvers/pegasos.hpp"
#include "solvers/perceptron.hpp"
#include "solvers/sbp.hpp"
#include "solvers/sdca.hpp"
#include "solvers/smo.hpp"
#include "solvers/svmlight.hpp"

using svm::DataMatrix;
using svm::Examples;
using svm::KernelFunction;
using svm::test::near;
using svm::test::refuses;

namespace {

constexpr std::size_t n = 60;
constexpr std::size_t d = 4;
constexpr std::uint64_t seed = 7;
const KernelFunction gaussian{KernelFunction::Kind::gaussian, 0.3, 0.0, 1};

struct Problem {
  svm::test::Data data{n, d, 3};
  std::vector<int> labels;

  Problem() {
    svm::Random random(5, svm::Purpose::data);
    for (std::size_t i = 0; i < n; ++i) {
      labels.push_back(static_cast<double>(data.dense[i * d]) + 0.3 * random.normal() > 0.2 ? 1 : -1);
    }
  }
  DataMatrix matrix(bool sparse) const {
    if (sparse) return {data.offsets, data.indices, data.values, d};
    return {n, d, data.dense};
  }
  std::vector<float> point(std::size_t i) const {
    const auto first = data.dense.begin() + static_cast<std::ptrdiff_t>(i * d);
    return {first, first + d};
  }
};

svm::Limit iterations(std::uint64_t count) {
  svm::Limit limit;
  limit.iterations = count;
  return limit;
}

/// The predictor of a method that is made by hand, in the caller's order.
struct ByHand {
  std::vector<double> coefficients = std::vector<double>(n);
  double bias = 0.0;
  svm::Counters counters;
  svm::Status status{};

  /// f(x_i) in float64.
  double value(const Problem& problem, std::size_t i) const {
    double f = bias;
    for (std::size_t j = 0; j < n; ++j) f += coefficients[j] * problem.data.kernel(gaussian, j, i);
    return f;
  }
  void complete(const Problem& problem, const std::vector<std::size_t>& order, std::size_t positives, double volume,
                bool with_bias) {
    std::vector<double> responses;
    for (const std::size_t i : order) responses.push_back(problem.labels[i] * value(problem, i));
    const svm::Levels levels = svm::water_levels_sorted(responses.data(), n, positives, volume, with_bias);
    CHECK(levels.level() > 0.0);
    for (double& coefficient : coefficients) coefficient /= levels.level();
    bias = levels.bias() / levels.level();
  }
};

template <typename Method, typename... Arguments>
ByHand by_hand(const Problem& problem, bool sparse, const svm::Limit& limit, const Arguments&... arguments) {
  std::vector<std::size_t> order;
  for (const int label : {1, -1}) {
    for (std::size_t i = 0; i < n; ++i) {
      if (problem.labels[i] == label) order.push_back(i);
    }
  }
  std::size_t positives = 0;
  while (problem.labels[order[positives]] == 1) ++positives;
  std::vector<float> sorted;
  for (const std::size_t i : order) {
    for (const float value : problem.point(i)) sorted.push_back(value);
  }
  const svm::test::Data data(n, d, sorted);
  svm::CachedRows rows(gaussian, data.view(sparse), positives, n);
  Method solver(rows, arguments...);
  ByHand result;
  result.status = solver.advance(limit, nullptr);
  result.counters = solver.counters();
  std::vector<double> coefficients(n);
  solver.coefficients(coefficients.data());
  for (std::size_t k = 0; k < n; ++k) result.coefficients[order[k]] = coefficients[k];
  result.bias = solver.bias();
  if (const auto slack = solver.slack_volume()) {
    result.complete(problem, order, positives, slack->volume, slack->bias);
  }
  return result;
}

template <typename Method, typename Settings, typename... Arguments>
void equals_by_hand(const Problem& problem, const Settings& settings, const Arguments&... arguments) {
  for (const bool sparse : {false, true}) {
    const svm::Limit limit = iterations(300);
    const ByHand expected = by_hand<Method>(problem, sparse, limit, arguments...);
    const DataMatrix points = problem.matrix(sparse);
    const svm::Result result = svm::train<Method>(Examples(points, problem.labels), gaussian, settings, limit, seed);
    CHECK(result.status == expected.status);
    CHECK(result.counters.iterations == expected.counters.iterations && result.counters.iterations > 0);
    CHECK(result.counters.kernel_evaluations == expected.counters.kernel_evaluations);
    const svm::Model copy = result.model;
    const std::vector<double> f = copy.decisions(points);
    const std::vector<int> predicted = copy.predict(points);
    CHECK(f.size() == n && predicted.size() == n && copy.coefficients().size() == n);
    CHECK(near(copy.bias(), expected.bias, 1e-5));
    std::size_t support = 0;
    double scale = 1.0;
    for (const double coefficient : expected.coefficients) scale += std::abs(coefficient);
    for (std::size_t i = 0; i < n; ++i) {
      support += expected.coefficients[i] != 0.0 ? 1 : 0;
      CHECK(near(copy.coefficients()[i], expected.coefficients[i], 1e-6 * scale));
      CHECK(near(f[i], expected.value(problem, i), 1e-6 * scale));
      CHECK(near(copy.decision(problem.point(i)), f[i], 1e-6 * scale));
      CHECK(predicted[i] == (f[i] > 0.0 ? 1 : -1));
    }
    CHECK(copy.support_vectors() == support && support > 0);
  }
}

void every_method() {
  const Problem problem;
  const svm::SbpSettings sbp{0.1, false, true, 0.0};
  const svm::SbpSettings sbp_with_bias{0.1, true, true, 0.0};
  equals_by_hand<svm::Sbp>(problem, sbp, sbp, seed);
  equals_by_hand<svm::Sbp>(problem, sbp_with_bias, sbp_with_bias, seed);
  equals_by_hand<svm::Perceptron>(problem, svm::NoSettings{}, seed);
  const svm::PegasosSettings pegasos{0.01, false, svm::Accounting::on_demand};
  equals_by_hand<svm::Pegasos>(problem, pegasos, pegasos, seed);
  const svm::SdcaSettings sdca{10.0, svm::Accounting::kept};
  equals_by_hand<svm::Sdca>(problem, sdca, sdca, seed);
  const svm::SmoSettings smo{10.0, 1e-3};
  equals_by_hand<svm::Smo>(problem, smo, smo);
  equals_by_hand<svm::SmoWithBias>(problem, smo, smo);
  const svm::SvmLightSettings svmlight{10.0, true, 1e-3, 4, 5};
  equals_by_hand<svm::SvmLight>(problem, svmlight, svmlight);
  const svm::LasvmSettings lasvm{10.0, true, 1e-3, 2};
  equals_by_hand<svm::Lasvm>(problem, lasvm, lasvm, seed);
}

void training_goes_on() {
  const Problem problem;
  const Examples examples(problem.matrix(false), problem.labels);
  const svm::SbpSettings settings{0.1, false, true, 0.0};
  svm::Training<svm::Sbp> training(examples, gaussian, settings, seed, 0);  // the smallest cache
  CHECK(training.solve(iterations(0)).model.decision(problem.point(0)) == 0.0);
  CHECK(training.solve(iterations(0)).model.predict(problem.matrix(false)) == std::vector<int>(n, -1));
  CHECK(training.solve(iterations(50)).counters.iterations == 50);
  const svm::Result later = training.solve(iterations(200));
  const svm::Result whole = svm::train<svm::Sbp>(examples, gaussian, settings, iterations(200), seed);
  CHECK(later.model.coefficients() == whole.model.coefficients() && later.status == svm::Status::iterations);
  CHECK(training.solve(iterations(300), [] { return true; }).status == svm::Status::interrupted);
}

void bad_input_is_refused() {
  const Problem problem;
  const DataMatrix dense = problem.matrix(false);
  const DataMatrix sparse = problem.matrix(true);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(refuses([] { DataMatrix(2, 3, {1.0F, 2.0F}); }, "2 rows and 3 columns"));
  CHECK(refuses([] { DataMatrix(std::size_t{1} << 63, 2, {}); }, "columns"));
  CHECK(refuses([] { DataMatrix(1, 0, {1.0F}); }, "0 columns"));
  CHECK(refuses([=] { DataMatrix(1, 2, {1.0F, nan}); }, "row 0, column 1"));
  CHECK(refuses([=] { DataMatrix({0, 1}, {1}, {nan}, 2); }, "row 0, column 1"));
  CHECK(refuses([] { DataMatrix({}, {}, {}, 2); }, "rows + 1"));
  CHECK(refuses([] { DataMatrix({0, 2}, {0}, {1.0F}, 2); }, "number of stored values"));
  CHECK(refuses([] { DataMatrix({0, 1}, {}, {1.0F}, 2); }, "one length"));
  CHECK(refuses([] { DataMatrix({0, 1}, {2}, {1.0F}, 2); }, "column index"));
  CHECK(refuses([&] { Examples(dense, std::vector<int>(n - 1, 1)); }, "59 labels for 60 points"));
  CHECK(refuses([&] { Examples(dense, std::vector<int>(n, 1)); }, "both classes"));
  CHECK(refuses([&] { Examples(dense, std::vector<int>(n, -1)); }, "both classes"));
  CHECK(refuses([] { Examples({}, {}); }, "both classes"));
  std::vector<int> zero = problem.labels;
  zero[4] = 0;
  CHECK(refuses([&] { Examples(dense, zero); }, "label 4 is 0"));

  const Examples examples(dense, problem.labels);
  const auto trained = [&](const KernelFunction& kernel, const svm::SbpSettings& settings) {
    return svm::train<svm::Sbp>(examples, kernel, settings, iterations(10), seed).model;
  };
  const auto refused = [&](KernelFunction::Kind kind, double gamma, double coef0, int degree, const char* part) {
    return refuses([&] { trained({kind, gamma, coef0, degree}, {}); }, part);
  };
  for (const double gamma : {0.0, -1.0, static_cast<double>(nan), 1e37}) {
    CHECK(refused(KernelFunction::Kind::gaussian, gamma, 0.0, 1, "gamma"));
    CHECK(refused(KernelFunction::Kind::polynomial, gamma, 0.0, 1, "gamma"));
  }
  CHECK(refused(KernelFunction::Kind::polynomial, 1.0, static_cast<double>(nan), 2, "coef0"));
  CHECK(refused(KernelFunction::Kind::polynomial, 1.0, 0.0, 0, "degree"));
  CHECK(refuses([&] { trained(gaussian, {-1.0, false, true, 0.0}); }, "nu"));

  const svm::Model model = trained(gaussian, {});
  CHECK(refuses([&] { model.decision(std::vector<float>(d + 1)); }, "points with 4 coordinates, and these have 5"));
  CHECK(refuses([&] { model.decision({}); }, "these have 0"));
  CHECK(refuses([&] { model.predict(sparse); }, "the same way"));
  CHECK(refuses([&] { model.decision({nan, 0.0F, 0.0F, 0.0F}); }, "column 0"));
  CHECK(refuses([&] { model.decision({1e18F, 0.0F, 0.0F, 0.0F}); }, "scale the features"));
  CHECK(model.predict(DataMatrix(0, d, {})).empty());
}

// The examples must outlive the training, and settings are a settings struct: what is not, does not compile.
template <typename Method, typename Given, typename Settings>
constexpr bool compiles = std::is_constructible_v<svm::Training<Method>, Given, KernelFunction, Settings, int>;
static_assert(compiles<svm::Sbp, const Examples&, svm::SbpSettings>);
static_assert(!compiles<svm::Sbp, Examples, svm::SbpSettings>);
static_assert(!compiles<svm::Perceptron, const Examples&, int>);

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  every_method();
  training_goes_on();
  bad_input_is_refused();
  return svm::test::finish();
}
