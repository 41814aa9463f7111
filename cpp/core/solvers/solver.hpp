// What all solvers have in common: a resumable state machine with limits, exact counters and clocks of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "parallel/busy.hpp"
#include "base/counters.hpp"
#include "base/state.hpp"

namespace svm {

/// Where advance() stops: at the end of the first iteration in which a counter reaches its limit.
struct Limit {
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t iterations = none;
  std::uint64_t presentations = none;
  std::uint64_t kernel_evaluations = none;
  std::uint64_t inner_products = none;
  std::uint64_t feature_accesses = none;
  double cpu_seconds = std::numeric_limits<double>::infinity();

  bool reached(const Counters& counters) const noexcept {
    return counters.iterations >= iterations || counters.presentations >= presentations ||
           counters.kernel_evaluations >= kernel_evaluations || counters.inner_products >= inner_products ||
           counters.feature_accesses >= feature_accesses;
  }
};

enum class Status {
  limit,        ///< a limit was reached
  converged,    ///< the method's own stopping rule holds
  interrupted,  ///< the caller asked to stop; advance() again goes on as if nothing had happened
};

class Solver {
 public:
  Solver() = default;
  virtual ~Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Runs until a limit is reached or the method has converged. `interrupted` is asked every few hundredths of a second.
  /// Advancing in one go or in many steps gives the same bits. Throws Busy where another thread uses the solver or its
  /// kernel rows. What an iteration throws leaves the solver unusable: its state is that of half an iteration.
  Status advance(const Limit& limit, const std::function<bool()>& interrupted);

  /// Keeps other threads out while results are read: throws Busy where one is inside, and std::runtime_error where an
  /// iteration has thrown. Counters and times may be read at any time.
  [[nodiscard]] BusyGuard lock() const;

  virtual const Counters& counters() const noexcept = 0;
  double cpu_seconds() const noexcept { return cpu_seconds_ + cpu_of_others(); }
  double wall_seconds() const noexcept { return wall_seconds_; }

  /// All that the iterates, costs and times to come depend on, besides what the solver was made from.
  State state() {
    const BusyGuard guard = lock();
    return state_of(*this);
  }
  /// Goes on from a state of a solver that was made alike and has not advanced yet. A state that is refused changes nothing.
  void restore(const State& state);
  /// The list of members for both, to which each class adds its own.
  virtual void archive(StateArchive& state);

 protected:
  /// CPU time of other threads that work for the method.
  virtual double cpu_of_others() const noexcept { return 0.0; }
  /// One iteration; returns false when the method has converged and nothing was done.
  virtual bool step() = 0;
  /// Up to `count` iterations, fewer where a limit is reached; returns false when the method has converged. A method
  /// whose iterations take nanoseconds repeats the body, `return repeat(*this, limit, count);`: in a final class the
  /// compiler then sees through step().
  virtual bool steps(const Limit& limit, std::uint64_t count) { return repeat(*this, limit, count); }

  template <typename Method>
  static bool repeat(Method& method, const Limit& limit, std::uint64_t count) {
    const Counters& counters = method.counters();
    for (; count > 0 && !limit.reached(counters); --count) {
      if (!method.step()) return false;
    }
    return true;
  }

  /// The flag of what several solvers share and only one may use at a time; null where there is nothing.
  virtual BusyFlag* shared_flag() noexcept { return nullptr; }

 private:
  mutable BusyFlag busy_;
  bool failed_ = false;
  bool converged_ = false;
  double cpu_seconds_ = 0.0;
  double wall_seconds_ = 0.0;
};

}  // namespace svm
