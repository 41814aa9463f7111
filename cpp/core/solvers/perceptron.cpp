#include "solvers/perceptron.hpp"

#include <algorithm>
#include <numeric>

namespace svm {

Perceptron::Perceptron(RowSource& source, std::uint64_t seed)
    : KernelSolver(source),
      random_(seed, Purpose::order),
      order_(source.size()),
      position_(source.size()),
      mistakes_this_epoch_(1),
      mistakes_(source.size()),
      responses_(source.size()) {
  std::iota(order_.begin(), order_.end(), 0U);
}

bool Perceptron::step() {
  Counters& counters = rows_.counters();
  if (position_ == size()) {
    if (mistakes_this_epoch_ == 0) return false;  // a whole epoch without a mistake: the data are separated
    random_.shuffle(order_);
    position_ = 0;
    mistakes_this_epoch_ = 0;
  }
  const std::size_t i = order_[position_++];
  ++counters.iterations;
  ++counters.presentations;
  if (responses_[i] > 0.0) return true;
  ++mistakes_this_epoch_;
  mistakes_[i] += 1.0;
  add_row(responses_.data(), rows_.row(i), 1.0, rows_.positives(), size(), i < rows_.positives());
  return true;
}

void Perceptron::archive(StateArchive& state) {
  KernelSolver::archive(state);
  state.part("random", random_);
  state.permutation("order", order_);
  state.count("position", position_, size());
  state.number("mistakes_this_epoch", mistakes_this_epoch_);
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
