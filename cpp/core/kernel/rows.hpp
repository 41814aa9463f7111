// Rows of the kernel matrix: their sources, and the view through which solvers read them and are charged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/aligned.hpp"
#include "base/counters.hpp"
#include "kernel/kernel.hpp"
#include "parallel/busy.hpp"

namespace svm {

/// Throws InvalidArgument unless there are positive and other examples among n.
void require_both_classes(std::size_t positives, std::size_t n);

/// A source of kernel rows of the training set. Points are ordered by class: the first `positives` have label +1.
class RowSource {
 public:
  RowSource(KernelFunction kernel, const MatrixView& matrix, std::size_t positives);
  virtual ~RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  /// n values K(x_i, x_j), float32 and finite; valid until the call after the next one.
  virtual const float* row(std::size_t i) = 0;
  /// The same values, for a method that draws examples at random, and so seldom asks for a row again soon.
  virtual const float* drawn_row(std::size_t i) { return row(i); }
  /// out[k] = K(x_i, x_members[k]) for `count` members, float32.
  virtual void values(std::size_t i, const std::uint32_t* members, std::size_t count, float* out) const = 0;
  /// Bytes that a method may use for its own cache of kernel values; 0 if all values are in memory already.
  virtual std::size_t room() const noexcept { return 0; }
  /// The flag to hold while rows are read; null if several threads may read at once.
  virtual BusyFlag* busy_flag() noexcept { return nullptr; }

  std::size_t size() const noexcept { return points_.size(); }
  std::size_t positives() const noexcept { return positives_; }
  const KernelFunction& kernel() const noexcept { return kernel_; }
  const Points& points() const noexcept { return points_; }
  /// K(x_i, x_i), float32.
  const std::vector<float>& diagonal() const noexcept { return diagonal_; }
  /// Whether all K(x_i, x_i) are 1.
  bool unit_diagonal() const noexcept { return unit_diagonal_; }

 protected:
  /// For a source that computes single rows: see Points::keep_columns.
  void keep_columns() { points_.keep_columns(); }

 private:
  ScratchUser scratch_;
  KernelFunction kernel_;
  Points points_;
  std::size_t positives_;
  std::vector<float> diagonal_;
  bool unit_diagonal_;
};

/// Rows of a filled n x n matrix, which the caller keeps alive.
class GramRows final : public RowSource {
 public:
  GramRows(KernelFunction kernel, const MatrixView& matrix, std::size_t positives, const float* gram);
  const float* row(std::size_t i) override { return gram_ + i * size(); }
  void values(std::size_t i, const std::uint32_t* members, std::size_t count, float* out) const override;
  const float* gram() const noexcept { return gram_; }

 private:
  const float* gram_;
};

/// Rows computed on request, with a cache of `capacity` rows (the least recently used one is replaced).
class CachedRows final : public RowSource {
 public:
  /// capacity >= 2 rows.
  CachedRows(KernelFunction kernel, const MatrixView& matrix, std::size_t positives, std::size_t capacity);
  const float* row(std::size_t i) override;
  /// Where not all rows have room, a row that is drawn for the first time is computed in one of two buffers, and cached
  /// when it is drawn again: writing it to memory that is in none of the processor's caches takes longer than computing it.
  const float* drawn_row(std::size_t i) override;
  /// Always computed, never read from the cache: the same bits for any capacity.
  void values(std::size_t i, const std::uint32_t* members, std::size_t count, float* out) const override;
  /// The size of the row cache.
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
  std::vector<bool> drawn_;  ///< rows that have been drawn
  AlignedVector<float> passing_[2];
};

/// How a method that reads one response at a time is charged: the two conventions in the papers.
enum class Accounting {
  kept,       ///< all responses are kept up to date: n evaluations for each example whose alpha changes
  on_demand,  ///< none are kept: one evaluation per support vector for each response that is read
};

/// A subset of the examples. A method that works on a subset reads, and is charged for, that part of a row.
struct Subset {
  std::vector<std::uint32_t> members;
  std::size_t stored = 0;  ///< number of stored coordinates of all members together

