#include "data/features.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"

namespace svm {
namespace {

constexpr std::size_t line = 16;  // float32 values in a cache line
// Lines of a row that are prefetched, of a row of usual length and at most; the hardware prefetcher fetches the rest.
constexpr std::size_t usual_lines = 6;
constexpr std::size_t most_lines = 8;

}  // namespace

FeatureMatrix::FeatureMatrix(const MatrixView& rows, std::size_t positives)
    : rows_(checked(rows)), positives_(positives), squared_norms_(rows.rows) {
  require(rows.rows > 0 && rows.columns > 0, "features need at least one row and one column, got " +
                                                 std::to_string(rows.rows) + " x " + std::to_string(rows.columns));
  require(positives <= rows.rows, std::to_string(positives) + " of " + std::to_string(rows.rows) + " are positive");
  for (std::size_t i = 0; i < rows.rows; ++i) squared_norms_[i] = svm::squared_norm(row(i));
  double largest = 0.0;
  for (const double square : squared_norms_) largest = std::max(largest, square);
  require(largest <= largest_allowed, "the largest |x|^2 is " + text_of(largest) + ", and it may be up to " +
                                          text_of(largest_allowed) + ": scale the features");
  largest_norm_ = std::sqrt(largest);
}

void FeatureMatrix::make_columns() const {
  const std::lock_guard<std::mutex> lock(making_columns_);
  if (columns_.view().rows == 0) columns_ = Transpose(rows_);
}

void FeatureMatrix::prefetch_row(std::size_t i) const noexcept {
  const RowView x = row(i);
  const auto prefetch = [&x](std::size_t k) {
    __builtin_prefetch(x.values + k);
    if (x.indices != nullptr) __builtin_prefetch(x.indices + k);
  };
  prefetch(0);  // the row may begin anywhere in its first line, so two lines
  prefetch(line);
  // Without loops over what varies: a mispredicted branch takes as long as a few lines too many.
  if (x.size <= line) return;
  for (std::size_t k = 2; k < usual_lines; ++k) prefetch(k * line);
  if (x.size < line * (usual_lines - 1)) return;
  for (std::size_t k = usual_lines; k <= most_lines; ++k) prefetch(k * line);
}

}  // namespace svm
