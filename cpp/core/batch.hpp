// The rows of a mini-batch against a vector of d float64, on a team of threads: the same bits, however many they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "slice_kernels.hpp"
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
  /// v += the sum of amount k row k, in an order that does not depend on the threads.
  void add(const Selection& selection, double* v) {
    if (!sparse_ && selection.size > chunk) return add_chunks(selection, v);
    each_part(selection, [&](const Slice& x, std::size_t k) { svm::add(kernels_, v, x, selection.amounts[k]); });
  }
  /// v = 0 where one of the rows has a coordinate stored.
  void clear(const Selection& selection, double* v) const {
    each_part(selection, [&](const Slice& x, std::size_t) {
      for (std::size_t p = 0; p < x.size; ++p) v[x.at(p)] = 0.0;
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
  // Dense rows that are added up by themselves: by the thread that has just computed their inner products, so that they are
  // at hand, and into a vector of their own.
  static constexpr std::size_t chunk = 64;

  bool divided(const Selection& selection) const noexcept { return team_.size() > 1 && stored(selection) >= worth; }

  template <typename Take>
  void dots(const Selection& selection, std::size_t begin, std::size_t end, const double* v, const Take& take) const {
    for (std::size_t k = begin; k < end; ++k) {
      // memory answers after several short rows are done
      if (k + 8 < end) matrix_.expect_place(selection.rows[k + 8]);
      if (k + 4 < end) matrix_.expect_row(selection.rows[k + 4]);
      take(k, svm::dot(kernels_, matrix_.row(selection.rows[k]), v));
    }
  }

  void add_chunks(const Selection& selection, double* v);

  /// Calls body(row k, k) for k = 0, 1, ...; where rows are sparse and it pays, pieces of them, each coordinate always on
  /// the same thread.
  template <typename Body>
  void each_part(const Selection& selection, const Body& body) const {
    if (sparse_ && divided(selection)) {
      team_.run([&](unsigned part) {
        for (std::size_t k = 0; k < selection.size; ++k) body(piece(selection.rows[k], part), k);
      });
    } else {
      for (std::size_t k = 0; k < selection.size; ++k) body(matrix_.row(selection.rows[k]), k);
    }
  }

  Slice piece(std::size_t row, unsigned part) const noexcept {
    const Slice x = matrix_.row(row);
    const std::uint32_t* splits = splits_.data() + row * (team_.size() - 1);
    const std::size_t begin = part == 0 ? 0 : splits[part - 1];
    return {x.values + begin, x.indices + begin, (part + 1 == team_.size() ? x.size : splits[part]) - begin};
  }

  const FeatureMatrix& matrix_;
  CountedFeatures& counted_;
  const simd::Kernels& kernels_ = simd::kernels();
  mutable Team team_;
  bool sparse_;
  std::vector<std::uint32_t> splits_;  // sparse: where in row i the pieces of parts 1, 2, ... begin (n x (size - 1))
  AlignedVector<double> sums_;         // dense: of each chunk
  std::size_t stride_;                 // from one to the next
};

}  // namespace svm
