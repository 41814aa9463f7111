#include "batch.hpp"

#include <algorithm>

namespace svm {
namespace {

/// Limits of `parts` ranges of coordinates that about as many entries of the rows are stored in.
std::vector<std::size_t> equal_parts(const FeatureMatrix& matrix, unsigned parts) {
  std::vector<std::uint64_t> before(matrix.dimension() + 1);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const Slice x = matrix.row(i);
    for (std::size_t k = 0; k < x.size; ++k) ++before[x.at(k) + 1];
  }
  for (std::size_t j = 0; j < matrix.dimension(); ++j) before[j + 1] += before[j];
  std::vector<std::size_t> limits{0};
  for (unsigned part = 1; part < parts; ++part) {
    const auto limit = std::lower_bound(before.begin(), before.end(), before.back() / parts * part);
    limits.push_back(static_cast<std::size_t>(limit - before.begin()));
  }
  limits.push_back(matrix.dimension());
  return limits;
}

}  // namespace

Batch::Batch(const FeatureMatrix& matrix, CountedFeatures& counted, unsigned threads)
    : matrix_(matrix), counted_(counted), team_(threads) {
  if (threads == 1) return;
  limits_ = equal_parts(matrix, threads);
  if (matrix.row(0).indices == nullptr) return;
  splits_.reserve(matrix.size() * (threads - 1));
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const Slice x = matrix.row(i);
    for (unsigned part = 1; part < threads; ++part) {
      const auto place = std::lower_bound(x.indices, x.indices + x.size, static_cast<std::int32_t>(limits_[part]));
      splits_.push_back(static_cast<std::uint32_t>(place - x.indices));
    }
  }
}

}  // namespace svm
