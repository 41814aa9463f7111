// Solvers on explicit weights: the same points stored densely and sparsely give the same steps, and SIMBA the same bits;
// scaled vectors and tracked norms over many steps; wrong settings are refused.
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "solvers/asset.hpp"
#include "solvers/cutting_planes.hpp"
#include "solvers/dcd.hpp"
#include "solvers/linear_pegasos.hpp"
#include "solvers/mpu.hpp"
#include "solvers/sgd.hpp"
#include "solvers/sgdqn.hpp"
#include "solvers/simba.hpp"
#include "solvers/svmsgd.hpp"

using svm::FeatureMatrix;
using svm::LinearSolver;
using svm::Random;

namespace {

constexpr std::size_t n = 53;
constexpr std::size_t d = 37;
constexpr std::size_t positives = 20;
constexpr double lambda = 1e-2;

/// Two thirds of the values are zero, with a row of zeros and an empty column.
svm::test::Data points() {
  std::vector<float> content = svm::test::sparse_normals(n, d, 3, 0.67);
  for (float& x : content) x *= 0.2F;
  for (std::size_t j = 0; j < d; ++j) content[5 * d + j] = 0.0F;
  for (std::size_t i = 0; i < n; ++i) content[i * d + 7] = 0.0F;
  return {n, d, content};
}

using Maker = std::function<std::unique_ptr<LinearSolver>(const FeatureMatrix&)>;

/// Makes a solver from a matrix and `arguments`.
template <typename Method, typename... Arguments>
Maker maker(const Arguments&... arguments) {
  return [=](const FeatureMatrix& matrix) { return std::make_unique<Method>(matrix, arguments...); };
}

std::unique_ptr<LinearSolver> advanced(const Maker& make, const FeatureMatrix& matrix, std::uint64_t iterations) {
  svm::Limit limit;
  limit.iterations = iterations;
  std::unique_ptr<LinearSolver> solver = make(matrix);
  solver->advance(limit, nullptr);
  return solver;
}

std::vector<double> weights(const LinearSolver& solver) {
  std::vector<double> out(solver.dimension());
  solver.weights(out.data());
  return out;
}

/// The weights of two runs differ by rounding, relative to the largest weight; rounding = 0: not at all.
void check_near(const LinearSolver& one, const LinearSolver& other, double rounding) {
  const std::vector<double> a = weights(one);
  const std::vector<double> b = weights(other);
  double largest = 0.0;
  for (const double value : a) largest = std::max(largest, std::abs(value));
  CHECK(largest > 0.0);
  for (std::size_t j = 0; j < std::min(a.size(), b.size()); ++j) {
    CHECK(svm::test::near(a[j], b[j], rounding * largest));
  }
  CHECK(svm::test::near(one.bias(), other.bias(), rounding));
  CHECK(std::isnan(one.lower_bound()) || svm::test::near(one.lower_bound(), other.lower_bound(), 1e-4 * rounding));
}

/// A run on either storage takes the same steps, and reads fewer coordinates on sparse rows.
void check_storages(const Maker& make, const FeatureMatrix& dense, const FeatureMatrix& sparse, double rounding) {
  const auto one = advanced(make, dense, 1500);
  const auto other = advanced(make, sparse, 1500);
  check_near(*one, *other, rounding);
  CHECK(one->counters().iterations == other->counters().iterations);
  CHECK(one->counters().inner_products == other->counters().inner_products);
  CHECK(one->counters().feature_accesses_dense == other->counters().feature_accesses_dense);
  CHECK(one->counters().feature_accesses == one->counters().feature_accesses_dense);
  CHECK(one->counters().feature_accesses > other->counters().feature_accesses);
}

/// The norm that a method tracks is that of its weights, after many steps and in any arithmetic.
void check_tracked_norm(const Maker& make, const FeatureMatrix& matrix, std::uint64_t steps, const std::string& member,
                        double rounding) {
  const svm::State state = advanced(make, matrix, steps)->state();
  const auto tracked = std::get<std::vector<double>>(state.at(member + ".squared_norm"))[0];
  double squared = 0.0;
  std::visit(
      [&](const auto& v) {
        for (const auto x : v) squared += static_cast<double>(x) * static_cast<double>(x);
      },
      state.at(member + ".v"));
  CHECK(squared > 0.0 && svm::test::near(tracked, squared, rounding * squared));
}

/// A scaled vector is what the same steps make of a plain one, also where its scale would overflow or underflow; a copy
/// by way of the archive continues with the same bits.
template <typename Real>
void check_scaled_vector(const FeatureMatrix& matrix, double shrinking, double rounding) {
  Random random(5, svm::Purpose::data);
  const std::size_t d = matrix.dimension();
  svm::ScaledVector<Real> w(d);
  svm::ScaledVector<Real> resumed(d);
  std::vector<double> plain(d);
  std::vector<double> out(d);
  const auto step = [&](svm::ScaledVector<Real>& vector, std::size_t i, double factor, double amount, double radius) {
    const double product = vector.present(matrix.row(i));
    vector.multiply(factor);
    vector.add(matrix.row(i), amount, matrix.squared_norm(i));
    vector.project(radius);
    return product;
  };
  const auto norm = [&] { return std::sqrt(std::inner_product(plain.begin(), plain.end(), plain.begin(), 0.0)); };
  for (int t = 0; t < 3000; ++t) {
    const std::size_t i = random.below(matrix.size());
    // it shrinks from step 600 to 1200 and then grows back, by far more than the scale's range; twice it becomes 0
    const double factor = t % 2000 == 7 ? 0.0 : (t < 600 || t > 1800 ? -0.9 : (t < 1200 ? shrinking : 1.0 / shrinking));
    const double amount = (t < 600 || t > 1800 ? 1.0 : 0.0) * random.normal();
    const double radius = t % 10 == 0 ? 0.5 : 1e300;
    if (t % 100 == 0) svm::restore(resumed, svm::state_of(w));
    const double product = step(w, i, factor, amount, radius);
    CHECK(product == step(resumed, i, factor, amount, radius));
    const svm::RowView x = matrix.row(i);
    double expected = 0.0;
    for (std::size_t k = 0; k < x.size; ++k) expected += plain[x.at(k)] * static_cast<double>(x.values[k]);
    CHECK(svm::test::near(product, expected, rounding * (1.0 + norm())));
    for (double& value : plain) value *= factor;
    for (std::size_t k = 0; k < x.size; ++k) plain[x.at(k)] += amount * static_cast<double>(x.values[k]);
    const double length = norm();
    for (double& value : plain) value *= length > radius ? radius / length : 1.0;
    w.copy(2.0, out.data());
    for (std::size_t j = 0; j < d; ++j) CHECK(svm::test::near(out[j], 2.0 * plain[j], rounding * (1.0 + norm())));
    if (t % 50 == 0) w.refresh_norm();
    if (t % 50 == 0) resumed.refresh_norm();
    CHECK(svm::test::near(w.squared_norm(), norm() * norm(), 10.0 * rounding * (1.0 + norm() * norm())));
  }
}

void check_refusals(const FeatureMatrix& dense) {
  const auto refuses = [&](const char* text, const Maker& make) {
    return svm::test::refuses([&] { make(dense); }, text);
  };
  constexpr auto corrected = svm::SgdQnVariant::corrected;
  const auto sgdqn = [](const svm::SgdQnSettings& settings) { return maker<svm::SgdQn<double>>(settings, 5); };
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(refuses("lambda = ", maker<svm::SgdRandom>(svm::SgdRandomSettings{wrong}, 1)));
    CHECK(refuses("C = ", maker<svm::Dcd>(svm::DcdSettings{wrong, 0.1}, 1)));
    CHECK(refuses("eps = ", maker<svm::Dcd>(svm::DcdSettings{1.0, wrong}, 1)));
    CHECK(refuses("lambda = ", maker<svm::Mpu>(svm::MpuSettings{wrong, 0.1}, 1)));
    CHECK(refuses("eps = ", maker<svm::Mpu>(svm::MpuSettings{lambda, wrong}, 1)));
    CHECK(refuses("eps = ", maker<svm::SvmPerf>(svm::CuttingPlaneSettings{1.0, wrong})));
    CHECK(refuses("lambda = ", maker<svm::SvmPerf>(svm::CuttingPlaneSettings{wrong, 0.1})));
    CHECK(refuses("mu must lie", maker<svm::Ocas>(svm::OcasSettings{1.0, 0.1, wrong})));
    CHECK(refuses("t0 = ", maker<svm::SvmSgd<double>>(svm::SvmSgdSettings{lambda, wrong}, 5)));
    CHECK(refuses("t0 = ", sgdqn({lambda, corrected, wrong})));
  }
  CHECK(refuses("a multiplicity", maker<svm::SgdPasses<float>>(svm::SgdSettings{lambda, 0.1, 1.2, {}}, 3)));
  CHECK(refuses("not 0 times", maker<svm::SgdPasses<double>>(svm::SgdSettings{lambda, 0.1, 1.2, {1, 0}}, 3)));
  CHECK(refuses("t0 must be at least 16:", sgdqn({lambda, corrected, 15.0})));
  CHECK(refuses("skip must be", sgdqn({lambda, svm::SgdQnVariant::original, {}, 0})));
  for (const std::int64_t passes : {0, 101}) {
    CHECK(refuses("tuning_passes must be", sgdqn({lambda, corrected, {}, 16, passes})));
  }
  CHECK(refuses("it must lie", maker<svm::Simba>(svm::SimbaSettings{50.0}, 1)));
  for (const std::size_t of_one_class : {std::size_t{0}, n}) {
    const svm::test::Data data = points();
    const FeatureMatrix one_class(data.view(false), of_one_class);
    CHECK(svm::test::refuses([&] { svm::Simba(one_class, svm::SimbaSettings{0.1}, 1); }, "both classes"));
  }
  const auto asset = [](const svm::AssetSettings& settings) {
    return maker<svm::Asset>(svm::AssetBatchSettings{settings}, 1);
  };
  CHECK(refuses("lambda = ", asset({0.0, false, {}})));
  CHECK(refuses("bound = ", asset({1.0, false, 0.0})));
  CHECK(refuses("without intercept", asset({1.0, true, 1.0})));
  CHECK(refuses("scale = ", asset({1.0, false, {}, -1.0})));
  CHECK(refuses("at least 1 iterate", asset({1.0, false, {}, 1.0, 0})));
  CHECK(refuses("at least 1 example", asset({1.0, false, {}, 1.0, 1, 0})));
  CHECK(svm::test::refuses([] { svm::AssetStream(0, 1, 1, {}); }, "no examples"));
  CHECK(svm::test::refuses([] { svm::AssetStream(1, 1, 0, {}); }, "no features"));
  svm::AssetStream stream(3, 1, 1, {});
  const float row = 1.0F;
  const std::int8_t label = 1;
  const std::uint32_t stored = 1;
  CHECK(svm::test::refuses([&] { stream.feed(&row, &label, &stored, 1); }, "has 3 examples here, not 1"));
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  const svm::test::Data data = points();
  const FeatureMatrix dense(data.view(false), positives);
  const FeatureMatrix sparse(data.view(true), positives);

