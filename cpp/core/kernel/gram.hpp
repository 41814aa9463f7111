// The whole Gram matrix, and expansions sum_i coefficient_i K(x_i, .) for many coefficient vectors at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/kernel.hpp"

namespace svm {

/// Called on the calling thread now and then with the fraction done; returns false to stop the work.
using Progress = std::function<bool(double)>;

/// What `fill_gram` has done.
struct GramWork {
  bool finished;     ///< false: stopped by `progress`
  unsigned refused;  ///< threads that the system has not started
};

/// Fills gram (n x n, row-major, float32) by blocks of its upper triangle, mirrored.
GramWork fill_gram(const KernelFunction& kernel, const Points& x, float* gram, unsigned threads,
                   const Progress& progress);

/// Where an expansion finds kernel values between training rows and evaluation columns.
using TileSource = std::function<void(const std::uint32_t* rows, std::size_t count, std::size_t begin,
                                      std::size_t columns, float* tile)>;

/// out (size x vectors, float64) = sum over k of K(support[k], .) coefficients[k, :] (support.size() x vectors, float64).
void expand(const TileSource& source, const std::vector<std::uint32_t>& support, const double* coefficients,
            std::size_t vectors, std::size_t size, double* out, unsigned threads);

/// Tiles read out of a filled Gram matrix of n rows.
TileSource gram_tiles(const float* gram, std::size_t n);

/// Tiles computed between training points and evaluation points, which the caller keeps alive. `train` holds the support
/// rows in order, so row k of a tile is row k of `train`.
TileSource computed_tiles(const KernelFunction& kernel, const Points& support, const Points& evaluation);

}  // namespace svm
