// The core without Python: trains the SBP on made points, and prints its objective and its errors against its cost.
#include <cstdio>
#include <vector>

#include "random/random.hpp"
#include "solvers/sbp.hpp"
#include "training/training.hpp"

int main() {
  constexpr std::size_t n = 400;
  constexpr std::size_t d = 5;
  svm::Random random(1, svm::Purpose::data);
  std::vector<float> values(n * d);
  std::vector<int> labels(n);
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = random.below(2) == 0 ? 1 : -1;
    for (std::size_t k = 0; k < d; ++k) values[i * d + k] = static_cast<float>(random.normal() + 0.5 * labels[i]);
  }
  const svm::DataMatrix points(n, d, values);
  const svm::Examples examples(points, labels);
  svm::KernelFunction kernel;
  kernel.gamma = 0.1;  // exp(-gamma |x - z|^2)
  svm::SbpSettings settings;
  settings.nu = 0.2;  // slack per example
  svm::Training<svm::Sbp> training(examples, kernel, settings, 1);
  svm::Limit limit;
  bool as_expected = true;
  for (limit.iterations = 10; limit.iterations <= 10000; limit.iterations *= 10) {
    const svm::Result result = training.solve(limit);
    const std::vector<int> predicted = result.model.predict(points);
    std::size_t errors = 0;
    for (std::size_t i = 0; i < n; ++i) errors += predicted[i] != labels[i] ? 1 : 0;
    // the objective is the level to which the responses are raised by a slack volume of nu n
    std::printf("%llu iterations: objective %.4f, %zu of %zu examples wrong, %llu kernel evaluations\n",
                static_cast<unsigned long long>(limit.iterations), training.solver().level(), errors, n,
                static_cast<unsigned long long>(result.counters.kernel_evaluations));
    as_expected = as_expected && 4 * errors < n && result.counters.kernel_evaluations == n * limit.iterations;
  }
  return as_expected ? 0 : 1;  // an iteration costs one row
}
