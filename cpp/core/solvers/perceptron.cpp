#include "solvers/perceptron.hpp"

#include <algorithm>

namespace svm {

Perceptron::Perceptron(RowSource& source, std::uint64_t seed)
    : KernelSolver(source), order_(source.size(), seed), mistakes_(source.size()), responses_(source.size()) {
  rows_.draw_at_random();
}

bool Perceptron::step() {
  if (separated_) return false;
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
    separated_ = mistakes_in_pass_ == 0;
    mistakes_in_pass_ = 0;
  }
  return true;
}

void Perceptron::archive(StateArchive& state) {
  KernelSolver::archive(state);
  state.part("order", order_);
  state.number("mistakes_in_pass", mistakes_in_pass_);
  state.number("separated", separated_);
  state.values("mistakes", mistakes_);
  state.values("responses", responses_);
}

void Perceptron::coefficients(double* out) const {
  for (std::size_t i = 0; i < size(); ++i) out[i] = rows_.label(i) * mistakes_[i];
}

bool Perceptron::responses(double* out) const {
  std::copy(responses_.begin(), responses_.end(), out);
  return true;
}

}  // namespace svm