  std::size_t size() const noexcept { return members.size(); }
  /// n: number of all examples.
  void archive(StateArchive& state, std::size_t n) {
    state.rising_list("members", members, n);
    state.number("stored", stored);
  }
};

/// A solver's view of the kernel: every row or response that it reads is counted here.
class CountedRows {
 public:
  explicit CountedRows(RowSource& source);
  /// Says that the method draws examples at random (RowSource::drawn_row).
  void draw_at_random() noexcept { draws_ = true; }

  std::size_t size() const noexcept { return source_.size(); }
  std::size_t positives() const noexcept { return source_.positives(); }
  double label(std::size_t i) const noexcept { return i < positives() ? 1.0 : -1.0; }
  double diagonal(std::size_t i) const noexcept { return static_cast<double>(source_.diagonal()[i]); }
  /// K(x_j, x_j) for all j, or null if all are 1, as with a Gaussian kernel.
  const float* diagonals() const noexcept { return source_.unit_diagonal() ? nullptr : source_.diagonal().data(); }
  double largest_diagonal() const noexcept;

  /// Row i. Charged: n evaluations, each with one inner product and the stored coordinates of x_j.
  const float* row(std::size_t i) {
    if constexpr (counting) charge(size(), stored_);  // `counting` is false only in the build `uncounted`
    return fetch(i);
  }
  /// Row i, of which only the subset's values are read. Charged: one evaluation for each member.
  const float* row(std::size_t i, const Subset& subset) {
    if constexpr (counting) charge(subset.size(), subset.stored);
    return source_.row(i);
  }
  void add(Subset& subset, std::size_t i) const;
  /// v_j += amount y_i y_j K(x_i, x_j) for all j. Charged like row i with Accounting::kept, else not at all.
  void add(double* v, std::size_t i, double amount, Accounting accounting = Accounting::kept) {
    if constexpr (counting) {
      if (accounting == Accounting::kept) charge(size(), stored_);
    }
    add_uncharged(v, i, amount);
  }
  void add_uncharged(double* v, std::size_t i, double amount);
  /// Row i, not charged. Only for values that the same iteration has paid for, as a row or by charge_response().
  const float* row_uncharged(std::size_t i) { return source_.row(i); }
  /// Some values of row i, not charged; see RowSource::values.
  void values_uncharged(std::size_t i, const std::uint32_t* members, std::size_t count, float* out) const {
    source_.values(i, members, count, out);
  }
  std::size_t room() const noexcept { return source_.room(); }
  BusyFlag* busy_flag() const noexcept { return source_.busy_flag(); }
  /// Charges one response under on-demand accounting: one evaluation for each support vector.
  void charge_response() {
    if constexpr (counting) charge(support_, support_stored_);
  }
  /// Call when the coefficient of example i changes, by a step or by underflow: where it is not 0, the example is a support
  /// vector.
  void coefficient_changed(std::size_t i, double before, double after) noexcept {
    if (before == 0.0 && after != 0.0) enter_support(i);
    if (before != 0.0 && after == 0.0) leave_support(i);
  }
  /// When reading, refuses a state in which the support that is charged is not `members`, or not the examples with a
  /// coefficient other than 0.
  void check_support(const StateArchive& state, const std::vector<std::uint32_t>& members) const;
  void check_support(const StateArchive& state, const std::vector<double>& coefficients) const;
  /// Call when example i becomes a support vector, or no longer is one.
  void enter_support(std::size_t i) noexcept;
  void leave_support(std::size_t i) noexcept;

  Counters& counters() noexcept { return counters_; }
  const Counters& counters() const noexcept { return counters_; }
  void archive(StateArchive& state);

 private:
  const float* fetch(std::size_t i) { return draws_ ? source_.drawn_row(i) : source_.row(i); }
  void charge(std::size_t evaluations, std::size_t stored) noexcept {
    counters_.kernel_evaluations += evaluations;
    counters_.inner_products += evaluations;
    counters_.feature_accesses += stored;
    counters_.feature_accesses_dense += evaluations * columns_;
  }

  RowSource& source_;
  bool draws_ = false;
  std::size_t stored_;
  std::size_t columns_;
  std::size_t support_ = 0;
  std::size_t support_stored_ = 0;
  Counters counters_;
};

}  // namespace svm
