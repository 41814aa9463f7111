// A solver whose predictor is f(x) = sum_i coefficient_i K(x_i, x) + bias.
#pragma once

#include <optional>
#include <vector>

#include "kernel/rows.hpp"
#include "solvers/solver.hpp"

namespace svm {

/// What a method that maximises a water level has for all examples together; `bias`: one basin a class.
struct SlackVolume {
  double volume;
  bool bias;
};

class KernelSolver : public Solver {
 public:
  using Source = RowSource;

  explicit KernelSolver(RowSource& source) : rows_(source) {}

  const Counters& counters() const noexcept override { return rows_.counters(); }
  std::size_t size() const noexcept { return rows_.size(); }

  /// Signed coefficients y_i alpha_i of the present predictor (n, float64), in the order of the row source.
  virtual void coefficients(double* out) const = 0;
  /// Writes the responses y_i f(x_i) of the present predictor without its bias (n, float64). Returns false, and writes
  /// nothing, if the solver does not keep them up to date.
  virtual bool responses(double* out) const = 0;
  /// The method's own bias term; 0 for methods without one.
  virtual double bias() const { return 0.0; }
  /// Of a method whose predictor is completed by the water levels of its responses (levels/water_level.hpp): it has their
  /// bias, and is divided by their mean where that is positive. None for the others.
  virtual std::optional<SlackVolume> slack_volume() const { return std::nullopt; }
  void archive(StateArchive& state) override {
    Solver::archive(state);
    state.part("rows", rows_);
  }

 protected:
  BusyFlag* shared_flag() noexcept override { return rows_.busy_flag(); }

  CountedRows rows_;
};

}  // namespace svm
