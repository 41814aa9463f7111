#include "data/feature_order.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace svm {
namespace {

[[noreturn]] void refuse(std::int32_t column, std::size_t columns) {
  throw InvalidArgument("column " + std::to_string(column) + " is outside [0, " + std::to_string(columns) + ")");
}

[[noreturn]] void refuse_row(std::size_t row) {
  throw InvalidArgument("the offsets of row " + std::to_string(row) +
                        " fall, end after the last value, or give it more values than there are columns");
}

/// The index or number of a column as an address below `columns`.
std::uint32_t checked(std::int32_t column, std::size_t columns) {
  const auto place = static_cast<std::uint32_t>(column);
  if (place >= columns) refuse(column, columns);
  return place;
}

/// A stored value while its block is sorted.
struct Entry {
  std::uint32_t row;  // in the block
  std::uint32_t number;
  float value;
};

}  // namespace

void frequency_order(const std::int32_t* indices, std::size_t stored, std::size_t columns, std::int64_t* order) {
  std::vector<std::uint32_t> counts(columns);
  std::vector<std::uint32_t> met;  // columns with values, in the order of their first places
  met.reserve(std::min(stored, columns));
  for (std::size_t p = 0; p < stored; ++p) {
    const std::uint32_t column = checked(indices[p], columns);
    if (counts[column] == 0) met.push_back(column);
    if (++counts[column] == 0) throw InvalidArgument("column " + std::to_string(column) + " has 2^32 stored values");
  }
  const std::size_t largest = columns > 0 ? *std::max_element(counts.begin(), counts.end()) : 0;
  std::vector<std::size_t> places(largest + 1);  // k: of the next column with largest - k values
  for (const std::uint32_t column : met) ++places[largest - counts[column] + 1];
  std::partial_sum(places.begin(), places.end(), places.begin());
  for (const std::uint32_t column : met) order[places[largest - counts[column]]++] = column;
  std::size_t end = met.size();
  for (std::size_t column = 0; column < columns; ++column) {
    if (counts[column] == 0) order[end++] = static_cast<std::int64_t>(column);
  }
}

void renumber_columns(const std::int64_t* offsets, std::size_t rows, const std::int32_t* numbers, std::size_t columns,
                      std::int32_t* indices, float* values, std::size_t stored) {
  // A block of rows is sorted by number, then by row. Its values fit in the cache; a pass over all columns should not
  // take longer than one over the block's values.
  const std::size_t most = std::max(std::size_t{1} << 16, columns);  // values of a block of several rows
  std::vector<std::size_t> ends;                                     // of the block's rows
  std::vector<std::uint32_t> next(columns + 1);                      // place of each number's next entry
  std::vector<std::uint32_t> renumbered;                             // of the block's values
  std::vector<Entry> entries;
  std::size_t begin = 0;
  for (std::size_t row = 0; row < rows;) {
    ends.assign(1, begin);
    for (; row < rows; ++row) {
      const auto end = static_cast<std::size_t>(offsets[row + 1]);
      if (end < ends.back() || end > stored || end - ends.back() > columns) refuse_row(row);
      if (end - begin > most && ends.size() > 1) break;
      ends.push_back(end);
    }
    const std::size_t size = ends.back() - begin;
    renumbered.resize(size);
    entries.resize(size);
    std::fill(next.begin(), next.end(), 0);
    for (std::size_t p = 0; p < size; ++p) {
      renumbered[p] = checked(numbers[checked(indices[begin + p], columns)], columns);
      ++next[renumbered[p] + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      for (std::size_t p = ends[i]; p < ends[i + 1]; ++p) {
        const std::uint32_t number = renumbered[p - begin];
        entries[next[number]++] = {static_cast<std::uint32_t>(i), number, values[p]};
      }
    }
    begin = ends.back();
    for (const Entry& entry : entries) {
      const std::size_t place = ends[entry.row]++;
      indices[place] = static_cast<std::int32_t>(entry.number);
      values[place] = entry.value;
    }
  }
}

}  // namespace svm
