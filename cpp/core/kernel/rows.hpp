// Rows of the kernel matrix: where they come from, and the counted view through which solvers read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "parallel/busy.hpp"
#include "base/counters.hpp"
#include "kernel/kernel.hpp"

namespace svm {

/// The training set as a source of kernel rows. Points are ordered by class: the first `positives` have label +1.
class RowSource {
 public:
  RowSource(KernelFunction kernel, MatrixView matrix, std::size_t positives);
  virtual ~RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  /// n values K(x_i, x_j), float32 and finite; valid until two further rows have been asked for.
  virtual const float* row(std::size_t i) = 0;
  /// out[k] = K(x_i, x_members[k]) for `count` members, float32.
  virtual void values(std::size_t i, const std::uint32_t* members, std::size_t count, float* out) const = 0;
  /// Bytes that a method may take for values that it keeps itself; 0 where they are in memory already.
  virtual std::size_t room() const noexcept { return 0; }
  /// Who asks for rows holds it meanwhile; null where rows may be asked for by many threads at once.
  virtual BusyFlag* busy_flag() noexcept { return nullptr; }

  std::size_t size() const noexcept { return points_.size(); }
  std::size_t positives() const noexcept { return positives_; }
  const KernelFunction& kernel() const noexcept { return kernel_; }
  const Points& points() const noexcept { return points_; }
  /// K(x_i, x_i), float32.
  const std::vector<float>& diagonal() const noexcept { return diagonal_; }

 protected:
  /// For a source that computes rows one at a time.
  void keep_columns() { points_.keep_columns(); }

 private:
  KernelFunction kernel_;
  Points points_;
  std::size_t positives_;
  std::vector<float> diagonal_;
};

/// Rows of a filled n x n matrix that the caller keeps alive.
class GramRows final : public RowSource {
 public:
  GramRows(KernelFunction kernel, MatrixView matrix, std::size_t positives, const float* gram);
  const float* row(std::size_t i) override { return gram_ + i * size(); }
  void values(std::size_t i, const std::uint32_t* members, std::size_t count, float* out) const override;
  const float* gram() const noexcept { return gram_; }

 private:
  const float* gram_;
};

/// Rows computed when they are asked for, the last `capacity` of them kept (least recently used goes first).
class CachedRows final : public RowSource {
 public:
  /// capacity >= 2 rows.
  CachedRows(KernelFunction kernel, MatrixView matrix, std::size_t positives, std::size_t capacity);
  const float* row(std::size_t i) override;
  /// Computed, whatever rows are kept: the same bits for any capacity.
  void values(std::size_t i, const std::uint32_t* members, std::size_t count, float* out) const override;
  /// What the rows may take.
  std::size_t room() const noexcept override { return capacity_ * size() * sizeof(float); }
  BusyFlag* busy_flag() noexcept override { return &busy_; }
  std::uint64_t computed() const noexcept { return computed_; }
  std::size_t capacity() const noexcept { return capacity_; }

 private:
  struct Entry {
    std::size_t index;
    std::unique_ptr<float[]> values;
  };
  BusyFlag busy_;
  std::size_t capacity_;
  std::list<Entry> recent_;
  std::unordered_map<std::size_t, std::list<Entry>::iterator> where_;
  std::uint64_t computed_ = 0;
};

/// How a method that asks for one response at a time is charged (papers' two conventions).
enum class Accounting {
  kept,       ///< all responses are kept up to date: n evaluations for each example whose alpha changes
  on_demand,  ///< none are kept: as many evaluations as there are support vectors for each response asked for
};

/// Some of the examples: a method that has put the others aside needs no more of a row.
struct Subset {
  std::vector<std::uint32_t> members;
  std::size_t stored = 0;  ///< coordinates that their points have stored

  std::size_t size() const noexcept { return members.size(); }
  /// n: of all examples.
  void archive(StateArchive& state, std::size_t n) {
    state.rising_list("members", members, n);
    state.number("stored", stored);
  }
};

/// What a solver sees of the kernel: every row or response that it takes is counted here.
class CountedRows {
 public:
  explicit CountedRows(RowSource& source);

  std::size_t size() const noexcept { return source_.size(); }
  std::size_t positives() const noexcept { return source_.positives(); }
  double label(std::size_t i) const noexcept { return i < positives() ? 1.0 : -1.0; }
  double diagonal(std::size_t i) const noexcept { return static_cast<double>(source_.diagonal()[i]); }
  const float* diagonals() const noexcept { return source_.diagonal().data(); }
  double largest_diagonal() const noexcept;

  /// Row i, charged: n evaluations, each of them one inner product and one read of x_j.
  const float* row(std::size_t i) {
    if constexpr (counting) charge(size(), stored_);
    return source_.row(i);
  }
  /// Row i, of which only a part is looked at: as many evaluations as the part has members.
  const float* row(std::size_t i, const Subset& part) {
    if constexpr (counting) charge(part.size(), part.stored);
    return source_.row(i);
  }
  void add(Subset& part, std::size_t i) const;
  /// Row i, not charged: its values, or the response that needs them, have been charged in the same iteration.
  const float* row_uncharged(std::size_t i) { return source_.row(i); }
  /// Some values of row i under on-demand accounting, and room to keep them: see RowSource.
  void values_uncharged(std::size_t i, const std::uint32_t* members, std::size_t count, float* out) const {
    source_.values(i, members, count, out);
  }
  std::size_t room() const noexcept { return source_.room(); }
  BusyFlag* busy_flag() const noexcept { return source_.busy_flag(); }
  /// One response under on-demand accounting: one evaluation for each support vector.
  void charge_response() {
    if constexpr (counting) charge(support_, support_stored_);
  }
  /// Tells the view that example i has become (or is no longer) a support vector.
  void enter_support(std::size_t i) noexcept;
  void leave_support(std::size_t i) noexcept;

  Counters& counters() noexcept { return counters_; }
  const Counters& counters() const noexcept { return counters_; }
  void archive(StateArchive& state);

 private:
  void charge(std::size_t evaluations, std::size_t stored) noexcept {
    counters_.kernel_evaluations += evaluations;
    counters_.inner_products += evaluations;
    counters_.feature_accesses += stored;
    counters_.feature_accesses_dense += evaluations * columns_;
  }

  RowSource& source_;
  std::size_t stored_;
  std::size_t columns_;
  std::size_t support_ = 0;
  std::size_t support_stored_ = 0;
  Counters counters_;
};

}  // namespace svm