  for (const double nu : {0.0, 0.05, 0.5}) {
    for (const bool bias : {false, true}) {
      for (const std::uint64_t horizon : {0U, 700U}) {
        check_storages(maker<svm::Simba>(svm::SimbaSettings{nu, bias, horizon}, 1), dense, sparse, 0.0);
      }
    }
  }
  for (const bool flag : {false, true}) {
    check_storages(maker<svm::LinearPegasos>(svm::LinearPegasosSettings{lambda, flag}, 2), dense, sparse, 1e-9);
    for (const bool shrinking : {false, true}) {
      check_storages(maker<svm::Dcd>(svm::DcdSettings{2.0, 1e-9, shrinking, flag}, 3), dense, sparse, 1e-9);
    }
  }
  check_storages(maker<svm::SgdRandom>(svm::SgdRandomSettings{lambda}, 3), dense, sparse, 1e-12);
  for (const std::vector<std::uint32_t>& multiplicities : {std::vector<std::uint32_t>{1}, {1, 4, 2}}) {
    const svm::SgdSettings settings{lambda, 1e-9, 1e9, multiplicities};
    check_storages(maker<svm::SgdPasses<double>>(settings, 3), dense, sparse, 1e-12);
    check_storages(maker<svm::SgdPasses<float>>(settings, 3), dense, sparse, 1e-4);
  }
  for (const std::optional<double> t0 : {std::optional<double>(), std::optional<double>(7.0)}) {
    check_storages(maker<svm::SvmSgd<double>>(svm::SvmSgdSettings{lambda, t0}, 5), dense, sparse, 1e-9);
  }
  check_storages(maker<svm::Mpu>(svm::MpuSettings{lambda, 0.05}, 5), dense, sparse, 1e-9);
  // Cutting planes have many weights of nearly the same objective. Columns of zeros change how cuts are stored.
  svm::MatrixView wide = data.view(true);
  wide.columns = 90;
  const FeatureMatrix by_margins(wide, positives);
  for (const Maker& make : {maker<svm::SvmPerf>(svm::CuttingPlaneSettings{1e-3, 1e-9}),
                            maker<svm::Ocas>(svm::OcasSettings{1e-3, 1e-9, 0.1})}) {
    const auto by_features = advanced(make, dense, 300);
    CHECK(by_features->counters().iterations < 300);
    for (const FeatureMatrix* matrix : {&sparse, &by_margins}) {
      check_near(*by_features, *advanced(make, *matrix, 300), 1e-3);
    }
  }

  check_scaled_vector<double>(sparse, 0.8, 1e-12);
  check_scaled_vector<float>(dense, 0.9, 1e-5);
  svm::Weights<float> lost(3);  // a trial of a step length may have overflowed
  lost.values()[1] = std::numeric_limits<float>::infinity();
  lost.refresh_norm();
  lost.clear();
  CHECK(lost.squared_norm() == 0.0);
  for (std::size_t j = 0; j < 3; ++j) CHECK(lost.values()[j] == 0.0F);
  const svm::LinearPegasosSettings projected{1e-3, true};
  check_tracked_norm(maker<svm::LinearPegasos>(projected, 2), dense, 1'000'000, "u", 1e-10);
  const svm::SgdSettings passes_of_five{1e-3, 1e-12, 1e-9, {5}};
  check_tracked_norm(maker<svm::SgdPasses<float>>(passes_of_five, 2), dense, n * 20'000, "a", 1e-6);
  check_tracked_norm(maker<svm::SgdPasses<double>>(passes_of_five, 2), dense, n * 20'000, "a", 1e-10);
  check_refusals(dense);
  return svm::test::finish();
}
