#include "linear/batch.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace svm {
namespace {

constexpr std::size_t values_of_lines = 16;      // float64 values in a pair of cache lines
constexpr std::size_t least_rows_of_chunk = 64;  // rows, at least
constexpr std::size_t most_sums = 16;            // chunks with a sum of their own, at most
constexpr double least_parallel_batch = 8192;    // stored coordinates in a batch from which threads pay
constexpr double cost_of_coordinate = 2.0;       // cost of a coordinate in an iteration, relative to that of an entry
constexpr double least_piece_size = 32;          // stored coordinates of a row in a block, at least, on average
constexpr std::size_t most_blocks = 8;
constexpr std::size_t reduced_numbers = 3;  // values reduced with the sum: tally, stored coordinates, rows

/// One more than the last coordinate that any row has stored. With features in order of frequency, unused ones come
/// last.
std::size_t occupied(const FeatureMatrix& matrix) noexcept {
  std::size_t end = 0;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const RowView x = matrix.row(i);
    if (x.size > 0) end = std::max(end, x.at(x.size - 1) + 1);
  }
  return end;
}

/// Limits of ranges of coordinates of about equal cost: `cost` for a coordinate and 1 for each entry stored there. No
/// two ranges share a cache line.
std::vector<std::size_t> equal_parts(const FeatureMatrix& matrix, std::size_t dimension, std::size_t parts,
                                     double cost) {
  std::vector<double> before(dimension + 1, cost);
  before[0] = 0.0;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const RowView x = matrix.row(i);
    for (std::size_t k = 0; k < x.size; ++k) ++before[x.at(k) + 1];
  }
  for (std::size_t j = 0; j < dimension; ++j) before[j + 1] += before[j];
  std::vector<std::size_t> limits{0};
  for (std::size_t part = 1; part < parts; ++part) {
    const auto limit = std::lower_bound(before.begin(), before.end(),
                                        before.back() * static_cast<double>(part) / static_cast<double>(parts));
    const auto place = static_cast<std::size_t>(limit - before.begin());
    limits.push_back(std::min((place + values_of_lines / 2) / values_of_lines * values_of_lines, dimension));
  }
  limits.push_back(dimension);
  return limits;
}

}  // namespace

Batch::Batch(const FeatureMatrix& matrix, CountedFeatures& counted, std::size_t largest, unsigned threads,
             AllReduce all_reduce)
    : matrix_(matrix),
      counted_(counted),
      pool_(threads),
      all_reduce_(std::move(all_reduce)),
      dimension_(all_reduce_ ? matrix.dimension() : occupied(matrix)),
      largest_(largest),
      stride_((dimension_ + values_of_lines - 1) / values_of_lines * values_of_lines) {
  const double mean =
      static_cast<double>(matrix.stored()) / static_cast<double>(std::max<std::size_t>(matrix.size(), 1));
  if (largest < 2 * least_rows_of_chunk || mean * static_cast<double>(largest) < least_parallel_batch) {
    schedule_ = Schedule::serial;
    width_ = largest;
  } else if (static_cast<double>(dimension_) <= static_cast<double>(least_rows_of_chunk) * mean) {
    schedule_ = Schedule::rows;
    width_ = std::max(least_rows_of_chunk, (largest + most_sums - 1) / most_sums);
    sums_.resize((largest + width_ - 1) / width_ * stride_);
    summed_ = true;
  } else {
    schedule_ = Schedule::columns;
    width_ = least_rows_of_chunk;
    for (blocks_ = 2; blocks_ < most_blocks && 2.0 * static_cast<double>(blocks_) * least_piece_size <= mean;)
      blocks_ *= 2;
    parts_.resize(blocks_ * largest);
  }
  split();
  summed_ = summed_ || all_reduce_;
  sum_.resize(dimension_ + reduced_numbers);
  norms_.resize(blocks_ * values_of_lines);
  tallies_.resize((largest + width_ - 1) / width_);
  rows_.resize(tallies_.size() * width_);
  amounts_.resize(rows_.size());
}

void Batch::split() {
  limits_ = {0, dimension_};
  if (blocks_ == 1) return;
  const double turns = static_cast<double>(matrix_.size()) / static_cast<double>(largest_);
  limits_ = equal_parts(matrix_, dimension_, blocks_, cost_of_coordinate * turns);
  splits_.reserve(matrix_.size() * (blocks_ - 1));
  for (std::size_t i = 0; i < matrix_.size(); ++i) {
    const RowView x = matrix_.row(i);
    for (std::size_t block = 1; block < blocks_; ++block) {
      const auto place = std::lower_bound(x.indices, x.indices + x.size, static_cast<std::int32_t>(limits_[block]));
      splits_.push_back(static_cast<std::uint32_t>(place - x.indices));
    }
  }
}

