// Many kernel values at once, on several threads: the whole Gram matrix, features of the Nystrom method, and expansions
// sum_i coefficient_i K(x_i, .) for many coefficient vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"

namespace svm {

/// Fills gram (n x n, row-major, float32): computes blocks of the upper triangle and mirrors them.
Work fill_gram(const KernelFunction& kernel, const Points& x, float* gram, unsigned threads, const Progress& progress);

/// out (rows of x, by rank, row-major): out[i, r] = sum over k of K(row i of x, row k of basis) projection[r, k].
/// Computed in blocks of rows with two matrix products each; a thread needs memory for one block of kernel values.
Work kernel_features(const KernelFunction& kernel, const Points& x, const Points& basis, const float* projection,
                     std::size_t rank, float* out, unsigned threads, const Progress& progress);

/// Writes a tile of kernel values between `count` training rows and `columns` evaluation columns from `begin` on.
using TileSource = std::function<void(const std::uint32_t* rows, std::size_t count, std::size_t begin,
                                      std::size_t columns, float* tile)>;

/// out (size x vectors, float64) = sum over k of K(support[k], .) coefficients[k, :] (support.size() x vectors,
/// float64). Zeros at the beginning of the rows cost little if rows with equally many of them follow each other.
void expand(const TileSource& source, const std::vector<std::uint32_t>& support, const double* coefficients,
            std::size_t vectors, std::size_t size, double* out, unsigned threads);

/// Tiles copied from a filled Gram matrix of n rows.
TileSource gram_tiles(const float* gram, std::size_t n);

/// Tiles computed between support points and evaluation points; the caller keeps both alive. The rows asked for must be
/// consecutive support points.
TileSource computed_tiles(const KernelFunction& kernel, const Points& support, const Points& evaluation);

}  // namespace svm
