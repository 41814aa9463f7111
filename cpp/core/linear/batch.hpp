// The rows of a mini-batch and a vector of d float64: inner products and weighted sums on a pool of threads. The result
// has the same bits for any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/aligned.hpp"
#include "data/row_operations.hpp"
#include "parallel/thread_pool.hpp"

namespace svm {

/// Replaces `size` values by their sums over all processes that share a mini-batch; the same bits in each process.
using AllReduce = std::function<void(double* values, std::size_t size)>;

/// A mini-batch is presented: the method gives a coefficient for each row and may then add the weighted sum of the rows
/// to vectors. The schedule depends on the data and the batch size, never on the number of threads:
///   serial   small batches: one thread;
///   rows     few coordinates: chunks of rows, each with a sum of its own;
///   columns  many coordinates: blocks of coordinates, each always on the same thread, because moving coordinates
///            between the caches of two processors would cost most.
class Batch {
 public:
  /// largest: the largest number of rows of a mini-batch.
  Batch(const FeatureMatrix& matrix, CountedFeatures& counted, std::size_t largest, unsigned threads,
        AllReduce all_reduce);

  /// The coefficient of row k is coefficient_of(k, <row k, v>, tally), called for each k on any thread. Returns the sum
  /// of what `coefficient_of` adds to its tallies. Charged. The calling thread first calls meanwhile().
  template <typename CoefficientOf, typename Meanwhile>
  double present(const std::uint32_t* rows, std::size_t size, const double* v, const CoefficientOf& coefficient_of,
                 const Meanwhile& meanwhile) {
    clear_sum();
    presented_ = rows;
    size_ = size;
    if (schedule_ == Schedule::serial) {
      meanwhile();
      return present_serially(v, coefficient_of);
    }
    if (schedule_ == Schedule::rows) {
      add_chunks([&](std::size_t begin, std::size_t end) { return respond(begin, end, v); },
                 [&](std::size_t k, Tally& tally) { return coefficient_of(k, amounts_[k], tally.value); }, meanwhile);
    } else {
      respond_by_blocks(v, meanwhile);
      choose_chunks([&](std::size_t k, Tally& tally) { return coefficient_of(k, response(k), tally.value); });
    }
    return finish(true);
  }

  /// Replaces the coefficients of the rows that were just presented by coefficient_of(k, tally). Not charged again.
  template <typename CoefficientOf>
  double replace_coefficients(const CoefficientOf& coefficient_of) {
    clear_sum();
    const auto amount = [&](std::size_t k, Tally& tally) { return coefficient_of(k, tally.value); };
    if (schedule_ == Schedule::rows) {
      const auto prefetch_group = [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) matrix_.prefetch_row(presented_[k]);
        return std::uint64_t{0};
      };
      add_chunks(prefetch_group, amount, [] {});
    } else {
      choose_chunks(amount);
    }
    return finish(false);
  }

  /// The squared norm of the weighted sum of rows.
  double squared_norm();
  /// v += factor times the weighted sum of rows.
  void add(double factor, double* v) {
    if (schedule_ != Schedule::serial || summed_ || gathered_) return add_shared(factor, v);
    for (std::size_t place = 0; place < tallies_[0].chosen; ++place) {
      svm::add(loops_, v, matrix_.row(rows_[place]), factor * amounts_[place]);
    }
  }

  double cpu_of_others() const noexcept { return pool_.cpu_seconds(); }
  unsigned threads() const noexcept { return pool_.size(); }

 private:
  enum class Schedule { serial, rows, columns };
  static constexpr std::size_t rows_of_group = 32;  // they are presented and then added while they are in the cache

  /// Results of a chunk of rows; each in a cache line of its own.
  struct alignas(64) Tally {
    double value = 0.0;
    std::uint64_t stored = 0;  // coordinates presented
    std::size_t chosen = 0;    // rows with a coefficient other than 0
  };

