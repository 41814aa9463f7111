// The kernel Perceptron (Rosenblatt 1958): a fresh random order each epoch; on y f(x) <= 0 add y K(x, .).
#pragma once

#include <algorithm>

#include "random/epoch_order.hpp"
#include "solvers/kernel_solver.hpp"

namespace svm {

class Perceptron final : public KernelSolver {
 public:
  Perceptron(RowSource& source, std::uint64_t seed)
      : KernelSolver(source), order_(source.size(), seed), mistakes_(source.size()), responses_(source.size()) {
    rows_.draw_at_random();
  }

  void coefficients(double* out) const override {
    for (std::size_t i = 0; i < size(); ++i) out[i] = rows_.label(i) * mistakes_[i];
  }
  bool responses(double* out) const override {
    std::copy(responses_.begin(), responses_.end(), out);
    return true;
  }
  void archive(StateArchive& state) override {
    KernelSolver::archive(state);
    state.part("order", order_);
    state.number("mistakes_in_pass", mistakes_in_pass_);
    state.values("mistakes", mistakes_);
    state.values("responses", responses_);
  }

 protected:
  bool step() override {
    Counters& counters = rows_.counters();
    const std::size_t i = order_.now();
    ++counters.iterations;
    ++counters.presentations;
    if (!(responses_[i] > 0.0)) {
      ++mistakes_in_pass_;
      mistakes_[i] += 1.0;
      rows_.add(responses_.data(), i, 1.0);
    }
    if (order_.advance()) {
      if (mistakes_in_pass_ == 0) converge();
      mistakes_in_pass_ = 0;
    }
    return true;
  }

 private:
  EpochOrder order_;
  std::uint64_t mistakes_in_pass_ = 0;
  std::vector<double> mistakes_;
  std::vector<double> responses_;
};

}  // namespace svm
