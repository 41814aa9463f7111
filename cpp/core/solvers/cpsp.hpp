// CPSP: cutting planes whose weights lie in the span of a few kernel functions at arbitrary points.
#pragma once

#include <cstdint>
#include <vector>

#include "base/settings.hpp"
#include "kernel/kernel_basis.hpp"
#include "qp/master_problem.hpp"
#include "random/random.hpp"
#include "solvers/solver.hpp"

namespace svm {

struct CpspSettings {
  double gamma = 1.0;  ///< of the kernel exp(-gamma |x - z|^2)
  double lambda = 1.0;
  double eps = 0.001;          ///< ends when J - L <= eps, J the objective and L the largest master value on the span
  std::size_t capacity = 512;  ///< basis functions at most
  std::size_t starts = 1;      ///< examples of a cut of which the best starts the search for a preimage

  auto fields() {
    return std::tuple(required("gamma", gamma), required("lambda", lambda), required("eps", eps),
                      required("capacity", capacity), field("starts", starts));
  }
};

/// Joachims, Yu: Sparse kernel SVMs via cutting-plane training, Machine Learning 76, 2009, for lambda/2 |w|^2 + mean
/// hinge loss without bias under a Gaussian kernel. A cut consists of the examples with margins below 1 at the weights,
/// as in `SvmPerf`. Before it is added, the basis gets one more point, the preimage of the part of the cut outside the
/// span, and all cuts get one more coordinate.
class Cpsp final : public Solver {
 public:
  using Source = const FeatureMatrix;

  Cpsp(const FeatureMatrix& points, const CpspSettings& settings, std::uint64_t seed);

  const Counters& counters() const noexcept override { return basis_.counters(); }
  const KernelBasis& basis() const noexcept { return basis_; }
  /// The weights' coordinates in the span of the basis, size() values.
  std::vector<double> weights() const;
  /// A lower bound on the optimum over the span of the present basis.
  double lower_bound() const noexcept { return master_.lower_bound(); }
  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  void extend();
  void add_cut();
  void update_margins();
  void collect();
  void add_if_violated(std::size_t i);

  CpspSettings settings_;
  double C_;
  KernelBasis basis_;
  Random random_;
  // Of each cut: p, C times the sum of y_i phi(x_i) over its examples, in coordinates; and these examples.
  std::vector<std::vector<double>> points_;
  std::vector<std::vector<std::uint32_t>> examples_;
  MasterProblem master_;
  std::vector<double> margins_;
  std::vector<std::uint32_t> violated_;  // the examples of the next cut, those with margins below 1
  std::vector<double> sum_;              // the sum of y_i phi(x_i) over them, in coordinates
  double objective_ = 1.0;
};

}  // namespace svm
