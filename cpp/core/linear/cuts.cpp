#include "linear/cuts.hpp"

#include <algorithm>

#include "base/dot.hpp"
#include "base/swap_remove.hpp"

namespace svm {

Cuts::Cuts(const FeatureMatrix& matrix, CountedFeatures& features, double lambda)
    : matrix_(matrix),
      features_(features),
      lambda_(lambda),
      C_(1.0 / (lambda * static_cast<double>(matrix.size()))),
      by_features_(matrix.dimension() <= matrix.size()),
      sum_(matrix.dimension()),
      combination_(by_features_ ? matrix.dimension() : 0),
      points_(1, AlignedVector<double>(by_features_ ? matrix.dimension() : matrix.size())),
      examples_(1) {}

void Cuts::add(const double* margins) {
  const std::size_t n = features_.size();
  std::vector<std::uint32_t> examples(n);
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    examples[count] = static_cast<std::uint32_t>(i);
    count += static_cast<std::size_t>(margins[i] < 1.0);
  }
  examples.resize(count);
  // Adding only the difference to the previous cut would save a third of the additions, but finding it costs as much.
  if (!summed_) clear_sum();
  for (const std::uint32_t i : examples) {
    const RowView x = features_.row(i);
    if (!summed_) add_row(x, i);
  }
  summed_ = false;
  AlignedVector<double> point(by_features_ ? features_.dimension() : n);
  if (by_features_) {
    for (std::size_t j = 0; j < point.size(); ++j) point[j] = C_ * sum_[j];
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      features_.charge_inner_product();
      point[i] = C_ * features_.label(i) * dot(loops_, features_.row(i), sum_.data());
    }
    examples_.push_back(examples);
  }
  points_.push_back(std::move(point));
  const AlignedVector<double>& last = points_.back();
  beta_ = static_cast<double>(examples.size()) / static_cast<double>(n);
  products_.clear();
  for (std::size_t j = 0; j < size(); ++j) {
    if (by_features_) {
      products_.push_back(lambda_ * dot(points_[j].data(), last.data(), last.size()));
    } else {  // lambda C = 1 / n
      double total = 0.0;
      for (const std::uint32_t i : examples_[j]) total += last[i];
      products_.push_back(total / static_cast<double>(n));
    }
  }
}

void Cuts::remove(std::size_t j) {
  swap_remove(points_, j);
  if (!by_features_) swap_remove(examples_, j);
}

void Cuts::margins(const std::vector<double>& a, double* out, bool next) {
  if (!by_features_) {
    combine(a, out);
    return;
  }
  combine(a, combination_.data());
  if (next) clear_sum();
  for (std::size_t i = 0; i < features_.size(); ++i) {
    features_.charge_inner_product();
    const RowView x = features_.row(i);
    out[i] = features_.label(i) * dot(loops_, x, combination_.data());
    if (next && out[i] < 1.0) add_row(x, i);
  }
  summed_ = next;
}

void Cuts::weights(const std::vector<double>& a, double* out) const {
  if (by_features_) {
    combine(a, out);
    return;
  }
  std::vector<double> alpha(features_.size());
  for (std::size_t j = 0; j < size(); ++j) {
    if (a[j] == 0.0) continue;
    for (const std::uint32_t i : examples_[j]) alpha[i] += C_ * a[j];
  }
  std::fill_n(out, features_.dimension(), 0.0);
  for (std::size_t i = 0; i < features_.size(); ++i) {
    if (alpha[i] != 0.0) svm::add(loops_, out, matrix_.row(i), features_.label(i) * alpha[i]);
  }
}

void Cuts::archive(StateArchive& state) {
  const std::size_t n = features_.size();
  const std::size_t length = by_features_ ? features_.dimension() : n;
  state.lists("points", points_);
  state.lists("examples", examples_);
  if (!state.reads()) return;
  summed_ = false;
  bool sound = !points_.empty() && examples_.size() == (by_features_ ? 1 : points_.size());
  for (const AlignedVector<double>& point : points_) sound = sound && point.size() == length;
  state.check(sound, "points", " are not those of cuts of this problem");
  for (const std::vector<std::uint32_t>& cut : examples_) {
    for (const std::uint32_t i : cut) state.check(i < n, "examples", " name one that the problem has not");
  }
}

void Cuts::clear_sum() { std::fill(sum_.begin(), sum_.end(), 0.0); }

void Cuts::combine(const std::vector<double>& a, double* out) const {
  const std::size_t length = points_.front().size();
  std::fill(out, out + length, 0.0);
  constexpr std::size_t strip = 2048;
  for (std::size_t begin = 0; begin < length; begin += strip) {
    const std::size_t end = std::min(length, begin + strip);
    for (std::size_t j = 1; j < size(); ++j) {
      if (a[j] == 0.0) continue;
      const double* point = points_[j].data();
      for (std::size_t k = begin; k < end; ++k) out[k] += a[j] * point[k];
    }
  }
}

}  // namespace svm
