#include "data/data_matrix.hpp"

#include <string>
#include <utility>

namespace svm {

DataMatrix::DataMatrix(std::size_t rows, std::size_t columns, std::vector<float> values)
    : rows_(rows), columns_(columns), values_(std::move(values)) {
  const bool fits = columns == 0 ? values_.empty() : values_.size() % columns == 0 && values_.size() / columns == rows;
  require(fits, "a dense matrix of " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                    " columns has as many values as rows times columns, not " + std::to_string(values_.size()));
  checked({rows_, columns_, values_.data()});
}

DataMatrix::DataMatrix(std::vector<std::int64_t> offsets, std::vector<std::int32_t> indices, std::vector<float> values,
                       std::size_t columns)
    : columns_(columns), values_(std::move(values)), offsets_(std::move(offsets)), indices_(std::move(indices)) {
  rows_ = csr_view(offsets_, indices_, values_, columns).rows;
}

DataMatrix::DataMatrix(const MatrixView& matrix, const std::vector<std::size_t>& rows)
    : rows_(rows.size()), columns_(matrix.columns) {
  std::size_t stored = 0;
  for (const std::size_t i : rows) stored += matrix.stored(i);
  values_.reserve(stored);
  if (matrix.sparse()) indices_.reserve(stored);
  if (matrix.sparse()) offsets_.push_back(0);
  for (const std::size_t i : rows) {
    const RowView row = matrix.row(i);
    values_.insert(values_.end(), row.values, row.values + row.size);
    if (!matrix.sparse()) continue;
    indices_.insert(indices_.end(), row.indices, row.indices + row.size);
    offsets_.push_back(static_cast<std::int64_t>(values_.size()));
  }
}

}  // namespace svm
