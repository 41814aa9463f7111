// ASSET: each iterate and average as in a plain recursion, in batches and on streams, the same bits in one call or many.
#include "solvers/asset.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "check.hpp"
#include "data.hpp"

using svm::Asset;
using svm::AssetBatchSettings;
using svm::AssetSettings;
using svm::AssetStream;
using svm::FeatureMatrix;
using svm::Limit;
using svm::Random;

namespace {

using Vector = std::vector<double>;

/// Algorithm 1 with every iterate stored: (g, b) in one vector.
class Plain {
 public:
  Plain(const svm::test::Data& data, std::size_t positives, const AssetSettings& settings, double deviation)
      : data_(data), positives_(positives), settings_(settings), deviation_(deviation) {
    iterates_.push_back(Vector(data.columns + 1));
  }

  void step(std::size_t i) {
    const std::size_t d = data_.columns;
    const auto j = static_cast<double>(iterates_.size());
    const double bound = settings_.bound.value_or(0.0);
    const double eta = settings_.strongly_convex ? 1.0 / (settings_.lambda * j)
                                                 : settings_.step * std::sqrt(1.0 / settings_.lambda + bound * bound) /
                                                       std::sqrt(deviation_ * j);
    Vector x = iterates_.back();
    const double y = i < positives_ ? 1.0 : -1.0;
    double margin = x[d];
    for (std::size_t k = 0; k < d; ++k) margin += x[k] * value(i, k);
    const double change = y * margin < 1.0 ? eta * y : 0.0;
    double norm = 0.0;
    for (std::size_t k = 0; k < d; ++k) {
      x[k] = (1.0 - eta * settings_.lambda) * x[k] + change * value(i, k);
      norm += x[k] * x[k];
    }
    const double shorter = 1.0 / std::sqrt(settings_.lambda * norm);
    if (shorter < 1.0) {
      for (std::size_t k = 0; k < d; ++k) x[k] *= shorter;
    }
    if (settings_.bound) x[d] = std::clamp(x[d] + change, -bound, bound);
    iterates_.push_back(x);
    lengths_.push_back(eta);
  }
  const Vector& last() const { return iterates_.back(); }
  Vector average() const {
    Vector sum(data_.columns + 1);
    if (lengths_.empty()) return sum;
    double weight = 0.0;
    const std::size_t first = lengths_.size() - std::min(lengths_.size(), settings_.window);
    for (std::size_t j = first; j < lengths_.size(); ++j) {
      weight += lengths_[j];
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += lengths_[j] * iterates_[j + 1][k];
    }
    for (double& x : sum) x /= weight;
    return sum;
  }

 private:
  double value(std::size_t i, std::size_t k) const { return static_cast<double>(data_.dense[i * data_.columns + k]); }

  const svm::test::Data& data_;
  std::size_t positives_;
  AssetSettings settings_;
  double deviation_;
  std::vector<Vector> iterates_;
  Vector lengths_;
};

bool close(const Vector& a, const Vector& b) {
  double largest = 1e-300;
  for (const double x : b) largest = std::max(largest, std::abs(x));
  for (std::size_t k = 0; k < b.size(); ++k) {
    if (!svm::test::near(a[k], b[k], 1e-9 * largest)) return false;
  }
  return true;
}

template <typename Solver>
Vector average(const Solver& solver) {
  Vector out(solver.dimension() + 1);
  out.back() = solver.average(out.data());
  return out;
}

template <typename Solver>
Vector last(const Solver& solver) {
  Vector out(solver.dimension() + 1);
  solver.rule().last(out.data());
  out.back() = solver.rule().last_bias();
  return out;
}

/// Hands over the rows of the data block by block and advances to an iteration.
void go_on(AssetStream& stream, const svm::test::Data& data, std::size_t positives,
           const std::vector<std::size_t>& order, std::uint64_t iterations) {
  while (stream.counters().iterations < iterations) {
    if (stream.counters().iterations == stream.fed()) {
      std::vector<float> rows;
      std::vector<std::int8_t> labels;
      const std::size_t size = stream.expected();
      for (std::size_t k = 0; k < size; ++k) {
        const std::size_t i = order[stream.fed() + k];
        const auto row = data.dense.begin() + static_cast<std::ptrdiff_t>(i * data.columns);
        rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(data.columns));
        labels.push_back(i < positives ? std::int8_t{1} : std::int8_t{-1});
      }
      stream.feed(rows.data(), labels.data(), std::vector<std::uint32_t>(size, 3).data(), size);
    }
    Limit limit;
    limit.iterations = std::min<std::uint64_t>(iterations, stream.fed());
    stream.advance(limit, nullptr);
  }
}