  void prefetch(std::size_t k) const noexcept {
    const std::size_t offset = k + CountedFeatures::offsets_ahead;
    const std::size_t row = k + CountedFeatures::rows_ahead;
    if (offset < size_) matrix_.prefetch_offset(presented_[offset]);
    if (row < size_) matrix_.prefetch_row(presented_[row]);
  }
  std::size_t chunks() const noexcept { return (size_ + width_ - 1) / width_; }
  std::size_t end_of(std::size_t chunk) const noexcept { return std::min((chunk + 1) * width_, size_); }

  /// Writes the inner products of rows begin, ..., end - 1 and v to `amounts_`; returns how many coordinates they store.
  std::uint64_t respond(std::size_t begin, std::size_t end, const double* v) {
    std::uint64_t stored = 0;
    for (std::size_t k = begin; k < end; ++k) {
      prefetch(k);
      const RowView x = matrix_.row(presented_[k]);
      stored += x.size;
      amounts_[k] = dot(loops_, x, v);
    }
    return stored;
  }
  /// Lists those of rows begin, ..., end - 1 with a coefficient amount(k) other than 0, from place `begin` on; returns
  /// how many.
  template <typename Amount>
  std::size_t choose(std::size_t begin, std::size_t end, const Amount& amount) {
    std::size_t place = begin;
    for (std::size_t k = begin; k < end; ++k) {
      const double coefficient = amount(k);
      rows_[place] = presented_[k];
      amounts_[place] = coefficient;
      place += coefficient != 0.0 ? 1 : 0;
    }
    return place - begin;
  }
  /// The same for all chunks, by amount(k, tally).
  template <typename Amount>
  void choose_chunks(const Amount& amount) {
    pool_.parallel_for(chunks(), [&](std::size_t chunk) {
      Tally& tally = tallies_[chunk];
      tally.value = 0.0;
      tally.chosen = choose(chunk * width_, end_of(chunk), [&](std::size_t k) { return amount(k, tally); });
    });
  }

  /// For small mini-batches, with as little overhead as possible.
  template <typename CoefficientOf>
  double present_serially(const double* v, const CoefficientOf& coefficient_of) {
    Tally tally;
    tally.stored = respond(0, size_, v);
    tally.chosen = choose(0, size_, [&](std::size_t k) { return coefficient_of(k, amounts_[k], tally.value); });
    tallies_[0] = tally;
    if (all_reduce_) return finish(true);
    many_ = tally.stored >= dimension_;
    counted_.charge(size_, tally.stored);
    return tally.value;
  }

  /// By rows: sums amount(k, tally) times row k, first in each chunk and then over the chunks. Before that it calls
  /// respond(begin, end) for a group of rows, which returns how many coordinates it presents: a loop for inner products,
  /// one for coefficients and one for sums are faster than one loop for all, because the processor mispredicts the
  /// coefficients.
  template <typename Respond, typename Amount, typename Meanwhile>
  void add_chunks(const Respond& respond, const Amount& amount, const Meanwhile& meanwhile) {
    pool_.parallel_for(
        chunks(),
        [&](std::size_t chunk) {
          double* sum = sums_.data() + chunk * stride_;
          std::fill_n(sum, dimension_, 0.0);
          Tally tally;
          for (std::size_t begin = chunk * width_; begin < end_of(chunk); begin += rows_of_group) {
            const std::size_t end = std::min(begin + rows_of_group, end_of(chunk));
            tally.stored += respond(begin, end);
            const std::size_t chosen = choose(begin, end, [&](std::size_t k) { return amount(k, tally); });
            for (std::size_t place = begin; place < begin + chosen; ++place) {
              svm::add(loops_, sum, matrix_.row(rows_[place]), amounts_[place]);
            }
          }
          tallies_[chunk] = tally;
        },
        meanwhile);
    add_up_chunks();
  }
  void add_up_chunks();

