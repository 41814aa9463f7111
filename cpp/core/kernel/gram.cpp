#include "kernel/gram.hpp"

#include <algorithm>
#include <cstring>

namespace svm {
namespace {

constexpr std::size_t side = 512;          // of a Gram tile: 1 MiB, half of a core's second-level cache
constexpr std::size_t feature_rows = 512;  // of a block of features
constexpr std::size_t support_tile = 256;  // rows of an expansion's tile
constexpr std::size_t column_tile = 1024;  // columns of an expansion's tile

// Writes the transpose of a tile, in small squares that stay in the cache.
void mirror(const float* tile, std::size_t rows, std::size_t columns, float* out, std::size_t stride) {
  constexpr std::size_t square = 16;
  for (std::size_t a = 0; a < rows; a += square) {
    const std::size_t a_end = std::min(a + square, rows);
    for (std::size_t b = 0; b < columns; b += square) {
      const std::size_t b_end = std::min(b + square, columns);
      for (std::size_t q = b; q < b_end; ++q) {
        for (std::size_t p = a; p < a_end; ++p) out[q * stride + p] = tile[p * side + q];
      }
    }
  }
}

}  // namespace

Work fill_gram(const KernelFunction& kernel, const Points& x, float* gram, unsigned threads, const Progress& progress) {
  require_range(kernel, x.largest_square());
  const ScratchUser scratch;
  const std::size_t n = x.size();
  const std::size_t bands = (n + side - 1) / side;
  return parallel_blas(bands * (bands + 1) / 2, threads, progress, [&](std::size_t task) {
    std::size_t band = 0;  // the task-th pair (band, other) with band <= other
    while (task >= bands - band) task -= bands - band++;
    const std::size_t first = band * side;
    const std::size_t begin = (band + task) * side;
    const std::size_t rows = std::min(side, n - first);
    const std::size_t columns = std::min(side, n - begin);
    std::vector<float> tile(side * side);
    kernel_tile(kernel, x, first, rows, x, begin, columns, tile.data(), side);
    for (std::size_t a = 0; a < rows; ++a) {
      std::memcpy(gram + (first + a) * n + begin, tile.data() + a * side, columns * sizeof(float));
    }
    if (first == begin) {
      for (std::size_t a = 0; a < rows; ++a) {
        for (std::size_t b = 0; b < a; ++b) gram[(first + a) * n + first + b] = tile[b * side + a];
        gram[(first + a) * (n + 1)] = static_cast<float>(kernel.self(static_cast<double>(x.norms()[first + a])));
      }
    } else {
      mirror(tile.data(), rows, columns, gram + begin * n + first, n);
    }
  });
}

Work kernel_features(const KernelFunction& kernel, const Points& x, const Points& basis, const float* projection,
                     std::size_t rank, float* out, unsigned threads, const Progress& progress) {
  require_range(kernel, x.largest_square());
  require_range(kernel, basis.largest_square());
  const ScratchUser scratch;
  return parallel_blas((x.size() + feature_rows - 1) / feature_rows, threads, progress, [&](std::size_t task) {
    const std::size_t first = task * feature_rows;
    const std::size_t rows = std::min(feature_rows, x.size() - first);
    std::vector<float> values(rows * basis.size());
    kernel_tile(kernel, x, first, rows, basis, 0, basis.size(), values.data(), basis.size());
    multiply_transposed(values.data(), projection, out + first * rank, static_cast<int>(rows), static_cast<int>(rank),
                        static_cast<int>(basis.size()), static_cast<int>(rank));
  });
}

void expand(const TileSource& source, const std::vector<std::uint32_t>& support, const double* coefficients,
            std::size_t vectors, std::size_t size, double* out, unsigned threads) {
  std::vector<std::size_t> zeros((support.size() + support_tile - 1) / support_tile, vectors);  // leading, of a tile
  for (std::size_t k = 0; k < support.size(); ++k) {
    const double* const row = coefficients + k * vectors;
    std::size_t& fewest = zeros[k / support_tile];
    fewest = static_cast<std::size_t>(std::find_if(row, row + fewest, [](double c) { return c != 0.0; }) - row);
  }
  const ScratchUser scratch;
  parallel_blas((size + column_tile - 1) / column_tile, threads, {}, [&](std::size_t task) {
    const std::size_t begin = task * column_tile;
    const std::size_t columns = std::min(column_tile, size - begin);
    std::vector<float> tile(support_tile * column_tile);
    std::vector<double> wide;
    double* const target = out + begin * vectors;
    std::fill(target, target + columns * vectors, 0.0);
    for (std::size_t first = 0; first < support.size(); first += support_tile) {
      const std::size_t rows = std::min(support_tile, support.size() - first);
      const std::size_t skipped = zeros[first / support_tile];
      source(support.data() + first, rows, begin, columns, tile.data());
      // Summed in float64: coefficients of millions with both signs may have a sum of about 1.
      wide.assign(tile.begin(), tile.begin() + static_cast<std::ptrdiff_t>(rows * columns));
      accumulate_transposed(wide.data(), coefficients + first * vectors + skipped, target + skipped,
                            static_cast<int>(columns), static_cast<int>(vectors - skipped), static_cast<int>(rows),
                            static_cast<int>(vectors));
    }
  });
}

TileSource gram_tiles(const float* gram, std::size_t n) {
  return [=](const std::uint32_t* rows, std::size_t count, std::size_t begin, std::size_t columns, float* tile) {
    for (std::size_t a = 0; a < count; ++a) {
      std::memcpy(tile + a * columns, gram + rows[a] * n + begin, columns * sizeof(float));
    }
  };
}

TileSource computed_tiles(const KernelFunction& kernel, const Points& support, const Points& evaluation) {
  require_range(kernel, support.largest_square());
  require_range(kernel, evaluation.largest_square());
  return
      [&, kernel](const std::uint32_t* rows, std::size_t count, std::size_t begin, std::size_t columns, float* tile) {
        kernel_tile(kernel, support, rows[0], count, evaluation, begin, columns, tile, columns);
      };
}

}  // namespace svm
