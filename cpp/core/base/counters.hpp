// Exact costs of a run, as the papers charge them.
#pragma once

#include <cstdint>

#include "base/state.hpp"

namespace svm {

/// Plain integers, one object per solver. The views that hand out kernel rows or feature rows increment the
/// evaluations, products and accesses, never the solvers.
struct Counters {
  std::uint64_t iterations = 0;              ///< of the main loop
  std::uint64_t presentations = 0;           ///< of an example to the method; epochs = presentations / n
  std::uint64_t kernel_evaluations = 0;      ///< one K(x_i, x_j)
  std::uint64_t inner_products = 0;          ///< one d-dimensional inner product
  std::uint64_t feature_accesses = 0;        ///< one stored coordinate of one training vector
  std::uint64_t feature_accesses_dense = 0;  ///< the same, every vector taken as d coordinates

  /// Largest number of iterations and presentations in a state: step lengths are computed from them, so they must not
  /// overflow.
  static constexpr std::uint64_t most = std::uint64_t{1} << 62;

  void archive(StateArchive& state) {
    state.count("iterations", iterations, most);
    state.count("presentations", presentations, most);
    state.number("kernel_evaluations", kernel_evaluations);
    state.number("inner_products", inner_products);
    state.number("feature_accesses", feature_accesses);
    state.number("feature_accesses_dense", feature_accesses_dense);
  }
};

/// False only in the build that measures the cost of counting.
#ifdef SVM_WITHOUT_COUNTERS
inline constexpr bool counting = false;
#else
inline constexpr bool counting = true;
#endif

}  // namespace svm
