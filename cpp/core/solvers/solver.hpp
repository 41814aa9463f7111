// The base of all solvers: a state machine that can stop and go on, with limits, exact counters and clocks.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "base/counters.hpp"
#include "base/state.hpp"
#include "parallel/busy.hpp"

namespace svm {

/// Why advance() returned.
enum class Status {
  iterations,  ///< this limit was reached, or one of the next five; of several the first in this order
  presentations,
  kernel_evaluations,
  inner_products,
  feature_accesses,
  cpu_seconds,
  converged,    ///< the method's own stopping rule holds, also where the last iteration has reached a limit
  interrupted,  ///< the caller asked to stop; the next advance() continues with the same bits
};

/// Where advance() stops: at the end of the first iteration in which a counter reaches its limit. CPU seconds are tested
/// about every hundredth of a second. If they have been used up before, there is no iteration; else there is one.
struct Limit {
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t iterations = none;
  std::uint64_t presentations = none;
  std::uint64_t kernel_evaluations = none;
  std::uint64_t inner_products = none;
  std::uint64_t feature_accesses = none;
  double cpu_seconds = std::numeric_limits<double>::infinity();

  /// The first counter's limit that is reached, or none.
  std::optional<Status> reached(const Counters& counters) const noexcept {
    if (counters.iterations >= iterations) return Status::iterations;
    if (counters.presentations >= presentations) return Status::presentations;
    if (counters.kernel_evaluations >= kernel_evaluations) return Status::kernel_evaluations;
    if (counters.inner_products >= inner_products) return Status::inner_products;
    if (counters.feature_accesses >= feature_accesses) return Status::feature_accesses;
    return std::nullopt;
  }
};

class Solver {
 public:
  Solver() = default;
  virtual ~Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Runs until a limit is reached or the method has converged. `interrupted` is called every few hundredths of a
  /// second; it returns true to stop. One call or many calls give the same bits. Throws Busy if another thread uses the
  /// solver or its kernel rows. If an iteration throws, the solver cannot be used any more: it stopped in the middle of
  /// an iteration.
  Status advance(const Limit& limit, const std::function<bool()>& interrupted);

  /// Keeps other threads out while results are read. Throws Busy if another thread uses the solver, and
  /// std::runtime_error if an iteration has thrown. Counters and times may be read without it.
  [[nodiscard]] BusyGuard claim() const;

  virtual const Counters& counters() const noexcept = 0;
  double cpu_seconds() const noexcept { return cpu_seconds_ + cpu_of_others(); }
  double wall_seconds() const noexcept { return wall_seconds_; }

  /// Everything on which later iterates, costs and times depend, except the arguments of the constructor.
  State state() {
    const BusyGuard guard = claim();
    return state_of(*this);
  }
  /// Continues from the state of a solver with the same constructor arguments. This solver must not have advanced yet.
  /// If the state is refused, the solver is unchanged.
  void restore(const State& state);
  /// Writes or reads the members; each derived class calls its base's and adds its own.
  virtual void archive(StateArchive& state);

 protected:
  /// CPU seconds of other threads that work for the method.
  virtual double cpu_of_others() const noexcept { return 0.0; }
  /// One iteration. Returns false if the method has converged: then it is no iteration, and the predictor is as before.
  /// Kernel rows that were read to find this out are charged: reading them is a cost.
  virtual bool step() = 0;
  /// Called by a step that is the last iteration: the method has converged in it.
  void converge() noexcept { converged_ = true; }
  bool converged() const noexcept { return converged_; }
  /// Up to `count` iterations, fewer if a limit is reached or the method converges. Returns false if a step does.
  virtual bool steps(const Limit& limit, std::uint64_t count) { return repeat(*this, limit, count); }

  template <typename Method>
  static bool repeat(Method& method, const Limit& limit, std::uint64_t count) {
    const Counters& counters = method.counters();
    for (; count > 0 && !method.converged() && !limit.reached(counters); --count) {
      if (!method.step()) return false;
    }
    return true;
  }

  /// The flag of an object that several solvers share and only one may use at a time (a row cache), or null.
  virtual BusyFlag* shared_flag() noexcept { return nullptr; }

 private:
  mutable BusyFlag busy_;
  bool failed_ = false;
  bool converged_ = false;
  double cpu_seconds_ = 0.0;
  double wall_seconds_ = 0.0;
};

/// Base of a solver whose iterations take nanoseconds: `class Method final : public DirectLoop<Method, Base>` has a loop
/// of its own, which calls Method::step() directly. A virtual call would hide the callee from the compiler. The class
/// makes step() public.
template <typename Method, typename Base>
class DirectLoop : public Base {
 public:
  using Base::Base;

 protected:
  bool steps(const Limit& limit, std::uint64_t count) final {
    return this->repeat(static_cast<Method&>(*this), limit, count);
  }
};

}  // namespace svm
