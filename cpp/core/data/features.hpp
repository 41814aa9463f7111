// The training set by rows and by columns, and the view through which linear solvers read it and are charged for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/counters.hpp"
#include "data/matrix.hpp"
#include "data/transpose.hpp"

namespace svm {

/// n points of d features. Points are ordered by class: the first `positives` have label +1.
class FeatureMatrix {
 public:
  using Row = RowView;

  /// rows: n x d. They may be a part of the training set, and then of one class only. Throws InvalidArgument if they are
  /// not as `checked` requires, or if |x|^2 of a row is more than `largest_allowed`.
  FeatureMatrix(const MatrixView& rows, std::size_t positives);

  std::size_t size() const noexcept { return rows_.rows; }
  std::size_t dimension() const noexcept { return rows_.columns; }
  std::size_t positives() const noexcept { return positives_; }
  /// Coordinates that are stored, of all rows.
  std::size_t stored() const noexcept { return rows_.stored(); }
  /// Makes the columns, at the first call: few methods read them, and they take as much memory as the rows.
  void make_columns() const;
  RowView row(std::size_t i) const noexcept { return rows_.row(i); }
  /// Column j, after make_columns().
  RowView column(std::size_t j) const noexcept { return columns_.view().row(j); }
  /// |x_i|^2.
  double squared_norm(std::size_t i) const noexcept { return squared_norms_[i]; }
  /// Prefetches the offset and the squared norm of row i.
  void prefetch_offset(std::size_t i) const noexcept {
    __builtin_prefetch(squared_norms_.data() + i);
    if (rows_.sparse()) __builtin_prefetch(rows_.offsets + i);
  }
  /// Prefetches the first 512 bytes of row i; its offset should be in the cache.
  void prefetch_row(std::size_t i) const noexcept;
  double largest_norm() const noexcept { return largest_norm_; }

 private:
  MatrixView rows_;
  mutable Transpose columns_;
  mutable std::mutex making_columns_;
  std::size_t positives_;
  std::vector<double> squared_norms_;
  double largest_norm_ = 0.0;
};

/// A solver's view of the features: every row or column that it takes is counted here.
class CountedFeatures {
 public:
  explicit CountedFeatures(const FeatureMatrix& matrix) : matrix_(matrix) {}

  std::size_t size() const noexcept { return matrix_.size(); }
  std::size_t dimension() const noexcept { return matrix_.dimension(); }
  std::size_t positives() const noexcept { return matrix_.positives(); }
  void make_columns() const { matrix_.make_columns(); }
  double label(std::size_t i) const noexcept { return i < positives() ? 1.0 : -1.0; }
  double squared_norm(std::size_t i) const noexcept { return matrix_.squared_norm(i); }
  double largest_norm() const noexcept { return matrix_.largest_norm(); }

  /// Row i. Charged: its stored coordinates, or d in the dense count.
  RowView row(std::size_t i) noexcept { return charged(matrix_.row(i), dimension()); }
  /// Column j, after make_columns(). Charged: its stored coordinates, or n in the dense count.
  RowView column(std::size_t j) noexcept { return charged(matrix_.column(j), size()); }
  /// Charges an inner product of a row and the weights; the row itself has been charged by row().
  void charge_inner_product() noexcept {
    if constexpr (counting) ++counters_.inner_products;
  }
  /// Charges `rows` rows that threads have read, `stored` coordinates in all, and an inner product with each.
  void charge(std::size_t rows, std::uint64_t stored) noexcept {
    if constexpr (counting) {
      counters_.inner_products += rows;
      counters_.feature_accesses += stored;
      counters_.feature_accesses_dense += rows * dimension();
    }
  }
  /// See FeatureMatrix. Memory latency is about 100 ns, the time of several short rows; so a row is prefetched
  /// `rows_ahead` rows before it is read, and its offset `offsets_ahead` rows before.
  static constexpr std::size_t rows_ahead = 4;
  static constexpr std::size_t offsets_ahead = 8;
  void prefetch_offset(std::size_t i) const noexcept { matrix_.prefetch_offset(i); }
  void prefetch_row(std::size_t i) const noexcept { matrix_.prefetch_row(i); }
  /// Row i, not charged: for its address only, or for a result that is no part of the method.
  RowView row_uncharged(std::size_t i) const noexcept { return matrix_.row(i); }

  Counters& counters() noexcept { return counters_; }
  const Counters& counters() const noexcept { return counters_; }
  void archive(StateArchive& state) {
    state.problem({{"n", size()}, {"d", dimension()}, {"positives", positives()}, {"stored values", matrix_.stored()}});
    state.part("counters", counters_);
  }

 private:
  RowView charged(RowView slice, std::size_t dense) noexcept {
    if constexpr (counting) {
      counters_.feature_accesses += slice.size;
      counters_.feature_accesses_dense += dense;
    }
    return slice;
  }

  const FeatureMatrix& matrix_;
  Counters counters_;
};

}  // namespace svm