  /// By columns: computes each block's part of the inner products.
  template <typename Meanwhile>
  void respond_by_blocks(const double* v, const Meanwhile& meanwhile) {
    pool_.parallel_for(
        blocks_ * chunks(),
        [&](std::size_t task) {
          const std::size_t block = task / chunks();
          const std::size_t chunk = task % chunks();
          if (block == 0) tallies_[chunk].stored = 0;
          for (std::size_t k = chunk * width_; k < end_of(chunk); ++k) {
            prefetch(k);
            if (block == 0) tallies_[chunk].stored += matrix_.row(presented_[k]).size;
            parts_[block * largest_ + k] = dot(loops_, piece(presented_[k], block), v);
          }
        },
        meanwhile);
  }
  double response(std::size_t k) const noexcept {
    double sum = 0.0;
    for (std::size_t block = 0; block < blocks_; ++block) sum += parts_[block * largest_ + k];
    return sum;
  }

  /// Calls body(block) for each block of coordinates, always on the same thread.
  template <typename Body>
  void for_each_block(const Body& body) {
    if (blocks_ == 1) return body(0);
    pool_.run_on_each([&](unsigned part) {
      for (std::size_t block = blocks_ * part / pool_.size(); block < blocks_ * (part + 1) / pool_.size(); ++block) {
        body(block);
      }
    });
  }
  /// Calls body(piece, amount) for the chosen rows' coordinates in a block.
  template <typename Body>
  void for_each_chosen(std::size_t block, const Body& body) const {
    for (std::size_t chunk = 0; chunk < chunks(); ++chunk) {
      const std::size_t begin = chunk * width_;
      for (std::size_t place = begin; place < begin + tallies_[chunk].chosen; ++place) {
        body(piece(rows_[place], block), amounts_[place]);
      }
    }
  }
  RowView piece(std::size_t row, std::size_t block) const noexcept {
    const RowView x = matrix_.row(row);
    if (blocks_ == 1) return x;
    const std::uint32_t* splits = splits_.data() + row * (blocks_ - 1);
    const std::size_t begin = block == 0 ? 0 : splits[block - 1];
    return {x.values + begin, x.indices + begin, (block + 1 == blocks_ ? x.size : splits[block]) - begin};
  }

  void split();
  double finish(bool charged);
  double gather();
  void add_shared(double factor, double* v);
  void clear_sum() {
    if (gathered_) clear();
  }
  void clear();

  const FeatureMatrix& matrix_;
  CountedFeatures& counted_;
  const simd::Loops& loops_ = simd::loops();
  ThreadPool pool_;
  AllReduce all_reduce_;
  std::size_t dimension_;  // no row has stored coordinates beyond it, in any process
  std::size_t largest_;
  Schedule schedule_;
  std::size_t width_;       // rows of a chunk
  std::size_t blocks_ = 1;  // of coordinates

  const std::uint32_t* presented_ = nullptr;
  std::size_t size_ = 0;
  std::vector<Tally> tallies_;
  // The coefficients: listed by chunks, or applied in the sum `sum_`, or both.
  std::vector<std::uint32_t> rows_;
  std::vector<double> amounts_;
  AlignedVector<double> sum_;  // 0 unless gathered or summed; after the d coordinates, other values to reduce
  bool summed_ = false;        // the result is in `sum_`
  bool gathered_ = false;      // `sum_` is not 0
  bool many_ = false;          // at least as many coordinates have been presented as there are columns

  std::vector<double> norms_;          // squared norms of the blocks of the sum, each in a cache line of its own
  AlignedVector<double> sums_;         // by rows: the sum of each chunk
  std::size_t stride_;                 // from one to the next
  std::vector<std::size_t> limits_;    // where each block begins, and where the last one ends
  std::vector<std::uint32_t> splits_;  // where in row i blocks 1, 2, ... begin (n x (blocks - 1))
  std::vector<double> parts_;          // parts of inner products (blocks x largest)
};

}  // namespace svm
