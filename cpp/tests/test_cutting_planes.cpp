// SVMperf and OCAS with more examples than features and fewer, dense and sparse: the same steps, and the same bits in
// one call or many. Features that are 0 everywhere change only how cuts are stored.
#include <functional>
#include <memory>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "solvers/cutting_planes.hpp"

using svm::CuttingPlaneSettings;
using svm::FeatureMatrix;
using svm::Limit;
using svm::LinearSolver;
using svm::test::Data;

namespace {

std::vector<double> weights(const LinearSolver& solver) {
  std::vector<double> out(solver.dimension());
  solver.weights(out.data());
  return out;
}

std::unique_ptr<LinearSolver> make(bool ocas, const FeatureMatrix& matrix) {
  const CuttingPlaneSettings settings{1e-3, 1e-9};
  if (ocas) return std::make_unique<svm::Ocas>(matrix, settings, 0.1);
  return std::make_unique<svm::SvmPerf>(matrix, settings);
}

void run(LinearSolver& solver, std::uint64_t iterations) {
  Limit limit;
  limit.iterations = iterations;
  solver.advance(limit, {});
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  const Data data(50, 9, 5);
  svm::MatrixView wide = data.view(true);
  wide.columns = 90;
  const FeatureMatrix dense(data.view(false), 21);
  const FeatureMatrix sparse(data.view(true), 21);
  const FeatureMatrix by_margins(wide, 21);
  for (const bool ocas : {false, true}) {
    const auto whole = make(ocas, dense);
    const auto other = make(ocas, sparse);
    const auto margins = make(ocas, by_margins);
    const auto pieces = make(ocas, by_margins);
    run(*whole, 300);
    run(*other, 300);
    run(*margins, 300);
    for (std::uint64_t t = 1; t <= 300; ++t) run(*pieces, t);
    CHECK(weights(*margins) == weights(*pieces) && margins->lower_bound() == pieces->lower_bound());
    const std::vector<double> a = weights(*whole);
    const std::vector<double> b = weights(*other);
    const std::vector<double> c = weights(*margins);
    for (std::size_t j = 0; j < a.size(); ++j) {
      CHECK(svm::test::near(a[j], b[j], 1e-3) && svm::test::near(a[j], c[j], 1e-3));
    }
    CHECK(svm::test::near(whole->lower_bound(), other->lower_bound(), 1e-9));
    CHECK(svm::test::near(whole->lower_bound(), margins->lower_bound(), 1e-9));
    CHECK(whole->counters().iterations < 300);
    CHECK(whole->counters().inner_products == 50 * whole->counters().iterations);
  }
  CHECK(svm::test::refuses([&] { svm::Ocas(dense, CuttingPlaneSettings{1.0, 0.1}, 0.0); }, "mu must lie"));
  CHECK(svm::test::refuses([&] { svm::SvmPerf(dense, CuttingPlaneSettings{1.0, 0.0}); }, "eps must be"));
  CHECK(svm::test::refuses([&] { svm::SvmPerf(dense, CuttingPlaneSettings{0.0, 0.1}); }, "lambda must be"));
  return svm::test::finish();
}
