// The order of features by frequency, and sparse points with features in another order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace svm {

/// Writes the columns of a CSR matrix, those with the most stored values first, to order[0 .. columns). Equally frequent
/// ones are in the order of their first places in `indices`; columns without values are rising, at the end.
/// O(stored + columns). Throws InvalidArgument if an index is outside [0, columns), or a column has 2^32 values.
void frequency_order(const std::int32_t* indices, std::size_t stored, std::size_t columns, std::int64_t* order);

/// Gives the columns of a CSR matrix new numbers, in place; in each row, indices rise again. O(stored + columns), with
/// memory for a block of rows. Addresses are checked and copied before they are used, so the arrays may overlap.
/// numbers: the new number of each of the columns, fewer than 2^31, all different.
/// Throws InvalidArgument if offsets fall or exceed `stored`, a row has more values than columns, or an index or a number
/// is outside [0, columns); some rows may have been changed then.
void renumber_columns(const std::int64_t* offsets, std::size_t rows, const std::int32_t* numbers, std::size_t columns,
                      std::int32_t* indices, float* values, std::size_t stored);

}  // namespace svm
