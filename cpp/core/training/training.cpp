#include "training/training.hpp"

#include <numeric>
#include <string>

#include "levels/water_level.hpp"
#include "simd/loops.hpp"

namespace svm {
namespace {

/// The numbers of the examples, those with label +1 first.
std::vector<std::size_t> ordered_by_class(const std::vector<int>& labels, std::size_t rows) {
  require(labels.size() == rows, "there are " + std::to_string(labels.size()) + " labels for " + std::to_string(rows) +
                                     " points: each point has one label");
  for (std::size_t i = 0; i < rows; ++i) {
    if (labels[i] == 1 || labels[i] == -1) continue;
    throw InvalidArgument("label " + std::to_string(i) + " is " + std::to_string(labels[i]) + ": labels are +1 or -1");
  }
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) { return labels[i] > 0; });
  return order;
}

}  // namespace

Examples::Examples(const DataMatrix& points, const std::vector<int>& labels)
    : order_(ordered_by_class(labels, points.view().rows)),
      positives_(static_cast<std::size_t>(std::count(labels.begin(), labels.end(), 1))),
      points_(points.view(), order_) {
  require_both_classes(positives_, size());
}

Model::Model(const Examples& examples, const KernelFunction& kernel, const KernelSolver& solver)
    : kernel_(kernel), coefficients_(examples.size()) {
  require(solver.size() == examples.size(), "the solver has another number of examples");
  std::vector<double> by_class(examples.size());
  std::optional<SlackVolume> slack;
  {
    const BusyGuard guard = solver.claim();
    solver.coefficients(by_class.data());
    bias_ = solver.bias();
    slack = solver.slack_volume();
  }
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < by_class.size(); ++k) {
    coefficients_[examples.order()[k]] = by_class[k];
    if (by_class[k] == 0.0) continue;
    rows.push_back(k);
    weights_.push_back(by_class[k]);
  }
  support_ = std::make_shared<const Support>(examples.points(), rows);
  if (slack) complete(examples, *slack);
}

void Model::complete(const Examples& examples, const SlackVolume& slack) {
  std::vector<double> responses = values(examples.points());
  for (std::size_t k = examples.positives(); k < responses.size(); ++k) responses[k] = -responses[k];
  const Levels levels =
      water_levels(responses.data(), responses.size(), examples.positives(), slack.volume, slack.bias);
  const double scale = levels.level() > 0.0 ? 1.0 / levels.level() : 1.0;
  bias_ = scale * levels.bias();
  for (double& coefficient : coefficients_) coefficient *= scale;
  for (double& weight : weights_) weight *= scale;
}

double Model::decision(const std::vector<float>& point) const {
  const std::size_t d = point.size();
  if (!support_->matrix.view().sparse()) return values(DataMatrix(1, d, point).view()).front();
  std::vector<std::int32_t> all(d);
  std::iota(all.begin(), all.end(), 0);
  return values(DataMatrix({0, static_cast<std::int64_t>(d)}, all, point, d).view()).front();
}

std::vector<int> Model::predict(const DataMatrix& points) const {
  const std::vector<double> f = decisions(points);
  std::vector<int> labels(f.size());
  std::transform(f.begin(), f.end(), labels.begin(), [](double value) { return value > 0.0 ? 1 : -1; });
  return labels;
}

std::vector<double> Model::values(const MatrixView& points) const {
  const MatrixView own = support_->matrix.view();
  require(points.columns == own.columns, "the model is for points with " + std::to_string(own.columns) +
                                             " coordinates, and these have " + std::to_string(points.columns));
  require(points.sparse() == own.sparse(), std::string("the model's points are ") + (own.sparse() ? "CSR" : "dense") +
                                               ", and points to predict have to be stored in the same way");
  const Points queries(points);
  require_range(kernel_, queries.largest_square());
  const ScratchUser scratch;
  const std::size_t size = weights_.size();
  // Several sparse points share a pass over the support vectors; several dense ones would need a BLAS.
  const std::size_t block = points.sparse() ? simd::group : 1;
  std::vector<float> kernels(block * size);
  std::vector<double> f(points.rows, bias_);
  for (std::size_t first = 0; first < points.rows && size > 0; first += block) {
    const std::size_t count = std::min(block, points.rows - first);
    kernel_tile(kernel_, queries, first, count, support_->points, 0, size, kernels.data(), size);
    for (std::size_t k = 0; k < count; ++k) {
      f[first + k] += std::inner_product(weights_.begin(), weights_.end(),
                                         kernels.begin() + static_cast<std::ptrdiff_t>(k * size), 0.0);
    }
  }
  return f;
}

}  // namespace svm
