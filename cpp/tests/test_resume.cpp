// Solvers on kernel rows: the same bits in one call or many, with interruptions, and with the smallest cache.
#include <functional>
#include <memory>
#include <utility>
#include <variant>

#include "check.hpp"
#include "data.hpp"
#include "solvers/lasvm.hpp"
#include "solvers/pegasos.hpp"
#include "solvers/perceptron.hpp"
#include "solvers/sbp.hpp"
#include "solvers/sdca.hpp"
#include "solvers/smo.hpp"
#include "solvers/svmlight.hpp"

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

/// The state without the times.
svm::State members_of(KernelSolver& solver) {
  svm::State state = solver.state();
  for (const char* clock : {"cpu_seconds", "wall_seconds"}) CHECK(state.erase(clock) == 1);
  return state;
}

/// A second solver, with another row source of the same problem, continues from a state of the first.
void hand_on(RowSource& rows, RowSource& others, const Factory& make) {
  const auto whole = make(rows);
  for (const std::uint64_t place : {0, 1, 7, 130, 400}) {
    whole->advance(iterations(place), nullptr);
    const auto other = make(others);
    other->restore(whole->state());
    CHECK(members_of(*other) == members_of(*whole));
    CHECK(other->cpu_seconds() == whole->cpu_seconds() && other->wall_seconds() == whole->wall_seconds());
    const Limit limit = iterations(place + 90);
    const Status status = whole->advance(limit, nullptr);
    CHECK(other->advance(limit, nullptr) == status);
    CHECK(end_of(*other) == end_of(*whole));
    CHECK(members_of(*other) == members_of(*whole));
  }
}

/// A state of another solver, or a damaged one, is refused.
void check_refusals(RowSource& rows) {
  const auto fresh = [&] { return std::make_unique<svm::Sbp>(rows, svm::SbpSettings{0.1, false, true, 0.0}, 1); };
  const auto sbp = fresh();
  sbp->advance(iterations(5), nullptr);
  const svm::State state = sbp->state();
  const auto refuses = [&](const svm::State& other, const char* why) {
    return svm::test::refuses([&] { fresh()->restore(other); }, why);
  };
  CHECK(svm::test::refuses([&] { sbp->restore(state); }, "already begun"));
  for (const auto& [name, column] : state) {
    svm::State other = state;
    other.erase(name);
    CHECK(refuses(other, name.c_str()));
    other[name] = std::vector<std::uint8_t>{1, 2};
    CHECK(refuses(other, name.c_str()));
  }
  svm::State other = state;
  std::get<std::vector<double>>(other["v"]).pop_back();
  CHECK(refuses(other, "not one of this solver: v"));
  other = state;
  other["further"] = std::vector<double>{1.0};
  CHECK(refuses(other, "more than this one knows of"));
}

void check_archive() {
  std::vector<std::vector<float>> lists{{1.0F, 2.0F}, {}, {3.0F}};
  std::uint64_t large = (std::uint64_t{1} << 63) + 1;
  bool flag = true;
  svm::State state;
  svm::StateArchive writer(state);
  writer.lists("lists", lists);
  writer.number("large", large);
  writer.number("flag", flag);
  CHECK(svm::test::refuses([&] { writer.number("flag", flag); }, "two members are called flag"));
  const std::vector<std::vector<float>> before = std::exchange(lists, {});
  large = 0;
  flag = false;
  svm::StateArchive reader(std::as_const(state));
  reader.lists("lists", lists);
  reader.number("large", large);
  CHECK(!reader.read_all());
  reader.number("flag", flag);
  CHECK(reader.read_all());
  CHECK(lists == before && large == (std::uint64_t{1} << 63) + 1 && flag);
  std::get<std::vector<std::uint64_t>>(state["lists.sizes"])[0] = 9;
  svm::StateArchive wrong(std::as_const(state));
  CHECK(svm::test::refuses([&] { wrong.lists("lists", lists); }, "not one of this solver: lists"));
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
      svm::CachedRows others(gaussian, data.view(sparse), positives, n);
      for (const Factory& make : factories) {
        cut(rows, make);
        hand_on(rows, others, make);
      }
      check_refusals(rows);
    }
  }
  check_archive();
  // A long run that multiplies its scale into its arrays many times.
  svm::CachedRows rows(gaussian, data.view(false), 50, n);
  svm::Sbp sbp(rows, {0.01, true, true, 2.0}, 3);
  sbp.advance(iterations(200000), nullptr);
  for (const double value : end_of(sbp)) CHECK(std::isfinite(value));
  return svm::test::finish();
}
