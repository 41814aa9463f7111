// Features made of kernel values with a few points, as the Nystrom method has them.
#pragma once

#include <cstddef>

#include "kernel/gram.hpp"

namespace svm {

/// What `kernel_features` has done.
struct FeatureWork {
  bool finished;         ///< false: stopped by `progress`
  double cpu_of_others;  ///< CPU seconds of threads other than the calling one
  unsigned refused;      ///< threads that the system has not started
};

/// out (rows of x, by rank, row-major): out[i, r] = sum over k of K(row i of x, row k of basis) projection[r, k]. Blocks of rows,
/// two matrix products each; besides `out` a thread needs no more than a block of kernel values.
FeatureWork kernel_features(const KernelFunction& kernel, const Points& x, const Points& basis, const float* projection,
                            std::size_t rank, float* out, unsigned threads, const Progress& progress);

}  // namespace svm
