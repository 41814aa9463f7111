// What the methods on mini-batches have in common (Takac, Bijral, Richtarik, Srebro 2013): in each iteration a random subset of
// b examples, all of them against the same weights.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "linear/batch.hpp"
#include "linear/iterate_average.hpp"
#include "solvers/linear_solver.hpp"
#include "random/random_subsets.hpp"

namespace svm {

/// Which of the examples a process holds, where several share them: of all in their order, those from `rank` on in steps of
/// `ranks`. They all draw the same subsets.
struct Shard {
  std::size_t rank = 0;
  std::size_t ranks = 1;
  std::size_t size = 0;       ///< examples of all processes
  double largest_norm = 0.0;  ///< of all examples
};

struct MiniBatchSettings {
  double lambda = 1.0;
  std::size_t batch_size = 1;
  Averaging average = Averaging::last;
  unsigned threads = 1;
};

class MiniBatchSolver : public LinearSolver {
 public:
  MiniBatchSolver(const FeatureMatrix& matrix, const MiniBatchSettings& settings, std::uint64_t seed,
                  const Shard& shard = {}, Exchange exchange = {});

  /// The calling thread and those that help it: fewer than asked for where the system refuses one.
  unsigned threads() const noexcept { return batch_.threads(); }
  void weights(double* out) const override { average_.copy(scale(), sum_.data(), dimension(), out); }
  /// Dual variables and times are those of the own examples and process; all else is the same in each.
  void archive(StateArchive& state) override;

 protected:
  /// The last iterate over the sum of rows.
  virtual double scale() const noexcept = 0;
  double cpu_of_others() const noexcept override { return batch_.cpu_of_others(); }

  /// Draws a subset, and takes take(k, y <sum_, x>, tally) times y x of its k-th example, on any thread; returns the sum of
  /// what is added to the tallies.
  template <typename Take>
  double present(const Take& take) {
    draw();
    if (shard_.ranks == 1) expect(std::min(settings_.batch_size, soon));
    return batch_.present(
        subset_, subset_size_, sum_.data(),
        [&](std::size_t k, double dot, double& tally) {
          const double y = label(k);
          return y * take(k, y * dot, tally);
        },
        [&] { subsets_.prepare(); });
  }
  /// One iteration in which what is presented is taken.
  template <typename Take>
  void iterate(const Take& take) {
    if (!single_) {
      present(take);
      return end_iteration(true);
    }
    draw();
    expect(1);
    const RowView x = features_.row(*subset_);
    features_.charge_inner_product();
    const double y = label(0);
    double none = 0.0;
    const double change = take(0, y * dot(loops_, x, sum_.data()), none);
    if (change != 0.0) svm::add(loops_, sum_.data(), x, y * change);
    count();
  }
  /// Takes take(k, tally) times y x instead.
  template <typename Take>
  double present_again(const Take& take) {
    return batch_.again([&](std::size_t k, double& tally) { return label(k) * take(k, tally); });
  }
  double label(std::size_t k) const noexcept { return features_.label(subset_[k]); }
  /// Ends an iteration with what has been taken, or without.
  void end_iteration(bool taken) {
    if (taken) batch_.add(1.0, sum_.data());
    count();
    if (settings_.average != Averaging::last) average(taken);
  }

  MiniBatchSettings settings_;
  Shard shard_;
  Batch batch_;
  AlignedVector<double> sum_;
  const std::uint32_t* subset_ = nullptr;  // the own examples of the present one
  std::size_t subset_size_ = 0;

 private:
  // Memory answers after several short rows are done: where subsets are small, the next ones are fetched meanwhile.
  static constexpr std::size_t soon = 4;
  static constexpr std::size_t later = 8;

  void draw() noexcept {
    subset_ = subsets_.next();
    subset_size_ = settings_.batch_size;
    if (shard_.ranks > 1) keep_own();
  }
  void keep_own() noexcept;
  void expect(std::size_t examples) const noexcept {
    for (std::size_t k = 0; k < examples; ++k) {
      features_.prefetch_offset(subsets_.ahead(later + k));
      features_.prefetch_row(subsets_.ahead(soon + k));
    }
  }
  void count() noexcept {
    Counters& counters = features_.counters();
    ++counters.iterations;
    counters.presentations += settings_.batch_size;
  }
  void average(bool taken);

  const simd::Loops& loops_ = simd::loops();
  bool single_;  // one example, and nothing that needs its change but the weights
  RandomSubsets subsets_;
  IterateAverage average_;
  std::vector<std::uint32_t> own_;
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
                std::uint64_t seed, const Shard& shard = {}, Exchange exchange = {});

  /// The dual objective, where one process holds all examples.
  double lower_bound() const override;
  /// The dual objective, given the sum of all dual variables.
  double lower_bound(double sum_of_alpha) const;
  /// Dual variables of the own examples, in [0, 1].
  const std::vector<double>& alpha() const noexcept { return alpha_; }
  /// What the next steps are divided by; with `naive`, nothing.
  double beta() const noexcept { return beta_; }
  /// Steps that the aggressive variant refused: they would not have raised the dual objective.
  std::uint64_t refused() const noexcept { return refused_; }
  void archive(StateArchive& state) override;

 protected:
  double scale() const noexcept override { return 1.0 / lambda_n_; }
  bool step() override;
  bool steps(const Limit& limit, std::uint64_t count) override;

 private:
  friend class Solver;

  double aim(std::size_t k, double response, double beta) const noexcept;
  bool aggressive_step();
  double change_to(std::size_t k, double aim) noexcept {
    double& alpha = alpha_[subset_[k]];
    const double change = aim - alpha;
    alpha = aim;
    return change;
  }

  MiniBatchSdcaSettings own_;
  double lambda_n_;
  double unit_;  // the largest squared norm, or 1: all is as for rows divided by its root and lambda divided by it
  double beta_;
  std::uint64_t refused_ = 0;
  std::vector<double> alpha_;
  std::vector<double> responses_;  // aggressive: of the present subset
  std::vector<double> before_;     // its dual variables before the step
};

}  // namespace svm
