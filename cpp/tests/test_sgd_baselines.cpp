// SVMSGD, SGD-QN and the perceptron with unlearning on the same points stored densely and sparsely: the same steps, in
// float64 nearly the same numbers; the same bits in one call or many; wrong settings are refused.
#include <limits>
#include <memory>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "solvers/mpu.hpp"
#include "solvers/sgdqn.hpp"
#include "solvers/svmsgd.hpp"

using svm::FeatureMatrix;
using svm::Limit;
using svm::LinearSolver;

namespace {

constexpr double lambda = 1e-2;

std::vector<double> weights(const LinearSolver& solver) {
  std::vector<double> out(solver.dimension());
  solver.weights(out.data());
  return out;
}

using Maker = std::function<std::unique_ptr<LinearSolver>(const FeatureMatrix&)>;

template <typename Real>
Maker svmsgd(std::optional<double> t0) {
  return [t0](const FeatureMatrix& matrix) {
    return std::make_unique<svm::SvmSgd<Real>>(matrix, lambda, t0, svm::SvmSgdRule<Real>(matrix.dimension(), lambda),
                                               5);
  };
}

template <typename Real>
Maker sgdqn(std::optional<double> t0, svm::SgdQnSettings settings) {
  settings.lambda = lambda;
  return [t0, settings](const FeatureMatrix& matrix) {
    return std::make_unique<svm::SgdQn<Real>>(matrix, lambda, t0, svm::SgdQnRule<Real>(matrix, settings), 5);
  };
}

Maker mpu(double eps) {
  return [eps](const FeatureMatrix& matrix) {
    return std::make_unique<svm::Mpu>(matrix, svm::MpuSettings{lambda, eps}, 5);
  };
}

void check(const Maker& make, const FeatureMatrix& dense, const FeatureMatrix& sparse, bool same_steps) {
  const std::function<bool()> never;
  const std::unique_ptr<LinearSolver> whole = make(dense);
  const std::unique_ptr<LinearSolver> cut = make(dense);
  const std::unique_ptr<LinearSolver> other = make(sparse);
  Limit limit;
  limit.iterations = 1500;
  whole->advance(limit, never);
  other->advance(limit, never);
  for (limit.iterations = 0; limit.iterations <= 1500; limit.iterations += 6) cut->advance(limit, never);
  CHECK(weights(*whole) == weights(*cut));
  CHECK(whole->counters().inner_products == cut->counters().inner_products);
  if (!same_steps) return;
  const std::vector<double> a = weights(*whole);
  const std::vector<double> b = weights(*other);
  for (std::size_t j = 0; j < a.size(); ++j) CHECK(svm::test::near(a[j], b[j], 1e-8));
  CHECK(whole->counters().feature_accesses_dense == other->counters().feature_accesses_dense);
  CHECK(other->counters().feature_accesses < whole->counters().feature_accesses);
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  const svm::test::Data data(60, 21, 3);
  const FeatureMatrix dense(data.view(false), 25);
  const FeatureMatrix sparse(data.view(true), 25);
  for (const std::optional<double> t0 : {std::optional<double>(), std::optional<double>(7.0)}) {
    check(svmsgd<double>(t0), dense, sparse, true);
    check(svmsgd<float>(t0), dense, sparse, false);
    for (const svm::SgdQnVariant variant : {svm::SgdQnVariant::corrected, svm::SgdQnVariant::original}) {
      const svm::SgdQnSettings settings{lambda, variant, 2};
      check(sgdqn<double>(t0, settings), dense, sparse, false);  // sparse rows have another period
      check(sgdqn<float>(t0, settings), dense, sparse, false);
    }
  }
  check(mpu(0.05), dense, sparse, true);

  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(svm::test::refuses([&] { svmsgd<double>(wrong)(dense); }, "t0 must be"));
    CHECK(svm::test::refuses([&] { sgdqn<float>(wrong, {})(dense); }, "t0 must be finite"));
    CHECK(svm::test::refuses([&] { mpu(wrong)(dense); }, "eps must be"));
    CHECK(svm::test::refuses([&] { svm::Mpu(dense, svm::MpuSettings{wrong, 0.1}, 1); }, "lambda must be"));
  }
  CHECK(svm::test::refuses([&] { sgdqn<double>(15.0, {})(dense); }, "t0 must be at least 16:"));
  const svm::SgdQnSettings no_skip{lambda, svm::SgdQnVariant::original, 0};
  CHECK(svm::test::refuses([&] { sgdqn<double>({}, no_skip)(dense); }, "skip must be"));
  for (const std::int64_t passes : {0, 101}) {
    const svm::SgdQnSettings settings{lambda, svm::SgdQnVariant::corrected, 16, passes};
    CHECK(svm::test::refuses([&] { sgdqn<double>({}, settings)(dense); }, "tuning_passes must be"));
  }
  return svm::test::finish();
}
