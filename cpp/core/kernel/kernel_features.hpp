// Features computed from kernel values with a few points, for the Nystrom method.
#pragma once

#include <cstddef>

#include "base/half.hpp"
#include "kernel/gram.hpp"

namespace svm {

/// The result of `kernel_features`.
struct FeatureWork {
  bool finished;         ///< false: stopped by `progress`
  double cpu_of_others;  ///< CPU seconds of threads other than the calling one
  unsigned refused;      ///< threads that the system did not start
};

/// out (rows of x, by rank, row-major): out[i, r] = sum over k of K(row i of x, row k of basis) projection[r, k].
/// Computed in blocks of rows with two matrix products each; a thread needs memory for one block of kernel values.
/// `Value` is float, or BFloat16 or Float16, to which the float32 results are rounded.
template <typename Value>
FeatureWork kernel_features(const KernelFunction& kernel, const Points& x, const Points& basis, const float* projection,
                            std::size_t rank, Value* out, unsigned threads, const Progress& progress);

}  // namespace svm
