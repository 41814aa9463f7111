// Counters up to convergence: they never fall, the step that finds no progress charges exactly the values it read, and
// no later call charges anything.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>

#include "check.hpp"
#include "data.hpp"
#include "solvers/lasvm.hpp"
#include "solvers/smo.hpp"
#include "solvers/svmlight.hpp"

using svm::Counters;
using svm::KernelSolver;
using svm::Limit;
using svm::RowSource;
using svm::Status;

namespace {

/// Rows computed on request; counts the kernel values that it hands out.
class CountingRows final : public RowSource {
 public:
  using RowSource::RowSource;
  const float* row(std::size_t i) override {
    handed_out_ += size();
    std::vector<float>& out = rows_[++calls_ % 2];
    out.resize(size());
    svm::kernel_row(kernel(), points(), i, out.data());
    return out.data();
  }
  void values(std::size_t i, const std::uint32_t* members, std::size_t count, float* out) const override {
    handed_out_ += count;
    svm::kernel_values(kernel(), points(), i, members, count, out);
  }
  std::uint64_t handed_out() const noexcept { return handed_out_; }

 private:
  mutable std::uint64_t handed_out_ = 0;
  std::size_t calls_ = 0;
  std::vector<float> rows_[2];
};

std::array<std::uint64_t, 6> values(const Counters& counters) {
  return {counters.iterations,     counters.presentations,    counters.kernel_evaluations,
          counters.inner_products, counters.feature_accesses, counters.feature_accesses_dense};
}

bool none_falls(const Counters& before, const Counters& now) {
  const auto a = values(before);
  const auto b = values(now);
  return std::equal(a.begin(), a.end(), b.begin(), std::less_equal<>());
}

std::vector<double> coefficients(const KernelSolver& solver) {
  std::vector<double> out(solver.size());
  solver.coefficients(out.data());
  return out;
}

using Factory = std::function<std::unique_ptr<KernelSolver>(RowSource&)>;

/// Iterates to convergence. Returns the evaluations of the last step, which was no iteration.
std::uint64_t refused(CountingRows& rows, const Factory& make) {
  const auto solver = make(rows);
  Counters before;
  std::uint64_t read = 0;
  std::vector<double> last;
  Limit limit;
  Status status = Status::iterations;
  for (limit.iterations = 1; status == Status::iterations && limit.iterations < 5000; ++limit.iterations) {
    before = solver->counters();
    read = rows.handed_out();
    last = coefficients(*solver);
    status = solver->advance(limit, nullptr);
    CHECK(none_falls(before, solver->counters()));
  }
  if (status != Status::converged) return 0;  // with tolerance 0 rounding may keep a method moving for ever
  const Counters end = solver->counters();
  CHECK(end.iterations == before.iterations && end.presentations == before.presentations);
  CHECK(coefficients(*solver) == last);
  CHECK(end.kernel_evaluations - before.kernel_evaluations == rows.handed_out() - read);
  CHECK(end.inner_products - before.inner_products == rows.handed_out() - read);
  const std::uint64_t in_all = rows.handed_out();
  CHECK(solver->advance(Limit(), nullptr) == Status::converged);
  CHECK(values(solver->counters()) == values(end) && rows.handed_out() == in_all);
  const auto other = make(rows);
  other->restore(solver->state());
  CHECK(other->advance(Limit(), nullptr) == Status::converged);
  CHECK(values(other->counters()) == values(end));
  return end.kernel_evaluations - before.kernel_evaluations;
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  constexpr std::size_t n = 60;
  const svm::KernelFunction gaussian{svm::KernelFunction::Kind::gaussian, 0.5, 0.0, 1};
  const Factory factories[] = {
      [](RowSource& rows) { return std::make_unique<svm::Smo>(rows, svm::SmoSettings{2.0, 1e-9}); },
      [](RowSource& rows) { return std::make_unique<svm::SmoWithBias>(rows, svm::SmoSettings{2.0, 1e-9}); },
      [](RowSource& rows) {
        return std::make_unique<svm::SvmLight>(rows, svm::SvmLightSettings{2.0, false, 0.0, 10, 0});
      },
      [](RowSource& rows) {
        return std::make_unique<svm::SvmLight>(rows, svm::SvmLightSettings{2.0, true, 0.0, 10, 0});
      },
      [](RowSource& rows) { return std::make_unique<svm::Lasvm>(rows, svm::LasvmSettings{2.0, false, 0.0, 1}, 1); },
      [](RowSource& rows) { return std::make_unique<svm::Lasvm>(rows, svm::LasvmSettings{2.0, true, 0.0, 1}, 1); },
  };
  std::uint64_t charged = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const svm::test::Data data(n, 3, seed);
    CountingRows rows(gaussian, data.view(false), n / 2);
    for (const Factory& make : factories) charged += refused(rows, make);
  }
  CHECK(charged > 0);
  return svm::test::finish();
}
