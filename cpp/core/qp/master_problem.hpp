// The master problem of cutting-plane methods: min over w of lambda/2 |w|^2 + the largest of the cuts at w.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/swap_remove.hpp"
#include "qp/simplex_qp.hpp"

namespace svm {

struct MasterSettings {
  double precision = 1e-3;  ///< in (0, 1): the part of `gap` to which `solve` solves
  /// Calls of `drop_idle` with gamma_j = 0 after which cut j is dropped; none: never.
  std::optional<std::uint64_t> idle = 50;
};

/// Solves the master problem in its dual: a quadratic programme on the simplex with one variable gamma_j for each cut;
/// the weights are the sum of gamma_j times the vector of cut j. The method keeps the cuts themselves, in the same
/// order. Cut 0 is the cut of no examples; it is there from the start and stays.
class MasterProblem : private SimplexQp {
 public:
  explicit MasterProblem(const MasterSettings& settings = {}) : settings_(settings) {
    require(settings.precision > 0.0 && settings.precision < 1.0, "qp_precision must lie between 0 and 1");
    require(!settings.idle || *settings.idle >= 1, "idle_cuts must be a whole number >= 1");
    add(0.0, {0.0});
  }

  using SimplexQp::products;
  using SimplexQp::size;
  using SimplexQp::solution;

  /// Adds a cut; see SimplexQp::add.
  void add(double beta, const std::vector<double>& products) {
    SimplexQp::add(beta, products);
    idle_.push_back(0);
  }
  /// Removes cut j, which has gamma_j = 0; the last cut takes its number.
  void remove(std::size_t j) {
    SimplexQp::remove(j);
    swap_remove(idle_, j);
  }
  /// Adds one coordinate to every cut's vector; see SimplexQp::extend. The lower bound starts anew: the space of w has
  /// grown.
  void extend(const std::vector<double>& q) {
    SimplexQp::extend(q);
    bound_ = 0.0;
  }
  /// Solves to a part of `gap`, the present difference of objective and lower bound, or to rounding error. Throws
  /// InvalidArgument where these leave no weight to the only cut besides cut 0.
  void solve(double gap) {
    constexpr double rounding_of_bound = 1e-14;
    SimplexQp::solve(std::max(settings_.precision * gap, rounding_of_bound * bound_));
    bound_ = std::max(bound_, value());
    require(
        size() != 2 || solution()[1] > 0.0,
        "the weights are 0 by rounding: lambda is too small for features of this size; scale them, or raise lambda");
  }
  /// Calls drop(j) for each cut to be dropped, j falling, and removes it: a cut other than 0 with gamma_j = 0 in
  /// some calls in a row. The weights do not change, and a cut that is needed again is found again (as in the program
  /// SVMperf).
  template <typename Drop>
  void drop_idle(const Drop& drop) {
    for (std::size_t j = size() - 1; j > 0; --j) {
      idle_[j] = solution()[j] > 0.0 ? 0 : idle_[j] + 1;
      if (!settings_.idle || idle_[j] < *settings_.idle) continue;
      remove(j);
      drop(j);
    }
  }

  /// The largest value found so far, a lower bound on the optimum.
  double lower_bound() const noexcept { return bound_; }
  void archive(StateArchive& state) {
    state.part("qp", static_cast<SimplexQp&>(*this));
    state.list("idle", idle_);
    state.check(idle_.size() == size(), "idle", " has not an element for each cut");
    state.number("bound", bound_);
  }

 private:
  MasterSettings settings_;
  std::vector<std::uint64_t> idle_;  // for each cut the calls of drop_idle in a row with gamma = 0
  double bound_ = 0.0;
};

}  // namespace svm
