// Pegasos and SDCA on mini-batches (Takac, Bijral, Richtarik, Srebro 2013): in each iteration a random subset of b
// examples is presented, all against the same weights.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/settings.hpp"
#include "linear/batch.hpp"
#include "linear/iterate_average.hpp"
#include "random/random_subsets.hpp"
#include "solvers/linear_solver.hpp"

namespace svm {

/// The examples of one process, if several share them: those with numbers rank, rank + ranks, ... All processes draw
/// the same subsets.
struct Shard {
  std::size_t rank = 0;
  std::size_t ranks = 1;
  std::size_t size = 0;       ///< examples of all processes
  double largest_norm = 0.0;  ///< of all examples

  auto fields() {
    return std::tuple(required("rank", rank), required("ranks", ranks), required("size", size),
                      required("largest_norm", largest_norm));
  }
};

struct MiniBatchSettings {
  double lambda = 1.0;
  std::size_t batch_size = 1;
  Averaging average = Averaging::last;
  unsigned threads = 1;

  auto fields() {
    return std::tuple(required("lambda", lambda), required("batch_size", batch_size), field("average", average),
                      field("threads", threads));
  }
};

class MiniBatchSolver : public FeatureSolver {
 public:
  MiniBatchSolver(const FeatureMatrix& matrix, const MiniBatchSettings& settings, std::uint64_t seed,
                  const Shard& shard = {}, AllReduce all_reduce = {});

  /// Threads in use, the calling one included: fewer than requested if the system did not start all.
  unsigned threads() const noexcept { return batch_.threads(); }
  void weights(double* out) const override { average_.copy(scale(), sum_.data(), dimension(), out); }
  /// Dual variables and times belong to this process; everything else is the same in all processes.
  void archive(StateArchive& state) override;

 protected:
  /// The factor of the sum of rows in the last iterate.
  virtual double scale() const noexcept = 0;
  double cpu_of_others() const noexcept override { return batch_.cpu_of_others(); }

  /// Draws a subset and presents it: the coefficient of y x of its k-th example is coefficient_of(k, y <sum_, x>,
  /// tally), called on any thread. Returns the sum of what is added to the tallies.
  template <typename CoefficientOf>
  double present(const CoefficientOf& coefficient_of) {
    draw();
    if (shard_.ranks == 1) prefetch(std::min(settings_.batch_size, CountedFeatures::rows_ahead));
    return batch_.present(
        subset_, subset_size_, sum_.data(),
        [&](std::size_t k, double dot, double& tally) {
          const double y = label(k);
          return y * coefficient_of(k, y * dot, tally);
        },
        [&] { subsets_.prepare(); });
  }
  /// One iteration: presents a subset and adds the weighted sum of its rows.
  template <typename CoefficientOf>
  void iterate(const CoefficientOf& coefficient_of) {
    if (!single_) {
      present(coefficient_of);
      return end_iteration(true);
    }
    draw();
    prefetch(1);
    const RowView x = features_.row(*subset_);
    features_.charge_inner_product();
    const double y = label(0);
    double none = 0.0;
    const double change = coefficient_of(0, y * dot(loops_, x, sum_.data()), none);
    if (change != 0.0) svm::add(loops_, sum_.data(), x, y * change);
    count();
  }
  /// Replaces the coefficients by coefficient_of(k, tally).
  template <typename CoefficientOf>
  double present_again(const CoefficientOf& coefficient_of) {
    return batch_.replace_coefficients(
        [&](std::size_t k, double& tally) { return label(k) * coefficient_of(k, tally); });
  }
  double label(std::size_t k) const noexcept { return features_.label(subset_[k]); }
  /// Ends an iteration; `taken`: adds the weighted sum of the rows.
  void end_iteration(bool taken) {
    if (taken) batch_.add(1.0, sum_.data());
    count();
    if (settings_.average != Averaging::last) average(taken);
  }

  MiniBatchSettings settings_;
  Shard shard_;
  Batch batch_;
  AlignedVector<double> sum_;
  const std::uint32_t* subset_ = nullptr;  // this process's examples of the present subset
  std::size_t subset_size_ = 0;