void check(const svm::test::Data& data, std::size_t positives, const AssetSettings& settings, bool one_pass) {
  const FeatureMatrix matrix(data.view(false), positives);
  Asset whole(matrix, AssetBatchSettings{settings, one_pass}, 5);
  Asset cut(matrix, AssetBatchSettings{settings, one_pass}, 5);
  Plain plain(data, positives, settings, whole.rule().deviation());
  Random stream(5, svm::Purpose::sampling);
  svm::EpochOrder pass(data.rows, 5);
  std::vector<std::size_t> presented;
  double deviation = 0.0;
  for (std::size_t l = 0; l < std::min(settings.samples, data.rows); ++l) {
    deviation += matrix.squared_norm(one_pass ? pass.ahead(l) : stream.below(data.rows)) + 1.0;
  }
  CHECK(svm::test::near(deviation / static_cast<double>(settings.samples), whole.rule().deviation(), 1e-12));
  const std::uint64_t end = one_pass ? data.rows : 1100;
  Limit limit;
  for (std::uint64_t t = 0; t <= end; ++t) {
    limit.iterations = t;
    cut.advance(limit, [] { return false; });
    CHECK(close(last(cut), plain.last()));
    CHECK(close(average(cut), plain.average()));
    double norm = 0.0;
    const Vector g = last(cut);
    for (std::size_t k = 0; k < data.columns; ++k) norm += g[k] * g[k];
    CHECK(settings.lambda * norm <= 1.0 + 1e-12);
    if (t == end) break;
    presented.push_back(one_pass ? pass.now() : stream.below(data.rows));
    if (one_pass) pass.advance();
    plain.step(presented.back());
  }
  whole.advance(limit, nullptr);
  CHECK(average(whole) == average(cut) && last(whole) == last(cut));
  CHECK(whole.counters().inner_products == end && whole.counters().feature_accesses == end * data.columns);
  limit.iterations = end + 1;
  CHECK((whole.advance(limit, nullptr) == svm::Status::converged) == one_pass);
  if (!one_pass) return;

  AssetStream fed(data.rows, 7, data.columns, settings);
  CHECK(average(fed) == Vector(data.columns + 1));
  for (std::uint64_t t = 0; t <= end; t += 37) go_on(fed, data, positives, presented, t);
  go_on(fed, data, positives, presented, end);
  CHECK(average(fed) == average(cut) && last(fed) == last(cut));
  CHECK(fed.counters().inner_products == end * (data.columns + 1));
  CHECK(fed.counters().feature_accesses == 3 * end * data.columns);
  CHECK(fed.counters().feature_accesses_dense == 7 * end * data.columns);
  CHECK(fed.expected() == 0);
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  const svm::test::Data data(1000, 11, 4);
  for (const bool one_pass : {false, true}) {
    for (const double lambda : {1e-6, 1e-2, 3.0}) {
      for (const std::size_t window : {1, 2, 100, 300}) {
        AssetSettings settings;
        settings.lambda = lambda;
        settings.window = window;
        settings.samples = 30;
        check(data, 450, settings, one_pass);
        settings.bound = 0.5;
        settings.step = 0.3;
        check(data, 450, settings, one_pass);
        settings.bound.reset();
        settings.strongly_convex = true;
        check(data, 450, settings, one_pass);
      }
    }
  }
  return svm::test::finish();
}
