#include "data/matrix.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace svm {
namespace {

constexpr std::size_t most_columns = (std::size_t{1} << 31) - 1;

void check_offsets(const MatrixView& matrix) {
  const std::int64_t* const first = matrix.offsets;
  const std::int64_t* const last = first + matrix.rows;
  require(first[0] >= 0, "the first offset is negative: " + std::to_string(first[0]));
  const std::int64_t* const sorted = std::is_sorted_until(first, last + 1);
  require(sorted == last + 1, "offsets must not decrease (row " + std::to_string(sorted - first - 1) + ")");
}

void check_indices(const MatrixView& matrix) {
  const std::int32_t* const places = matrix.indices;
  bool inside = true;  // no exit inside the loops, so they are vectorised
  for (std::int64_t k = matrix.offsets[0]; k < matrix.offsets[matrix.rows]; ++k) {
    inside &= static_cast<std::uint32_t>(places[k]) < matrix.columns;
  }
  require(inside, "a column index is outside [0, " + std::to_string(matrix.columns) + ")");
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    bool rising = true;
    for (std::int64_t k = matrix.offsets[row] + 1; k < matrix.offsets[row + 1]; ++k) {
      rising &= places[k - 1] < places[k];
    }
    if (!rising) throw InvalidArgument("column indices must rise within a row (row " + std::to_string(row) + ")");
  }
}

/// Index of the first value that is NaN or infinite, or `size`. Tests the bits, which no compiler option can optimise
/// away.
std::size_t first_not_finite(const float* values, std::size_t size) {
  constexpr std::uint32_t exponent = 0x7F800000;
  const auto wrong = [exponent](const float& value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return (bits & exponent) == exponent;
  };
  constexpr std::size_t strip = 4096;  // no exit inside the loop, so it is vectorised
  for (std::size_t begin = 0; begin < size; begin += strip) {
    const std::size_t end = std::min(begin + strip, size);
    bool any = false;
    for (std::size_t k = begin; k < end; ++k) any |= wrong(values[k]);
    if (any) return static_cast<std::size_t>(std::find_if(values + begin, values + end, wrong) - values);
  }
  return size;
}

void check_values(const MatrixView& matrix) {
  const std::size_t stored = matrix.stored();
  const float* const values = stored > 0 ? matrix.row(0).values : nullptr;
  const std::size_t place = first_not_finite(values, stored);
  if (place == stored) return;
  std::size_t row = 0;
  std::size_t before = 0;  // values of the rows before it
  while (before + matrix.stored(row) <= place) before += matrix.stored(row++);
  throw InvalidArgument("the value at row " + std::to_string(row) + ", column " +
                        std::to_string(matrix.row(row).at(place - before)) + " is " +
                        text_of(static_cast<double>(values[place])) + ": it must be finite");
}

}  // namespace

MatrixView checked(const MatrixView& matrix) {
  if (matrix.is_checked) return matrix;
  require(matrix.columns <= most_columns,
          "a matrix has fewer than 2^31 columns, not " + std::to_string(matrix.columns));
  if (matrix.sparse()) check_offsets(matrix);
  const std::size_t stored = matrix.stored();
  require(stored == 0 || (matrix.values != nullptr && (!matrix.sparse() || matrix.indices != nullptr)),
          "a matrix has no values or no indices");
  if (matrix.sparse()) check_indices(matrix);
  check_values(matrix);
  MatrixView same = matrix;
  same.is_checked = true;
  return same;
}

}  // namespace svm
