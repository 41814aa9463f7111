// What the methods on mini-batches have in common (Takac, Bijral, Richtarik, Srebro 2013): in each iteration a random subset of
// b examples, all of them against the same weights.
#pragma once

#include <algorithm>
#include <vector>

#include "batch.hpp"
#include "iterate_average.hpp"
#include "linear_solver.hpp"
#include "random_subsets.hpp"

namespace svm {

struct MiniBatchSettings {
  double lambda = 1.0;
  std::size_t batch_size = 1;
  Averaging average = Averaging::last;
  unsigned threads = 1;
};

class MiniBatchSolver : public LinearSolver {
 public:
  MiniBatchSolver(const FeatureMatrix& matrix, const MiniBatchSettings& settings, std::uint64_t seed);

  void weights(double* out) const override { average_.copy(scale(), sum_.data(), dimension(), out); }

 protected:
  /// The last iterate over the sum of rows.
  virtual double scale() const noexcept = 0;
  double cpu_of_others() const noexcept override { return batch_.cpu_of_others(); }

  /// Draws a subset, and calls take(k, y <sum_, x>) for its k-th example, on any thread.
  template <typename Take>
  void present(const Take& take) {
    subset_ = subsets_.next();
    for (std::size_t k = 0; k < std::min(settings_.batch_size, soon); ++k) {
      features_.expect_place(subsets_.ahead(later + k));
      features_.expect_row(subsets_.ahead(soon + k));
    }
    batch_.respond({subset_, nullptr, settings_.batch_size}, sum_.data(),
                   [&](std::size_t k, double dot) { take(k, label(k) * dot); });
  }
  double label(std::size_t k) const noexcept { return features_.label(subset_[k]); }
  /// What is to be added to `sum_`: y x of the k-th example changes[k] times, where that is not 0.
  void choose(const std::vector<double>& changes) noexcept {
    chosen_ = 0;
    for (std::size_t k = 0; k < changes.size(); ++k) {
      if (changes[k] == 0.0) continue;
      rows_[chosen_] = subset_[k];
      amounts_[chosen_++] = label(k) * changes[k];
    }
  }
  void choose_none() noexcept { chosen_ = 0; }
  Selection chosen() const noexcept { return {rows_.data(), amounts_.data(), chosen_}; }
  /// Ends an iteration in which what was chosen has been added.
  void end_iteration() {
    Counters& counters = features_.counters();
    ++counters.iterations;
    counters.presentations += settings_.batch_size;
    if (settings_.average != Averaging::last) average();
  }

  MiniBatchSettings settings_;
  Batch batch_;
  AlignedVector<double> sum_;
  const std::uint32_t* subset_ = nullptr;
  std::vector<double> changes_;  // for each of the present subset

 private:
  // Memory answers after several short rows are done: where subsets are small, the next ones are fetched meanwhile.
  static constexpr std::size_t soon = 4;
  static constexpr std::size_t later = 8;

  void average();

  RandomSubsets subsets_;
  IterateAverage average_;
  std::vector<std::uint32_t> rows_;
  std::vector<double> amounts_;
  std::size_t chosen_ = 0;
  std::vector<double> scaled_;
};

/// Algorithm 1: Pegasos on mini-batches. With steps 1 / (lambda t) the recursion is lambda b t w_t = lambda b (t - 1) w_{t-1} +
/// the sum of y x over those of the subset with y <w_{t-1}, x> < 1.
class MiniBatchPegasos final : public MiniBatchSolver {
 public:
  using MiniBatchSolver::MiniBatchSolver;

 protected:
  double scale() const noexcept override;
  bool step() override;
  bool steps(const Limit& limit, std::uint64_t count) override;

 private:
  friend class Solver;  // repeat() calls step()
};

enum class SdcaVariant {
  naive,       ///< each coordinate by its own optimum
  safe,        ///< steps divided by beta_b, which no subset's correlations exceed on average
  aggressive,  ///< Algorithm 2: by what they are found to be on the way
};

struct MiniBatchSdcaSettings {
  SdcaVariant variant = SdcaVariant::aggressive;
  double beta = 1.0;    ///< beta_b, of rows divided by the largest norm where that is above 1
  double gamma = 0.95;  ///< weight of the past in the aggressive variant's beta
};

/// Stochastic dual coordinate ascent on mini-batches, equation (15): w = 1 / (lambda n) times the sum of alpha_i y_i x_i.
class MiniBatchSdca final : public MiniBatchSolver {
 public:
  MiniBatchSdca(const FeatureMatrix& matrix, const MiniBatchSettings& settings, const MiniBatchSdcaSettings& own,
                std::uint64_t seed);

  /// The dual objective.
  double lower_bound() const override;
  /// Dual variables, in [0, 1] (n).
  const std::vector<double>& alpha() const noexcept { return alpha_; }
  /// What the next steps are divided by; with `naive`, nothing.
  double beta() const noexcept { return beta_; }
  /// Steps that the aggressive variant refused: they would not have raised the dual objective.
  std::uint64_t refused() const noexcept { return refused_; }

 protected:
  double scale() const noexcept override { return 1.0 / lambda_n_; }
  bool step() override;
  bool steps(const Limit& limit, std::uint64_t count) override;

 private:
  friend class Solver;

  double change(std::size_t k, double response, double beta) const noexcept;
  bool aggressive_step();
  double make_change();
  void unmake_change();

  MiniBatchSdcaSettings own_;
  double lambda_n_;
  double unit_;  // the largest squared norm, or 1: all is as for rows divided by its root and lambda divided by it
  double beta_;
  std::uint64_t refused_ = 0;
  std::vector<double> alpha_;
  std::vector<double> responses_;
  AlignedVector<double> change_;  // of sum_; zeros between iterations
  bool dense_ = false;            // the present subset stores more coordinates than there are
  std::vector<double> products_;
};

}  // namespace svm
