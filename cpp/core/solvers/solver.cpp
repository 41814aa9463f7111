#include "solvers/solver.hpp"

#include <cmath>

#include "base/clock.hpp"

namespace svm {
namespace {

// Adds the CPU and wall seconds of its lifetime to two sums.
class Stopwatch {
 public:
  Stopwatch(double& cpu, double& wall) noexcept
      : cpu_(cpu), wall_(wall), cpu_start_(seconds(CLOCK_THREAD_CPUTIME_ID)), wall_start_(seconds(CLOCK_MONOTONIC)) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    cpu_ += seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_start_;
    wall_ += wall();
  }
  double cpu() const noexcept { return cpu_ + seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_start_; }
  double wall() const noexcept { return seconds(CLOCK_MONOTONIC) - wall_start_; }

 private:
  double& cpu_;
  double& wall_;
  double cpu_start_;
  double wall_start_;
};

}  // namespace

BusyGuard Solver::claim() const {
  if (failed_) {
    throw std::runtime_error(
        "the last call of advance ended with an error in the middle of an iteration: make the solver anew");
  }
  return BusyGuard(&busy_,
                   "the solver is in use: another call on it has not returned; give each thread its own solver");
}

Status Solver::advance(const Limit& limit, const std::function<bool()>& interrupted) {
  require(!std::isnan(limit.cpu_seconds), "the limit of cpu_seconds is not a number");
  const BusyGuard guard = claim();
  const BusyGuard rows(shared_flag(), rows_in_use);
  double used = cpu_seconds();  // before this call's own time: what is left, however little, is enough for an iteration
  const Stopwatch watch(cpu_seconds_, wall_seconds_);
  // The clocks are read after as many iterations as take about a hundredth of a second: an iteration takes from a few
  // nanoseconds (one response is read) to a millisecond (a kernel row is computed).
  std::uint64_t stride = 1;
  double last = 0.0;
  const Counters& counted = counters();
  while (!limit.reached(counted)) {
    if (used >= limit.cpu_seconds) return Status::cpu_seconds;
    if (converged_) return Status::converged;
    try {
      if (!steps(limit, stride)) {
        converge();
        return Status::converged;
      }
    } catch (...) {
      failed_ = true;
      throw;
    }
    if (converged_) continue;
    const double now = watch.wall();
    if (interrupted && interrupted()) return Status::interrupted;
    stride = now - last < 0.01 ? stride * 2 : (stride > 1 && now - last > 0.04 ? stride / 2 : stride);
    last = now;
    used = watch.cpu() + cpu_of_others();
  }
  return converged_ ? Status::converged : *limit.reached(counted);
}

void Solver::restore(const State& state) {
  const BusyGuard guard = claim();
  require(counters().iterations == 0, "the solver has already begun");
  svm::restore(*this, state);
}

void Solver::archive(StateArchive& state) {
  double cpu = cpu_seconds();  // with the other threads' seconds: after a restore those threads are gone
  state.finite("cpu_seconds", cpu, 0.0);
  state.finite("wall_seconds", wall_seconds_, 0.0);
  state.number("converged", converged_);
  if (state.reads()) cpu_seconds_ = cpu;
}

}  // namespace svm