 private:
  void draw() noexcept {
    subset_ = subsets_.next();
    subset_size_ = settings_.batch_size;
    if (shard_.ranks > 1) keep_local();
  }
  void keep_local() noexcept;
  /// Prefetches examples of the next subsets: small ones are over before memory has answered.
  void prefetch(std::size_t examples) const noexcept {
    for (std::size_t k = 0; k < examples; ++k) {
      features_.prefetch_offset(subsets_.ahead(CountedFeatures::offsets_ahead + k));
      features_.prefetch_row(subsets_.ahead(CountedFeatures::rows_ahead + k));
    }
  }
  void count() noexcept {
    Counters& counters = features_.counters();
    ++counters.iterations;
    counters.presentations += settings_.batch_size;
  }
  void average(bool taken);

  const simd::Loops& loops_ = simd::loops();
  bool single_;  // one example per iteration, no averaging, one process: the fast path
  RandomSubsets subsets_;
  IterateAverage average_;
  std::vector<std::uint32_t> local_;  // with several processes: this one's examples of the present subset
};

/// Algorithm 1: Pegasos on mini-batches. With steps 1 / (lambda t) the recursion is lambda b t w_t = lambda b (t - 1)
/// w_{t-1} + the sum of y x over those of the subset with y <w_{t-1}, x> < 1.
class MiniBatchPegasos final : public DirectLoop<MiniBatchPegasos, MiniBatchSolver> {
 public:
  using DirectLoop::DirectLoop;

  bool step() override;

 protected:
  double scale() const noexcept override;
};

enum class SdcaVariant {
  naive,       ///< each coordinate by its own optimum
  safe,        ///< steps divided by beta_b, a bound on the average correlation in a subset
  aggressive,  ///< Algorithm 2: divided by an estimate of that correlation
};

struct MiniBatchSdcaSettings : MiniBatchSettings {
  SdcaVariant variant = SdcaVariant::aggressive;
  double beta = 1.0;    ///< beta_b, of rows divided by the largest norm where that is above 1
  double gamma = 0.95;  ///< weight of the past in the aggressive variant's beta

  auto fields() {
    return std::tuple_cat(MiniBatchSettings::fields(),
                          std::tuple(required("variant", variant), field("beta", beta), field("gamma", gamma)));
  }
};

/// Stochastic dual coordinate ascent on mini-batches, equation (15): w = 1 / (lambda n) times the sum of alpha_i y_i
/// x_i.
class MiniBatchSdca final : public DirectLoop<MiniBatchSdca, MiniBatchSolver> {
 public:
  MiniBatchSdca(const FeatureMatrix& matrix, const MiniBatchSdcaSettings& settings, std::uint64_t seed,
                const Shard& shard = {}, AllReduce all_reduce = {});

  /// The dual objective if one process holds all examples, otherwise NaN.
  double lower_bound() const override;
  /// The dual objective, given the sum of all dual variables.
  double lower_bound(double sum_of_alpha) const;
  /// Dual variables of this process's examples, in [0, 1].
  const std::vector<double>& alpha() const noexcept { return alpha_; }
  /// The divisor of the next steps; not used by `naive`.
  double beta() const noexcept { return beta_; }
  /// Steps of the aggressive variant that were undone because they did not raise the dual objective.
  std::uint64_t refused() const noexcept { return refused_; }
  void archive(StateArchive& state) override;
  bool step() override;

 protected:
  double scale() const noexcept override { return 1.0 / lambda_n_; }

 private:
  double aim(std::size_t k, double response, double beta) const noexcept;
  bool aggressive_step();
  double change_to(std::size_t k, double aim) noexcept {
    double& alpha = alpha_[subset_[k]];
    const double change = aim - alpha;
    alpha = aim;
    return change;
  }

  MiniBatchSdcaSettings sdca_;
  double lambda_n_;
  double
      largest_square_;  // the largest squared norm, or 1: equivalent to dividing the rows by its root and lambda by it
  double beta_;
  std::uint64_t refused_ = 0;
  std::vector<double> alpha_;
  std::vector<double> responses_;  // aggressive: of the present subset
  std::vector<double> before_;     // its dual variables before the step
};

}  // namespace svm
