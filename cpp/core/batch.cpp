#include "batch.hpp"

#include <algorithm>

namespace svm {
namespace {

constexpr std::size_t line = 16;  // float64 values in a pair of lines of the processor's cache

/// Limits of `parts` ranges of coordinates that about as many entries of the rows are stored in; no two threads write to the
/// same line of the cache.
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
    const auto place = static_cast<std::size_t>(limit - before.begin());
    limits.push_back(std::min((place + line / 2) / line * line, matrix.dimension()));
  }
  limits.push_back(matrix.dimension());
  return limits;
}

}  // namespace

Batch::Batch(const FeatureMatrix& matrix, CountedFeatures& counted, unsigned threads)
    : matrix_(matrix),
      counted_(counted),
      team_(threads),
      sparse_(matrix.row(0).indices != nullptr),
      stride_((matrix.dimension() + line - 1) / line * line) {
  if (threads == 1 || !sparse_) return;
  const std::vector<std::size_t> limits = equal_parts(matrix, threads);
  splits_.reserve(matrix.size() * (threads - 1));
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const Slice x = matrix.row(i);
    for (unsigned part = 1; part < threads; ++part) {
      const auto place = std::lower_bound(x.indices, x.indices + x.size, static_cast<std::int32_t>(limits[part]));
      splits_.push_back(static_cast<std::uint32_t>(place - x.indices));
    }
  }
}

/// Adds up each chunk, and then the chunks: always the same, however many threads share them.
void Batch::add_chunks(const Selection& selection, double* v) {
  const std::size_t chunks = (selection.size + chunk - 1) / chunk;
  if (sums_.size() < chunks * stride_) sums_.resize(chunks * stride_);
  const auto add = [&](std::size_t first, std::size_t last) {
    std::fill_n(sums_.data() + first * stride_, (last - first) * stride_, 0.0);
    for (std::size_t k = first * chunk; k < std::min(last * chunk, selection.size); ++k) {
      svm::add(kernels_, sums_.data() + k / chunk * stride_, matrix_.row(selection.rows[k]), selection.amounts[k]);
    }
  };
  if (divided(selection)) {
    const std::size_t parts = team_.size();
    team_.run([&](unsigned part) { add(chunks * part / parts, chunks * (part + 1) / parts); });
  } else {
    add(0, chunks);
  }
  for (std::size_t c = 0; c < chunks; ++c) {
    for (std::size_t j = 0; j < matrix_.dimension(); ++j) v[j] += sums_[c * stride_ + j];
  }
}

}  // namespace svm
