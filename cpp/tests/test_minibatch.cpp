// The thread pool, and mini-batches on it: every task once, the same bits for any number of threads.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "parallel/thread_pool.hpp"
#include "solvers/minibatch.hpp"

using svm::Averaging;
using svm::FeatureMatrix;
using svm::Limit;
using svm::LinearSolver;
using svm::MiniBatchPegasos;
using svm::MiniBatchSdca;
using svm::MiniBatchSdcaSettings;
using svm::MiniBatchSettings;
using svm::SdcaVariant;
using svm::ThreadPool;

namespace {

void check_team(unsigned threads) {
  ThreadPool pool(threads);
  CHECK(pool.size() == threads);
  std::vector<std::atomic<int>> calls(threads);
  for (int round = 0; round < 2000; ++round) {
    pool.run_on_each([&](unsigned part) { ++calls[part]; });
    // Sometimes the other threads are asleep before the next call.
    if (round % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    for (const auto& count : calls) CHECK(count == round + 1);
  }
  std::vector<std::atomic<int>> tasks(100);
  int firsts = 0;
  for (int round = 0; round < 500; ++round) {
    const std::size_t count = static_cast<std::size_t>(round) % 101;
    for (auto& calls_of_task : tasks) calls_of_task = 0;
    pool.parallel_for(count, [&](std::size_t task) { ++tasks[task]; }, [&] { ++firsts; });
    for (std::size_t task = 0; task < tasks.size(); ++task) CHECK(tasks[task] == (task < count ? 1 : 0));
  }
  CHECK(firsts == 500);
  CHECK(threads == 1 ? pool.cpu_seconds() == 0.0 : pool.cpu_seconds() > 0.0);
}

/// Whether `body` returns true in a forked process, which has a minute.
template <typename Body>
bool holds_in_a_fork(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A forked process has the pool's memory and none of its threads.
void check_team_in_a_fork(unsigned threads, bool asleep) {
  auto pool = std::make_unique<ThreadPool>(threads);
  std::atomic<unsigned> calls{0};
  const auto count = [&](unsigned) { ++calls; };
  pool->run_on_each(count);
  if (asleep) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const double before = pool->cpu_seconds();
  CHECK(holds_in_a_fork([&] {
    std::atomic<unsigned> tasks{0};
    for (int round = 0; round < 10; ++round) {
      pool->run_on_each(count);
      pool->parallel_for(100, [&](std::size_t) { ++tasks; });
    }
    const bool right = calls == 11 * threads && tasks == 1000 && pool->size() == threads;
    const bool clock = pool->cpu_seconds() >= before;  // a clock does not run backwards
    pool.reset();
    return right && clock;
  }));
  pool->run_on_each(count);
  CHECK(calls == 2 * threads);
}

std::vector<double> weights_after(LinearSolver& solver, std::uint64_t iterations, std::uint64_t stride) {
  Limit limit;
  for (limit.iterations = 0; limit.iterations < iterations; limit.iterations += stride) solver.advance(limit, nullptr);
  limit.iterations = iterations;
  solver.advance(limit, nullptr);
  std::vector<double> out(solver.dimension());
  solver.weights(out.data());
  return out;
}

void check_bits(const FeatureMatrix& matrix) {
  for (const SdcaVariant variant : {SdcaVariant::naive, SdcaVariant::safe, SdcaVariant::aggressive}) {
    std::vector<std::vector<double>> found;
    for (const unsigned threads : {1U, 2U, 3U, 5U}) {
      const MiniBatchSettings settings{1e-3, 1000, Averaging::decaying, threads};
      MiniBatchSdca solver(matrix, MiniBatchSdcaSettings{settings, variant, 40.0, 0.95}, 1);
      found.push_back(weights_after(solver, 30, threads == 1 ? 30 : 7));
      for (const double alpha : solver.alpha()) CHECK(alpha >= 0.0 && alpha <= 1.0);
    }
    for (const auto& other : found) CHECK(other == found[0]);
  }
  std::vector<std::vector<double>> found;
  for (const unsigned threads : {1U, 4U}) {
    MiniBatchPegasos solver(matrix, MiniBatchSettings{1e-3, 1000, Averaging::tail, threads}, 1);
    found.push_back(weights_after(solver, 30, 30));
  }
  CHECK(found[0] == found[1]);
}

/// A single process with an all_reduce function gives the same bits, and so does a run that continues from a state.
void check_state_and_all_reduce(const FeatureMatrix& matrix) {
  const MiniBatchSdcaSettings settings{{1e-3, 700, Averaging::tail, 2}, SdcaVariant::aggressive, 40.0, 0.95};
  MiniBatchSdca alone(matrix, settings, 1);
  int exchanged = 0;
  MiniBatchSdca exchanging(matrix, settings, 1, svm::Shard{0, 1, matrix.size(), matrix.largest_norm()},
                           [&](double*, std::size_t size) {
                             ++exchanged;
                             CHECK(size == matrix.dimension() + 3);
                           });
  const std::vector<double> w = weights_after(alone, 20, 20);
  const std::vector<double> v = weights_after(exchanging, 20, 20);
  for (std::size_t j = 0; j < w.size(); ++j) CHECK(std::abs(w[j] - v[j]) <= 1e-12);
  CHECK(exchanged == 40);
  CHECK(alone.counters().feature_accesses == exchanging.counters().feature_accesses);

  MiniBatchSdca again(matrix, settings, 1);
  again.restore(alone.state());
  CHECK(weights_after(again, 45, 25) == weights_after(alone, 45, 25));
  CHECK(svm::test::refuses([&] { again.restore(alone.state()); }, "already begun"));
  CHECK(svm::test::refuses([&] { MiniBatchSdca(matrix, settings, 1).restore({}); }, "not one of this solver"));
}

/// A run that goes on in a forked process has the same bits.
void check_bits_in_a_fork(const FeatureMatrix& matrix) {
  const auto make = [&](unsigned threads) {
    return std::make_unique<MiniBatchPegasos>(matrix, MiniBatchSettings{1e-3, 1000, Averaging::tail, threads}, 1);
  };
  const std::vector<double> expected = weights_after(*make(1), 20, 20);
  auto solver = make(3);
  weights_after(*solver, 10, 10);
  CHECK(holds_in_a_fork([&] {
    const bool same = weights_after(*solver, 20, 20) == expected;
    solver.reset();
    return same;
  }));
  CHECK(weights_after(*solver, 20, 20) == expected);
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  for (const unsigned threads : {1U, 2U, 7U}) {
    check_team(threads);
    for (const bool asleep : {false, true}) check_team_in_a_fork(threads, asleep);
  }
  CHECK(svm::test::refuses([] { ThreadPool pool(0); }, "a thread"));

  const svm::test::Data points(1200, 60, 3, 0.7);
  const svm::test::Data wide(1200, 5000, 3, 0.988);  // too many coordinates to sum up each chunk of rows by itself
  const FeatureMatrix dense(points.view(false), 600);
  const FeatureMatrix sparse(points.view(true), 600);
  const FeatureMatrix many_columns(wide.view(true), 600);
  for (const FeatureMatrix* matrix : {&dense, &sparse, &many_columns}) check_bits(*matrix);
  for (const FeatureMatrix* matrix : {&dense, &many_columns}) {
    check_bits_in_a_fork(*matrix);
    check_state_and_all_reduce(*matrix);
  }

  const auto refuses = [&](const MiniBatchSdcaSettings& settings, const char* text) {
    return svm::test::refuses([&] { MiniBatchSdca(dense, settings, 0); }, text);
  };
  CHECK(refuses({{1.0, 0}}, "not 0"));
  CHECK(refuses({{1.0, 1201}}, "more than the 1200 examples"));
  CHECK(refuses({{0.0, 1}}, "lambda"));
  CHECK(refuses({{1.0, 1}, SdcaVariant::safe, 0.5}, "beta"));
  CHECK(refuses({{1.0, 1}, SdcaVariant::safe, 1.0, 1.0}, "gamma"));
  return svm::test::finish();
}
