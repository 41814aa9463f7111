#include "kernel/preimage.hpp"

#include <cmath>
#include <utility>

namespace svm {
namespace {

constexpr double enough = 1e-3;  // relative gain of a step
constexpr int halvings = 6;

}  // namespace

BasisPoint preimage(KernelBasis& basis, const Residual& r, BasisPoint z, std::size_t most) {
  std::vector<double> pull(z.values.size());
  double value = basis.value(r, z);
  for (std::size_t step = 0; step < most && value != 0.0; ++step) {
    basis.pull(r, pull.data());
    double gain = 0.0;
    double part = 1.0;
    for (int halved = 0; halved <= halvings && gain <= 0.0; ++halved, part *= 0.5) {
      BasisPoint next = z;
      for (std::size_t k = 0; k < pull.size(); ++k) next.values[k] += part * (pull[k] / value - z.values[k]);
      next.measure();
      const double next_value = basis.value(r, next);
      gain = std::abs(next_value) / std::abs(value) - 1.0;
      if (gain <= 0.0) continue;
      z = std::move(next);
      value = next_value;
    }
    if (gain < enough) break;
  }
  return z;
}

}  // namespace svm
