#include "kernel/rows.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "simd/loops.hpp"

namespace svm {

void require_both_classes(std::size_t positives, std::size_t n) {
  require(positives > 0 && positives < n, "a training set needs examples of both classes: " +
                                              std::to_string(positives) + " of " + std::to_string(n) + " are positive");
}

RowSource::RowSource(KernelFunction kernel, const MatrixView& matrix, std::size_t positives)
    : kernel_(kernel), points_(matrix), positives_(positives), diagonal_(matrix.rows) {
  require_both_classes(positives, matrix.rows);
  require_range(kernel, points_.largest_square());
  require_resolution(kernel, points_.largest_square());
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    diagonal_[i] = static_cast<float>(kernel.self(static_cast<double>(points_.norms()[i])));
  }
  unit_diagonal_ = std::all_of(diagonal_.begin(), diagonal_.end(), [](float value) { return value == 1.0F; });
}

GramRows::GramRows(KernelFunction kernel, const MatrixView& matrix, std::size_t positives, const float* gram)
    : RowSource(kernel, matrix, positives), gram_(gram) {}

void GramRows::values(std::size_t i, const std::uint32_t* members, std::size_t count, float* out) const {
  const float* row = gram_ + i * size();
  for (std::size_t k = 0; k < count; ++k) out[k] = row[members[k]];
}

CachedRows::CachedRows(KernelFunction kernel, const MatrixView& matrix, std::size_t positives, std::size_t capacity)
    : RowSource(kernel, matrix, positives),
      capacity_(std::min(capacity, std::max<std::size_t>(matrix.rows, 2))),
      drawn_(matrix.rows) {
  require(capacity >= 2, "a row cache holds at least 2 rows, got " + std::to_string(capacity));
  keep_columns();
}

void CachedRows::values(std::size_t i, const std::uint32_t* members, std::size_t count, float* out) const {
  kernel_values(kernel(), points(), i, members, count, out);
}

const float* CachedRows::row(std::size_t i) {
  if (const auto known = where_.find(i); known != where_.end()) {
    recent_.splice(recent_.begin(), recent_, known->second);
    return recent_.front().values.get();
  }
  // The row joins the cache after it has been computed: an exception before leaves no wrong row in it.
  std::list<Entry> fresh;
  if (recent_.size() < capacity_) {
    fresh.push_front({i, std::unique_ptr<float[]>(new float[size()])});
  } else {
    where_.erase(recent_.back().index);
    fresh.splice(fresh.begin(), recent_, std::prev(recent_.end()));
    fresh.front().index = i;
  }
  kernel_row(kernel(), points(), i, fresh.front().values.get());
  where_.emplace(i, fresh.begin());
  recent_.splice(recent_.begin(), fresh);
  ++computed_;
  return recent_.front().values.get();
}

const float* CachedRows::drawn_row(std::size_t i) {
  if (capacity_ == size() || drawn_[i] || where_.count(i) > 0) return row(i);
  std::swap(passing_[0], passing_[1]);  // the other one is still valid
  passing_[0].resize(size());
  kernel_row(kernel(), points(), i, passing_[0].data());
  drawn_[i] = true;
  ++computed_;
  return passing_[0].data();
}

CountedRows::CountedRows(RowSource& source)
    : source_(source), stored_(source.points().matrix().stored()), columns_(source.points().matrix().columns) {}

double CountedRows::largest_diagonal() const noexcept {
  return static_cast<double>(*std::max_element(source_.diagonal().begin(), source_.diagonal().end()));
}

void CountedRows::add(Subset& subset, std::size_t i) const {
  subset.members.push_back(static_cast<std::uint32_t>(i));
  subset.stored += source_.points().matrix().stored(i);
}

// Examples are ordered by class, so y_j changes sign once.
void CountedRows::add_uncharged(double* v, std::size_t i, double amount) {
  const float* row = fetch(i);
  const double sign = label(i) * amount;
  simd::loops().add(v, row, sign, positives());
  simd::loops().add(v + positives(), row + positives(), -sign, size() - positives());
}

void CountedRows::enter_support(std::size_t i) noexcept {
  ++support_;
  support_stored_ += source_.points().matrix().stored(i);
}

void CountedRows::leave_support(std::size_t i) noexcept {
  --support_;
  support_stored_ -= source_.points().matrix().stored(i);
}

void CountedRows::check_support(const StateArchive& state, const std::vector<std::uint32_t>& members) const {
  std::size_t stored = 0;
  for (const std::uint32_t i : members) stored += source_.points().matrix().stored(i);
  state.check(members.size() == support_ && stored == support_stored_, "support", " is not that of the coefficients");
}

void CountedRows::check_support(const StateArchive& state, const std::vector<double>& coefficients) const {
  std::vector<std::uint32_t> members;
  for (std::size_t i = 0; i < size(); ++i) {
    if (coefficients[i] != 0.0) members.push_back(static_cast<std::uint32_t>(i));
  }
  check_support(state, members);
}

void CountedRows::archive(StateArchive& state) {
  state.problem({{"n", size()}, {"d", columns_}, {"positives", positives()}, {"stored values", stored_}});
  state.part("counters", counters_);
  state.count("support", support_, size());
  state.count("support_stored", support_stored_, stored_);
}

}  // namespace svm
