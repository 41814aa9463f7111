// Cutting planes of the mean hinge loss, kept in the smaller of two spaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "data/features.hpp"
#include "linear/weight_vector.hpp"

namespace svm {

/// A cut is a set of examples: (1/n) sum over it of (1 - y_i <w, x_i>) <= mean hinge loss at w, with equality where it
/// is the examples of margins below 1. It is beta - lambda <p, w>, with beta the set's share of all examples and p the
/// sum over it of C y_i x_i, C = 1 / (lambda n). Weights are combinations w = sum_j a_j p_j.
///
/// Each p_j is kept as its d coordinates or, where there are fewer examples than features, as its n margins
/// y_i <p_j, x_i>: both are linear in p_j, both give inner products, and the shorter one is several times faster.
/// Whichever it is, adding a cut and taking the margins of a combination together read the rows of the cut and then all
/// rows. Cut 0 is that of no examples.
class Cuts {
 public:
  Cuts(const FeatureMatrix& matrix, CountedFeatures& features, double lambda);

  std::size_t size() const noexcept { return points_.size(); }
  /// Adds the cut of these examples, rising.
  void add(const std::vector<std::uint32_t>& examples);
  /// Takes away cut j; the last one gets its number.
  void remove(std::size_t j);
  /// Of the cut added last.
  double beta() const noexcept { return beta_; }
  /// lambda <p_j, p> of the cut added last with each, itself among them.
  const std::vector<double>& products() const noexcept { return products_; }
  /// y_i <w, x_i> of w = sum_j a_j p_j, n values.
  void margins(const std::vector<double>& a, double* out);
  /// w = sum_j a_j p_j, d values. Not charged.
  void weights(const std::vector<double>& a, double* out) const;
  /// All cuts; not what is known of the one added last, which the next one replaces.
  void archive(StateArchive& state);

 private:
  void take_margins(const WeightVector& w, double scale, double* out);
  void combine(const std::vector<double>& a, double* out) const;

  const FeatureMatrix& matrix_;
  CountedFeatures& features_;
  double lambda_;
  double C_;
  bool by_features_;
  WeightVector sum_;                                  // sum of y_i x_i over the cut added last
  WeightVector combination_;                          // by features
  std::vector<AlignedVector<double>> points_;         // p_j in the space chosen
  std::vector<std::vector<std::uint32_t>> examples_;  // by margins
  double beta_ = 0.0;
  std::vector<double> products_{0.0};
};

}  // namespace svm
