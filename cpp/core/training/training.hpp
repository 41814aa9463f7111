// What a program in C++ begins with: labelled points, the training of a kernel method, and the model that it returns.
// The header of the method, such as "solvers/sbp.hpp", is included with it.
//
//   Examples examples({n, d, values}, labels);
//   Result result = train<Sbp>(examples, kernel, settings, limit, seed);
//   double f = result.model.decision(point);
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/settings.hpp"
#include "data/data_matrix.hpp"
#include "kernel/rows.hpp"
#include "solvers/kernel_solver.hpp"

namespace svm {

/// Labelled points in any order. Inside they are ordered by class, as the solvers need them.
class Examples {
 public:
  /// labels: +1 or -1 for each row of `points`, which are copied. Throws InvalidArgument for another number of labels,
  /// another label, or labels of one class only.
  Examples(const DataMatrix& points, const std::vector<int>& labels);

  std::size_t size() const noexcept { return order_.size(); }
  std::size_t positives() const noexcept { return positives_; }
  /// The points, ordered by class: the first `positives` have label +1.
  MatrixView points() const noexcept { return points_.view(); }
  /// The caller's number of each point in that order.
  const std::vector<std::size_t>& order() const noexcept { return order_; }

 private:
  std::vector<std::size_t> order_;
  std::size_t positives_;
  DataMatrix points_;
};

/// The predictor f(x) = sum_i coefficient_i K(x_i, x) + bias. It has a copy of its support vectors, and needs nothing
/// else.
class Model {
 public:
  /// The present predictor of a solver on the rows of `examples`. The predictor of a method with a slack volume is
  /// divided by its water level: for this f is computed at all examples, which no counter counts.
  Model(const Examples& examples, const KernelFunction& kernel, const KernelSolver& solver);

  /// y_i alpha_i of all examples, in the caller's order.
  const std::vector<double>& coefficients() const noexcept { return coefficients_; }
  double bias() const noexcept { return bias_; }
  /// Number of coefficients that are not 0.
  std::size_t support_vectors() const noexcept { return weights_.size(); }

  /// f(x) of each row. Throws InvalidArgument if the points have another number of columns than the examples, are
  /// stored in another way (dense or CSR), or are too large for the kernel.
  std::vector<double> decisions(const DataMatrix& points) const { return values(points.view()); }
  /// f(x) of one point, given by all its coordinates.
  double decision(const std::vector<float>& point) const;
  /// The label of each row: +1 where f(x) > 0, else -1. Throws as `decisions` does.
  std::vector<int> predict(const DataMatrix& points) const;

 private:
  struct Support {
    DataMatrix matrix;
    Points points;
    Support(const MatrixView& all, const std::vector<std::size_t>& rows) : matrix(all, rows), points(matrix.view()) {}
  };
  std::vector<double> values(const MatrixView& points) const;
  void complete(const Examples& examples, const SlackVolume& slack);

  KernelFunction kernel_;
  std::vector<double> coefficients_;
  std::vector<double> weights_;  // of the support vectors
  double bias_;
  std::shared_ptr<const Support> support_;  // it never changes: copies of a model share it
};

struct Result {
  Status status;  ///< why the training has stopped
  Counters counters;
  double cpu_seconds;
  double wall_seconds;
  Model model;
};

/// A method on a training set, with a cache of kernel rows. `Method` is a KernelSolver. The caller keeps the examples
/// alive.
template <typename Method>
class Training {
  static_assert(std::is_base_of_v<KernelSolver, Method>, "Training is for the methods on kernel rows");

 public:
  /// settings: the method's own struct, or NoSettings. seed: of the methods that draw at random. cache_bytes: of the
  /// row cache, which holds 2 rows at least; results do not depend on it. Throws InvalidArgument for settings or kernel
  /// parameters that are not allowed, and if float32 cannot hold the kernel's values.
  template <typename Settings, typename = decltype(std::declval<Settings&>().fields())>
  Training(const Examples& examples, const KernelFunction& kernel, const Settings& settings, std::uint64_t seed,
           std::size_t cache_bytes = std::size_t{1} << 30)
      : examples_(examples),
        rows_(kernel, examples.points(), examples.positives(),
              std::max<std::size_t>(cache_bytes / (examples.size() * sizeof(float)), 2)),
        solver_(made<Method>(rows_, settings, seed)) {}
  template <typename... Others>
  Training(const Examples&&, const Others&...) = delete;

  /// Trains until a limit is reached or the method has converged; called again with a further limit, it goes on.
  /// Limits count from the beginning; without one, a method that never converges does not return. `interrupted` is
  /// called every few hundredths of a second; it returns true to stop. Throws Busy if another thread uses the training.
  Result solve(const Limit& limit, const std::function<bool()>& interrupted = nullptr) {
    const Status status = solver_.advance(limit, interrupted);
    return {status, solver_.counters(), solver_.cpu_seconds(), solver_.wall_seconds(),
            Model(examples_, rows_.kernel(), solver_)};
  }
  const Method& solver() const noexcept { return solver_; }

 private:
  const Examples& examples_;
  CachedRows rows_;
  Method solver_;
};

/// Trains a method once, from its settings to its result: see Training.
template <typename Method, typename Settings>
Result train(const Examples& examples, const KernelFunction& kernel, const Settings& settings, const Limit& limit,
             std::uint64_t seed) {
  return Training<Method>(examples, kernel, settings, seed).solve(limit);
}

}  // namespace svm
