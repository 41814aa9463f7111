// Solvers on kernel rows: the same bits however it is cut, also by interruptions, and on the smallest possible cache.
#include <functional>
#include <memory>

#include "check.hpp"
#include "data.hpp"
#include "lasvm.hpp"
#include "pegasos.hpp"
#include "perceptron.hpp"
#include "sbp.hpp"
#include "sdca.hpp"
#include "smo.hpp"
#include "svmlight.hpp"

using svm::KernelSolver;
using svm::Limit;
using svm::RowSource;
using svm::Status;

namespace {

using Factory = std::function<std::unique_ptr<KernelSolver>(RowSource&)>;

Limit iterations(std::uint64_t count) {
  Limit limit;
  limit.iterations = count;
  return limit;
}

std::vector<double> end_of(const KernelSolver& solver) {
  std::vector<double> out(2 * solver.size());
  solver.coefficients(out.data());
  solver.responses(out.data() + solver.size());
  out.push_back(solver.bias());
  return out;
}

void cut(RowSource& rows, const Factory& make) {
  const auto whole = make(rows);
  whole->advance(iterations(900), nullptr);
  const auto pieces = make(rows);
  for (std::uint64_t k = 0; k <= 900; k += 1 + k / 3) pieces->advance(iterations(k), nullptr);
  pieces->advance(iterations(900), [] { return false; });
  CHECK(end_of(*whole) == end_of(*pieces));
  const auto stopped = make(rows);
  int interruptions = 0;
  Status status = Status::interrupted;
  while (status == Status::interrupted) {
    status = stopped->advance(iterations(900), [&] { return ++interruptions < 200; });
  }
  CHECK(interruptions > 3);
  CHECK(end_of(*whole) == end_of(*stopped));
  CHECK(whole->counters().kernel_evaluations == stopped->counters().kernel_evaluations);
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  svm::test::use_naive_gemm();
  constexpr std::size_t n = 131;
  const svm::test::Data data(n, 5, 9);
  const svm::KernelFunction gaussian{svm::KernelFunction::Kind::gaussian, 0.25, 0.0, 1};
  const Factory factories[] = {
      [](RowSource& rows) { return std::make_unique<svm::Sbp>(rows, svm::SbpSettings{0.1, false, true, 0.0}, 1); },
      [](RowSource& rows) { return std::make_unique<svm::Sbp>(rows, svm::SbpSettings{0.1, true, true, 3.0}, 1); },
      [](RowSource& rows) { return std::make_unique<svm::Sbp>(rows, svm::SbpSettings{0.0, true, false, 3.0}, 1); },
      [](RowSource& rows) { return std::make_unique<svm::Sbp>(rows, svm::SbpSettings{1e-20, true, true, 0.0}, 1); },
      [](RowSource& rows) { return std::make_unique<svm::Sbp>(rows, svm::SbpSettings{1e20, false, true, 0.0}, 1); },
      [](RowSource& rows) {
        return std::make_unique<svm::Pegasos>(rows, svm::PegasosSettings{0.01, true, svm::Accounting::kept}, 1);
      },
      [](RowSource& rows) { return std::make_unique<svm::Sdca>(rows, svm::SdcaSettings{}, 1); },
      [](RowSource& rows) { return std::make_unique<svm::Smo>(rows, svm::SmoSettings{10.0, 0.0}); },
      [](RowSource& rows) { return std::make_unique<svm::SmoWithBias>(rows, svm::SmoSettings{10.0, 0.0}); },
      [](RowSource& rows) {
        return std::make_unique<svm::SvmLight>(rows, svm::SvmLightSettings{10.0, false, 0.0, 4, 5});
      },
      [](RowSource& rows) {
        return std::make_unique<svm::SvmLight>(rows, svm::SvmLightSettings{10.0, true, 0.0, 10, 20});
      },
      [](RowSource& rows) { return std::make_unique<svm::Lasvm>(rows, svm::LasvmSettings{10.0, false, 0.0, 0}, 1); },
      [](RowSource& rows) {
        return std::make_unique<svm::Lasvm>(rows, svm::LasvmSettings{10.0, true, 0.0, 2, 0.5}, 1);
      },
      [](RowSource& rows) { return std::make_unique<svm::Perceptron>(rows, 1); },
  };
  for (const bool sparse : {false, true}) {
    for (const std::size_t positives : {std::size_t{1}, std::size_t{50}, n - 1}) {
      svm::CachedRows rows(gaussian, data.view(sparse), positives, 2);
      for (const Factory& make : factories) cut(rows, make);
    }
  }
  // A long run that folds its scale into its arrays again and again.
  svm::CachedRows rows(gaussian, data.view(false), 50, n);
  svm::Sbp sbp(rows, {0.01, true, true, 2.0}, 3);
  sbp.advance(iterations(200000), nullptr);
  for (const double value : end_of(sbp)) CHECK(std::isfinite(value));
  return svm::test::finish();
}
