// Solvers on explicit weights, on the same points stored densely and sparsely: the same steps, the same bits from
// SIMBA, exact counts, and the same bits in one call or many.
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "random/random.hpp"
#include "solvers/dcd.hpp"
#include "solvers/linear_pegasos.hpp"
#include "solvers/sgd.hpp"
#include "solvers/simba.hpp"

using svm::FeatureMatrix;
using svm::Limit;
using svm::LinearPegasosSettings;
using svm::LinearSolver;
using svm::MatrixView;
using svm::Random;
using svm::Simba;
using svm::SimbaSettings;

namespace {

/// n x d values, by rows, in both storages.
struct Stored {
  std::vector<float> dense;
  std::vector<float> values;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::size_t n;
  std::size_t d;

  Stored(std::size_t rows, std::size_t columns, const std::vector<float>& content)
      : dense(content), n(rows), d(columns) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        if (content[i * d + j] == 0.0F) continue;
        values.push_back(content[i * d + j]);
        indices.push_back(static_cast<std::int32_t>(j));
      }
      offsets.push_back(static_cast<std::int64_t>(values.size()));
    }
  }
  MatrixView as_dense() const { return {n, d, dense.data(), nullptr, nullptr}; }
  MatrixView as_sparse() const { return {n, d, values.data(), offsets.data(), indices.data()}; }
};

std::vector<double> weights(const LinearSolver& solver) {
  std::vector<double> out(solver.dimension());
  solver.weights(out.data());
  return out;
}

using Maker = std::function<std::unique_ptr<LinearSolver>(const FeatureMatrix&)>;

/// One run in one call, one with many stops and interruptions, and one on the other storage, which rounds differently.
void check(const Maker& make, const FeatureMatrix& matrix, const FeatureMatrix& other, double rounding) {
  const auto whole = make(matrix);
  const auto cut = make(matrix);
  const auto stored_otherwise = make(other);
  Limit limit;
  limit.iterations = 1500;
  whole->advance(limit, nullptr);
  stored_otherwise->advance(limit, nullptr);
  for (limit.iterations = 0; limit.iterations <= 1500; limit.iterations += 60) {
    while (cut->advance(limit, [] { return true; }) == svm::Status::interrupted) continue;
  }
  const std::vector<double> a = weights(*whole);
  const std::vector<double> b = weights(*stored_otherwise);
  CHECK(a == weights(*cut));
  CHECK(whole->counters().presentations == cut->counters().presentations);
  CHECK(whole->counters().feature_accesses == cut->counters().feature_accesses);
  CHECK(whole->counters().inner_products == cut->counters().inner_products);
  CHECK(std::isnan(whole->lower_bound()) || whole->lower_bound() == cut->lower_bound());
  double largest = 0.0;
  for (const double value : a) largest = std::max(largest, std::abs(value));
  CHECK(largest > 0.0);
  for (std::size_t j = 0; j < a.size(); ++j) CHECK(svm::test::near(a[j], b[j], rounding * largest));
  CHECK(whole->counters().feature_accesses_dense == stored_otherwise->counters().feature_accesses_dense);
  CHECK(whole->counters().feature_accesses != stored_otherwise->counters().feature_accesses);
}

template <typename Real>
Maker passes(std::vector<std::uint32_t> multiplicities) {
  return [multiplicities](const FeatureMatrix& matrix) {
    return std::make_unique<svm::SgdPasses<Real>>(matrix, svm::SgdSettings{0.01, 1e-9, 1e9, multiplicities}, 3);
  };
}

