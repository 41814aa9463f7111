// The core without Python: trains the SBP on made points, and prints its objective against its cost.
#include <cstdio>
#include <vector>

#include "random/random.hpp"
#include "solvers/sbp.hpp"

int main() {
  constexpr std::size_t n = 400;
  constexpr std::size_t positives = 200;  // examples are ordered by class: these come first
  constexpr std::size_t d = 5;
  svm::Random random(1, svm::Purpose::data);
  std::vector<float> points(n * d);
  for (std::size_t k = 0; k < points.size(); ++k) {
    points[k] = static_cast<float>(random.normal() + (k < positives * d ? 0.5 : -0.5));
  }
  svm::KernelFunction kernel;
  kernel.gamma = 0.1;  // exp(-gamma |x - z|^2)
  svm::CachedRows rows(kernel, {n, d, points.data(), nullptr, nullptr}, positives, n);
  svm::SbpSettings settings;
  settings.nu = 0.2;  // slack per example
  svm::Sbp solver(rows, settings, 1);
  svm::Limit limit;
  for (limit.iterations = 10; limit.iterations <= 10000; limit.iterations *= 10) {
    solver.advance(limit, nullptr);
    // the objective is the level to which the responses are raised by a slack volume of nu n
    std::printf("%llu iterations: objective %.4f, %llu kernel evaluations\n",
                static_cast<unsigned long long>(limit.iterations), solver.level(),
                static_cast<unsigned long long>(solver.counters().kernel_evaluations));
  }
  return solver.counters().kernel_evaluations == n * solver.counters().iterations ? 0 : 1;  // a row an iteration
}
