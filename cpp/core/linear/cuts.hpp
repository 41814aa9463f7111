// Cutting planes of the mean hinge loss, stored by features or by margins, whichever is shorter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "data/row_operations.hpp"

namespace svm {

/// A cut is a set of examples: (1/n) sum over it of (1 - y_i <w, x_i>) <= mean hinge loss at w, with equality if the
/// set is the examples with margins below 1. It is beta - lambda <p, w>, with beta the set's share of all examples and
/// p the sum over the set of C y_i x_i, C = 1 / (lambda n). Weights are combinations w = sum_j a_j p_j.
///
/// Each p_j is stored as its d coordinates or, if there are fewer examples than features, as its n margins y_i <p_j,
/// x_i>: both are linear in p_j and give inner products, and the shorter one is several times faster. The charge is the
/// same: adding a cut and computing the margins of a combination read the rows of the cut and then all rows. Cut 0 is
/// the cut of no examples.
class Cuts {
 public:
  Cuts(const FeatureMatrix& matrix, CountedFeatures& features, double lambda);

  std::size_t size() const noexcept { return points_.size(); }
  /// Adds the cut of the examples with margins below 1, given n margins.
  void add(const double* margins);
  /// Removes cut j; the last one takes its number.
  void remove(std::size_t j);
  /// The beta of the cut added last.
  double beta() const noexcept { return beta_; }
  /// lambda <p_j, p> for each cut j, where p is the cut added last (which is among them).
  const std::vector<double>& products() const noexcept { return products_; }
  /// y_i <w, x_i> of w = sum_j a_j p_j, n values. `next`: these are the margins of the next call of `add`. Rows of its
  /// cut are then added while they are in the cache; they are charged by `add`.
  void margins(const std::vector<double>& a, double* out, bool next = false);
  /// w = sum_j a_j p_j, d values. Not charged.
  void weights(const std::vector<double>& a, double* out) const;
  /// Stores the cuts, not beta and products of the one added last: the next one replaces them.
  void archive(StateArchive& state);

 private:
  void clear_sum();
  void add_row(const RowView& x, std::size_t i) noexcept { svm::add(loops_, sum_.data(), x, features_.label(i)); }
  void combine(const std::vector<double>& a, double* out) const;

  const FeatureMatrix& matrix_;
  CountedFeatures& features_;
  double lambda_;
  double C_;
  bool by_features_;
  const simd::Loops& loops_ = simd::loops();
  AlignedVector<double> sum_;                         // sum of y_i x_i over the cut added last, or the next one
  bool summed_ = false;                               // the latter
  AlignedVector<double> combination_;                 // by features
  std::vector<AlignedVector<double>> points_;         // p_j by features or by margins
  std::vector<std::vector<std::uint32_t>> examples_;  // by margins
  double beta_ = 0.0;
  std::vector<double> products_{0.0};
};

}  // namespace svm