/// Adds the sums of the chunks, in the same order for any number of threads.
void Batch::add_up_chunks() {
  constexpr std::size_t coordinates = 1024;
  const std::size_t count = chunks();
  if (count == 0) return std::fill_n(sum_.begin(), dimension_, 0.0), void();
  pool_.parallel_for((dimension_ + coordinates - 1) / coordinates, [&](std::size_t task) {
    const std::size_t begin = task * coordinates;
    const std::size_t end = std::min(begin + coordinates, dimension_);
    std::copy(sums_.data() + begin, sums_.data() + end, sum_.data() + begin);
    for (std::size_t c = 1; c < count; ++c) {
      for (std::size_t j = begin; j < end; ++j) sum_[j] += sums_[c * stride_ + j];
    }
  });
}

/// After all coefficients: adds the tallies, sums over the processes, and charges the rows if `charged`.
double Batch::finish(bool charged) {
  double value = 0.0;
  std::uint64_t stored = 0;
  std::uint64_t rows = size_;
  for (std::size_t c = 0; c < chunks(); ++c) {
    value += tallies_[c].value;
    stored += tallies_[c].stored;
  }
  many_ = stored >= dimension_;
  if (all_reduce_) {
    if (schedule_ != Schedule::rows) gather();
    gathered_ = true;
    sum_[dimension_] = value;
    sum_[dimension_ + 1] = static_cast<double>(stored);
    sum_[dimension_ + 2] = static_cast<double>(rows);
    all_reduce_(sum_.data(), sum_.size());
    value = sum_[dimension_];
    stored = static_cast<std::uint64_t>(sum_[dimension_ + 1]);
    rows = static_cast<std::uint64_t>(sum_[dimension_ + 2]);
  }
  if (charged) counted_.charge(rows, stored);
  return value;
}

/// Computes the weighted sum of the listed rows in `sum_`; returns its squared norm.
double Batch::gather() {
  gathered_ = true;
  std::fill(norms_.begin(), norms_.end(), 0.0);
  for_each_block([&](std::size_t block) {
    double* sum = sum_.data();
    for_each_chosen(block, [&](const RowView& x, double amount) { svm::add(loops_, sum, x, amount); });
    double& norm = norms_[block * values_of_lines];
    if (many_) {
      const double* begin = sum + limits_[block];
      norm = std::inner_product(begin, static_cast<const double*>(sum + limits_[block + 1]), begin, 0.0);
    } else {
      for_each_chosen(block, [&](const RowView& x, double amount) { norm += amount * dot(loops_, x, sum); });
    }
  });
  return std::accumulate(norms_.begin(), norms_.end(), 0.0);
}

double Batch::squared_norm() {
  if (summed_) return std::inner_product(sum_.data(), sum_.data() + dimension_, sum_.data(), 0.0);
  if (schedule_ == Schedule::serial && tallies_[0].chosen == 1) {
    return amounts_[0] * amounts_[0] * matrix_.squared_norm(rows_[0]);
  }
  return gather();
}

void Batch::add_shared(double factor, double* v) {
  if (summed_) {
    for (std::size_t j = 0; j < dimension_; ++j) v[j] += factor * sum_[j];
    return;
  }
  for_each_block([&](std::size_t block) {
    if (gathered_ && many_) {
      for (std::size_t j = limits_[block]; j < limits_[block + 1]; ++j) v[j] += factor * sum_[j];
    } else {
      for_each_chosen(block, [&](const RowView& x, double amount) { svm::add(loops_, v, x, factor * amount); });
    }
  });
}

/// Makes `sum_` zero again.
void Batch::clear() {
  gathered_ = false;
  if (schedule_ == Schedule::rows) return;  // overwritten each time
  for_each_block([&](std::size_t block) {
    if (many_ || all_reduce_) {
      std::fill(sum_.data() + limits_[block], sum_.data() + limits_[block + 1], 0.0);
    } else {
      for_each_chosen(block, [&](const RowView& x, double) {
        for (std::size_t p = 0; p < x.size; ++p) sum_[x.at(p)] = 0.0;
      });
    }
  });
}

}  // namespace svm
