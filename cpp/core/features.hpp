// The training set by rows and by columns, and the counted view through which linear solvers read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "counters.hpp"
#include "matrix.hpp"

namespace svm {

/// One row or column: values[k] at indices[k], rising; where indices is null, at k.
struct Slice {
  const float* values = nullptr;
  const std::int32_t* indices = nullptr;
  std::size_t size = 0;

  std::size_t at(std::size_t k) const noexcept { return indices != nullptr ? static_cast<std::size_t>(indices[k]) : k; }
};

/// |x|^2.
inline double squared_norm(const Slice& x) noexcept {
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size; ++k) sum += static_cast<double>(x.values[k]) * static_cast<double>(x.values[k]);
  return sum;
}

/// n points of d features. Points are ordered by class: the first `positives` have label +1.
class FeatureMatrix {
 public:
  /// rows: n x d; columns: its transpose, d x n, stored in the same way.
  FeatureMatrix(MatrixView rows, MatrixView columns, std::size_t positives);
  /// For methods that read rows only; these may be a part of the training set, of one class.
  FeatureMatrix(MatrixView rows, std::size_t positives);

  std::size_t size() const noexcept { return rows_.rows; }
  std::size_t dimension() const noexcept { return rows_.columns; }
  std::size_t positives() const noexcept { return positives_; }
  /// Of all rows.
  std::size_t stored() const noexcept { return rows_.stored(); }
  bool has_columns() const noexcept { return columns_.rows > 0; }
  Slice row(std::size_t i) const noexcept { return slice(rows_, i); }
  Slice column(std::size_t j) const noexcept { return slice(columns_, j); }
  /// |x_i|^2.
  double squared_norm(std::size_t i) const noexcept { return squared_norms_[i]; }
  /// Asks the processor for what is known of row i.
  void expect_place(std::size_t i) const noexcept {
    __builtin_prefetch(squared_norms_.data() + i);
    if (rows_.sparse()) __builtin_prefetch(rows_.offsets + i);
  }
  /// Asks the processor for row i.
  void expect_row(std::size_t i) const noexcept;
  double largest_norm() const noexcept { return largest_norm_; }
  /// Which row a slice is, or begins with.
  std::size_t place_of(const Slice& row) const noexcept;

 private:
  static Slice slice(const MatrixView& view, std::size_t i) noexcept {
    if (!view.sparse()) return {view.values + i * view.columns, nullptr, view.columns};
    const std::int64_t begin = view.offsets[i];
    return {view.values + begin, view.indices + begin, view.stored(i)};
  }

  MatrixView rows_;
  MatrixView columns_;
  std::size_t positives_;
  std::vector<double> squared_norms_;
  double largest_norm_ = 0.0;
};

/// What a solver sees of the features: every row or column that it takes is counted here.
class CountedFeatures {
 public:
  explicit CountedFeatures(const FeatureMatrix& matrix) : matrix_(matrix) {}

  std::size_t size() const noexcept { return matrix_.size(); }
  std::size_t dimension() const noexcept { return matrix_.dimension(); }
  std::size_t positives() const noexcept { return matrix_.positives(); }
  bool has_columns() const noexcept { return matrix_.has_columns(); }
  double label(std::size_t i) const noexcept { return i < positives() ? 1.0 : -1.0; }
  double squared_norm(std::size_t i) const noexcept { return matrix_.squared_norm(i); }
  double largest_norm() const noexcept { return matrix_.largest_norm(); }

  /// Row i, charged: its stored coordinates, or d.
  Slice row(std::size_t i) noexcept { return charged(matrix_.row(i), dimension()); }
  /// Column j, charged: its stored coordinates, or n.
  Slice column(std::size_t j) noexcept { return charged(matrix_.column(j), size()); }
  /// One inner product with an explicit weight vector; its row has been charged.
  void charge_inner_product() noexcept {
    if constexpr (counting) ++counters_.inner_products;
  }
  /// Rows that many threads have read, `stored` coordinates together, and an inner product with each.
  void charge(std::size_t rows, std::uint64_t stored) noexcept {
    if constexpr (counting) {
      counters_.inner_products += rows;
      counters_.feature_accesses += stored;
      counters_.feature_accesses_dense += rows * dimension();
    }
  }
  /// Asks the processor for where row i lies, which will be read later, or for the row, which will be read soon.
  void expect_place(std::size_t i) const noexcept { matrix_.expect_place(i); }
  void expect_row(std::size_t i) const noexcept { matrix_.expect_row(i); }
  std::size_t place_of(const Slice& row) const noexcept { return matrix_.place_of(row); }
  /// Row i for its address alone: who fetches a long row in parts, and reads it later, is charged then.
  Slice coming_row(std::size_t i) const noexcept { return matrix_.row(i); }

  Counters& counters() noexcept { return counters_; }
  const Counters& counters() const noexcept { return counters_; }
  void archive(StateArchive& state) {
    state.problem({{"n", size()}, {"d", dimension()}, {"positives", positives()}, {"stored values", matrix_.stored()}});
    state.part("counters", counters_);
  }

 private:
  Slice charged(Slice slice, std::size_t dense) noexcept {
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
