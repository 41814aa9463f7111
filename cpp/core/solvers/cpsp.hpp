// CPSP: cutting planes whose weights lie in the span of a few kernel functions at arbitrary points.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/kernel_basis.hpp"
#include "random/random.hpp"
#include "qp/simplex_qp.hpp"
#include "solvers/solver.hpp"

namespace svm {

struct CpspSettings {
  double lambda = 1.0;
  double eps = 0.001;          ///< ends when J - L <= eps, J the objective and L the largest master value on the span
  std::size_t capacity = 512;  ///< basis functions at most
  std::size_t starts = 1;      ///< examples of a cut of which the best is where a search for a preimage begins
};

/// Joachims, Yu: Sparse kernel SVMs via cutting-plane training, Machine Learning 76, 2009, for lambda/2 |w|^2 + mean hinge
/// loss without bias under a Gaussian kernel. A cut is that of the examples of margins below 1 at the weights, as in
/// `SvmPerf`; before it is added, the basis grows by the preimage of what of the cut lies beside its span, and all cuts get
/// one more coordinate.
class Cpsp final : public Solver {
 public:
  Cpsp(double gamma, const FeatureMatrix& points, const CpspSettings& settings, std::uint64_t seed);

  const Counters& counters() const noexcept override { return basis_.counters(); }
  const KernelBasis& basis() const noexcept { return basis_; }
  /// The weights' coordinates on the span of the basis, size() values; 0 in those that came after them.
  std::vector<double> weights() const;
  /// A lower bound on the optimum over the span of the present basis.
  double lower_bound() const noexcept { return bound_; }
  void archive(StateArchive& state) override;

 protected:
  bool step() override;

 private:
  struct Cut {
    std::vector<double> point;  // p, C times the sum of y_i phi(x_i) over its examples, in coordinates
    std::vector<std::uint32_t> examples;
  };

  void extend(const std::vector<std::uint32_t>& examples, std::vector<double>& sum);
  void add_cut(std::vector<std::uint32_t> examples, std::vector<double> sum);
  void follow();
  void forget();
  void archive_cuts(StateArchive& state);

  CpspSettings settings_;
  double C_;
  KernelBasis basis_;
  Random random_;
  std::vector<Cut> cuts_{1};
  SimplexQp master_;
  std::vector<double> margins_;
  std::vector<std::size_t> idle_{0};  // for each cut the iterations since it had mass
  double objective_ = 1.0;
  double bound_ = 0.0;
};

}  // namespace svm
