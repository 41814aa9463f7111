// A concave quadratic programme on the simplex with a growing number of variables: the dual of the master problem of
// cutting-plane methods.
#pragma once

#include <cstddef>
#include <vector>

#include "qp/cholesky.hpp"

namespace svm {

/// maximise D(gamma) = sum_j gamma_j beta_j - 1/2 sum_jk gamma_j gamma_k H_jk over gamma >= 0, sum gamma = 1, with H
/// positive semidefinite: equal or dependent variables are allowed.
class SimplexQp {
 public:
  std::size_t size() const noexcept { return beta_.size(); }
  /// Adds a variable, with H_jk for all earlier k and then for itself: size() + 1 values. The first one gets all the
  /// mass, later ones none before `solve`.
  void add(double beta, const std::vector<double>& products);
  /// H += q q^T, q of size() values: if H has the inner products of vectors, they get one more coordinate, q.
  void extend(const std::vector<double>& q);
  /// Removes variable j, which has no mass; the last one takes its number.
  void remove(std::size_t j);
  /// Improves the present solution until gap() <= tolerance, or until rounding allows no more: a primal active-set
  /// method (Nocedal, Wright: Numerical Optimization, section 16.5) with a Cholesky factor of H over the free
  /// variables.
  void solve(double tolerance);

  const std::vector<double>& solution() const noexcept { return gamma_; }
  /// H gamma.
  const std::vector<double>& products() const noexcept { return products_; }
  double value() const noexcept;
  /// max_j (beta - H gamma)_j - sum_j gamma_j (beta - H gamma)_j: an upper bound on the optimum minus value().
  /// Throws InvalidArgument if there is no variable.
  double gap() const;
  void archive(StateArchive& state);

 private:
  void update_products();
  /// The variable of the largest derivative.
  std::size_t steepest() const noexcept;
  void factorize();
  void clear_factor() noexcept;
  void enter(std::size_t j);
  /// Moves to the maximum over the free variables; those that reach 0 on the way become fixed.
  void climb();
  /// The maximum over the free variables without gamma >= 0.
  void find_target();

  std::vector<double> beta_;
  std::vector<std::vector<double>> H_;
  std::vector<double> gamma_;
  std::vector<double> products_;
  std::vector<std::size_t> free_;  // the variables that may be positive, in the order of factor_
  std::vector<double> added_;      // to the diagonal element of each, where H over them is singular
  Cholesky factor_;  // of lift + H over them: sum gamma = 1, so a constant added to all of H changes nothing
  double lift_ = 0.0;
  std::vector<double> target_;
  std::vector<double> ones_;
};

}  // namespace svm
