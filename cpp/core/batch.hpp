// The rows of a mini-batch against a vector of d float64, on a team of threads: the same bits, however many they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features.hpp"
#include "simd.hpp"
#include "team.hpp"

namespace svm {

/// Rows of the training set, and how much of each is taken.
struct Selection {
  const std::uint32_t* rows = nullptr;
  const double* amounts = nullptr;  ///< where none are needed, null
  std::size_t size = 0;
};

class Batch {
 public:
  Batch(const FeatureMatrix& matrix, CountedFeatures& counted, unsigned threads);

  /// Presents the rows: calls take(k, <row k, v>) for each k, on any thread. Charged, also for what is done with them after.
  template <typename Take>
  void respond(const Selection& selection, const double* v, const Take& take) {
    for (std::size_t k = 0; k < selection.size; ++k) {
      counted_.row(selection.rows[k]);
      counted_.charge_inner_product();
    }
    dots(selection, v, take);
  }
  /// The same without presenting them again.
  template <typename Take>
  void dots(const Selection& selection, const double* v, const Take& take) const {
    if (divided(selection)) {
      team_.run([&](unsigned part) {
        const std::size_t parts = team_.size();
        dots(selection, selection.size * part / parts, selection.size * (part + 1) / parts, v, take);
      });
    } else {
      dots(selection, 0, selection.size, v, take);
    }
  }
  /// v += the sum of amount k row k, each coordinate in the order of the rows.
  void add(const Selection& selection, double* v) const {
    each_part(selection, [&](const Slice& x, std::size_t first, std::size_t k) {
      if (x.indices == nullptr) {
        kernels_.add(v + first, x.values, selection.amounts[k], x.size);
      } else {
        kernels_.sparse_add(v, x.indices, x.values, x.size, selection.amounts[k]);
      }
    });
  }
  /// v = 0 where one of the rows has a coordinate stored.
  void clear(const Selection& selection, double* v) const {
    each_part(selection, [&](const Slice& x, std::size_t first, std::size_t) {
      for (std::size_t p = 0; p < x.size; ++p) v[first + x.at(p)] = 0.0;
    });
  }
  /// Coordinates that the rows store together.
  std::size_t stored(const Selection& selection) const noexcept {
    std::size_t total = 0;
    for (std::size_t k = 0; k < selection.size; ++k) total += matrix_.row(selection.rows[k]).size;
    return total;
  }

  double cpu_of_others() const noexcept { return team_.cpu_seconds(); }

 private:
  // Stored coordinates for which it pays to call the other threads.
  static constexpr std::size_t worth = 4096;

  bool divided(const Selection& selection) const noexcept { return team_.size() > 1 && stored(selection) >= worth; }

  template <typename Take>
  void dots(const Selection& selection, std::size_t begin, std::size_t end, const double* v, const Take& take) const {
    for (std::size_t k = begin; k < end; ++k) {
      // memory answers after several short rows are done
      if (k + 8 < end) matrix_.expect_place(selection.rows[k + 8]);
      if (k + 4 < end) matrix_.expect_row(selection.rows[k + 4]);
      const Slice x = matrix_.row(selection.rows[k]);
      take(k, x.indices == nullptr ? kernels_.dot(x.values, v, x.size)
                                   : kernels_.sparse_dot(x.indices, x.values, x.size, v));
    }
  }

  /// Calls body(piece of row k, its first coordinate where it is dense, k) for k = 0, 1, ...: all of it, or the pieces of
  /// each part of the coordinates on a thread of their own.
  template <typename Body>
  void each_part(const Selection& selection, const Body& body) const {
    if (divided(selection)) {
      team_.run([&](unsigned part) {
        for (std::size_t k = 0; k < selection.size; ++k) body(piece(selection.rows[k], part), limits_[part], k);
      });
    } else {
      for (std::size_t k = 0; k < selection.size; ++k) body(matrix_.row(selection.rows[k]), 0, k);
    }
  }

  Slice piece(std::size_t row, unsigned part) const noexcept {
    const Slice x = matrix_.row(row);
    const std::size_t begin = begin_of(row, part);
    return {x.values + begin, x.indices == nullptr ? nullptr : x.indices + begin, begin_of(row, part + 1) - begin};
  }

  std::size_t begin_of(std::size_t row, unsigned part) const noexcept {
    if (splits_.empty()) return limits_[part];
    if (part == 0) return 0;
    return part == team_.size() ? matrix_.row(row).size : splits_[row * (team_.size() - 1) + part - 1];
  }

  const FeatureMatrix& matrix_;
  CountedFeatures& counted_;
  const simd::Kernels& kernels_ = simd::kernels();
  mutable Team team_;
  std::vector<std::size_t> limits_;    // part p adds to coordinates limits_[p] to limits_[p + 1]
  std::vector<std::uint32_t> splits_;  // sparse: where in row i the pieces of parts 1, 2, ... begin (n x (size - 1))
};

}  // namespace svm