/// The norm that a method tracks is that of its weights, after many steps and in any arithmetic.
template <typename Method>
void check_tracked_norm(Method& method, std::uint64_t steps, const std::string& member, double rounding) {
  Limit limit;
  limit.iterations = steps;
  method.advance(limit, nullptr);
  const svm::State state = method.state();
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

Maker dcd(bool shrinking, bool permutation) {
  return [shrinking, permutation](const FeatureMatrix& matrix) {
    return std::make_unique<svm::Dcd>(matrix, svm::DcdSettings{2.0, 1e-9, shrinking, permutation}, 3);
  };
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  Random random(3, svm::Purpose::data);
  const std::size_t n = 53;
  const std::size_t d = 37;
  std::vector<float> content(n * d);
  for (float& x : content) x = random.below(3) == 0 ? static_cast<float>(0.2 * random.normal()) : 0.0F;
  for (std::size_t j = 0; j < d; ++j) content[5 * d + j] = 0.0F;  // a row of zeros
  for (std::size_t i = 0; i < n; ++i) content[i * d + 7] = 0.0F;  // an empty column
  const Stored rows(n, d, content);
  const std::size_t positives = 20;
  const FeatureMatrix dense(rows.as_dense(), positives);
  const FeatureMatrix sparse(rows.as_sparse(), positives);
  const std::function<bool()> never;

  for (const double nu : {0.0, 0.05, 0.5}) {
    for (const bool bias : {false, true}) {
      for (const std::uint64_t horizon : {0U, 700U}) {
        const SimbaSettings settings{nu, bias, horizon};
        Simba whole(dense, settings, 1);
        Simba cut(sparse, settings, 1);
        Limit limit;
        limit.iterations = 700;
        whole.advance(limit, never);
        for (std::uint64_t t = 1; t <= 700; t += 9) {
          limit.iterations = t;
          cut.advance(limit, never);
        }
        limit.iterations = 700;
        cut.advance(limit, never);
        CHECK(weights(whole) == weights(cut));
        CHECK(whole.bias() == cut.bias());
        CHECK(whole.counters().feature_accesses_dense == cut.counters().feature_accesses_dense);
        CHECK(whole.counters().feature_accesses == whole.counters().feature_accesses_dense);
        CHECK(cut.counters().feature_accesses < whole.counters().feature_accesses);
        std::vector<double> p(n);
        cut.distribution(p.data());
        double sum = 0.0;
        for (const double x : p) {
          CHECK(x > 0.0);
          sum += x;
        }
        CHECK(svm::test::near(sum, 1.0, 1e-12));
        limit.iterations = 800;
        CHECK((whole.advance(limit, never) == svm::Status::converged) == (horizon > 0));
      }
    }
  }
  CHECK(svm::test::refuses([&] { Simba(dense, SimbaSettings{50.0, false, 0}, 1); }, "it must lie"));

  for (const bool project : {false, true}) {
    const LinearPegasosSettings settings{1e-2, project};
    svm::LinearPegasos<double> one(dense, settings, 2);
    svm::LinearPegasos<double> other(sparse, settings, 2);
    Limit limit;
    limit.presentations = 5000;
    one.advance(limit, never);
    other.advance(limit, never);
    const std::vector<double> a = weights(one);
    const std::vector<double> b = weights(other);
    double norm2 = 0.0;
    for (std::size_t j = 0; j < d; ++j) {
      CHECK(svm::test::near(a[j], b[j], 1e-9));
      norm2 += a[j] * a[j];
    }
    CHECK(!project || settings.lambda * norm2 <= 1.0 + 1e-9);
    CHECK(one.counters().feature_accesses_dense == 5000 * d && other.counters().inner_products == 5000);
  }

  const Maker random_sgd = [](const FeatureMatrix& matrix) {
    return std::make_unique<svm::SgdRandom>(matrix, 0.01, 3);
  };
  for (const bool sparse_first : {false, true}) {
    const FeatureMatrix& first = sparse_first ? sparse : dense;
    const FeatureMatrix& second = sparse_first ? dense : sparse;
    check(random_sgd, first, second, 1e-12);
    check(passes<double>({1}), first, second, 1e-12);
    check(passes<double>({1, 4, 2}), first, second, 1e-12);
    check(passes<float>({1}), first, second, 1e-4);
    check(passes<float>({1, 4, 2}), first, second, 1e-4);
    for (const bool shrinking : {false, true}) {
      for (const bool permutation : {false, true}) check(dcd(shrinking, permutation), first, second, 1e-9);
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
  {
    const LinearPegasosSettings settings{1e-3, true};
    svm::LinearPegasos<float> single(dense, settings, 2);
    svm::LinearPegasos<double> exact(dense, settings, 2);
    check_tracked_norm(single, 1'000'000, "u", 1e-5);
    check_tracked_norm(exact, 1'000'000, "u", 1e-10);
    const svm::SgdSettings passes_of_five{1e-3, 1e-12, 1e-9, {5}};
    svm::SgdPasses<float> single_passes(dense, passes_of_five, 2);
    svm::SgdPasses<double> exact_passes(dense, passes_of_five, 2);
    check_tracked_norm(single_passes, n * 20'000, "a", 1e-6);
    check_tracked_norm(exact_passes, n * 20'000, "a", 1e-10);
  }
  CHECK(svm::test::refuses([&] { passes<float>({})(dense); }, "a multiplicity"));
  CHECK(svm::test::refuses([&] { passes<double>({1, 0})(dense); }, "not 0 times"));
  CHECK(svm::test::refuses([&] { svm::SgdRandom(dense, 0.0, 1); }, "lambda must be"));
  CHECK(svm::test::refuses([&] { svm::Dcd(dense, svm::DcdSettings{0.0, 0.1, true, true}, 1); }, "C must be"));
  CHECK(svm::test::refuses([&] { svm::Dcd(dense, svm::DcdSettings{1.0, 0.0, true, true}, 1); }, "eps must be"));
  for (const std::size_t of_one_class : {std::size_t{0}, n}) {
    const FeatureMatrix one_class(rows.as_dense(), of_one_class);
    CHECK(svm::test::refuses([&] { Simba(one_class, SimbaSettings{0.1, false, 0}, 1); }, "both classes"));
  }
  return svm::test::finish();
}
