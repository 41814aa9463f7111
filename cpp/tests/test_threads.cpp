// Solvers in several threads: all may share a Gram matrix; a shared row cache or solver serves one thread at a time.
// After an iteration that fails the solver refuses further work.
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "kernel/gram.hpp"
#include "solvers/minibatch.hpp"
#include "solvers/sdca.hpp"

namespace {

constexpr std::size_t n = 60;
const svm::KernelFunction gaussian{svm::KernelFunction::Kind::gaussian, 0.25, 0.0, 1};

svm::Limit until(std::uint64_t iterations) {
  svm::Limit limit;
  limit.iterations = iterations;
  return limit;
}

std::vector<double> result(svm::RowSource& rows, std::uint64_t seed) {
  svm::Sdca solver(rows, svm::SdcaSettings{1.0, svm::Accounting::kept}, seed);
  solver.advance(until(4000), {});
  std::vector<double> out(n);
  solver.coefficients(out.data());
  return out;
}

// Advances in slices on four threads; a slice that is refused is tried again. The results are those of one thread.
void check_many_solvers(svm::RowSource& rows, bool refusing) {
  constexpr unsigned threads = 4;
  std::vector<std::vector<double>> expected;
  for (unsigned k = 0; k < threads; ++k) expected.push_back(result(rows, k));
  std::vector<std::vector<double>> found(threads, std::vector<double>(n));
  std::atomic<unsigned> refused{0};
  std::vector<std::thread> pool;
  for (unsigned k = 0; k < threads; ++k) {
    pool.emplace_back([&, k] {
      svm::Sdca solver(rows, svm::SdcaSettings{1.0, svm::Accounting::kept}, k);
      for (std::uint64_t next = 500; next <= 4000;) {
        try {
          solver.advance(until(next), {});
          next += 500;
        } catch (const svm::Busy&) {
          ++refused;
          std::this_thread::yield();
        }
      }
      solver.coefficients(found[k].data());
    });
  }
  for (std::thread& thread : pool) thread.join();
  CHECK(found == expected);
  CHECK(refusing || refused == 0);
}

// While a solver advances, neither it nor its row cache can be used again; afterwards both can.
void check_inside(svm::RowSource& rows, bool exclusive) {
  svm::Sdca solver(rows, svm::SdcaSettings{1.0, svm::Accounting::kept}, 7);
  svm::Sdca other(rows, svm::SdcaSettings{1.0, svm::Accounting::kept}, 8);
  const auto busy = [](const auto& body) {
    try {
      body();
    } catch (const svm::Busy&) {
      return true;
    }
    return false;
  };
  unsigned asked = 0;
  solver.advance(until(50), [&] {
    ++asked;
    CHECK(busy([&] { solver.advance(until(60), {}); }));
    CHECK(busy([&] { solver.state(); }));
    CHECK(busy([&] { const svm::BusyGuard held = solver.claim(); }));
    CHECK(busy([&] { other.advance(until(1), {}); }) == exclusive);
    CHECK(solver.counters().iterations > 0);
    return false;
  });
  CHECK(asked > 0);
  CHECK(!busy([&] { solver.state(); }) && !busy([&] { other.advance(until(3), {}); }));
}

// An exchange fails in the middle of an iteration: afterwards only counters and times can be read.
void check_failure(svm::SdcaVariant variant) {
  const svm::test::Data data(n, 5, 3);
  const svm::FeatureMatrix matrix(data.view(false), 30);
  int calls = 0;
  const svm::MiniBatchSdcaSettings settings{{0.01, 8, svm::Averaging::last, 1}, variant, 2.0, 0.95};
  svm::MiniBatchSdca solver(matrix, settings, 1, svm::Shard{}, [&](double*, std::size_t) {
    if (++calls == 8) throw std::runtime_error("the network is gone");
  });
  const auto says = [](const auto& body, const std::string& part) {
    try {
      body();
    } catch (const std::runtime_error& error) {
      return std::string(error.what()).find(part) != std::string::npos;
    }
    return false;
  };
  CHECK(says([&] { solver.advance(until(100), {}); }, "the network is gone"));
  CHECK(calls == 8 && solver.counters().iterations > 0);
  CHECK(says([&] { solver.advance(until(100), {}); }, "make the solver anew"));
  CHECK(says([&] { solver.state(); }, "make the solver anew"));
  CHECK(says([&] { const svm::BusyGuard held = solver.claim(); }, "make the solver anew"));
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  svm::test::use_naive_gemm();
  const svm::test::Data data(n, 5, 1);
  for (const bool sparse : {false, true}) {
    std::vector<float> gram(n * n);
    svm::fill_gram(gaussian, svm::Points(data.view(sparse)), gram.data(), 2, nullptr);
    svm::GramRows whole(gaussian, data.view(sparse), 30, gram.data());
    svm::CachedRows cache(gaussian, data.view(sparse), 30, 5);
    check_many_solvers(whole, false);
    check_many_solvers(cache, true);
    check_inside(whole, false);
    check_inside(cache, true);
  }
  check_failure(svm::SdcaVariant::safe);
  check_failure(svm::SdcaVariant::aggressive);
  return svm::test::finish();
}
