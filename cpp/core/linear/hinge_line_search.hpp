// The exact minimum of the objective along a line: lambda/2 |w|^2 + mean hinge loss is convex and piecewise quadratic
// in k.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace svm {

class HingeLineSearch {
 public:
  /// argmin over k >= 0 of slope k + curvature k^2 / 2 + (1/n) sum_i max(0, 1 - (1 - k) from_i - k to_i), where from
  /// and to are margins, n values each. curvature > 0. O(n).
  double minimum(const double* from, const double* to, std::size_t n, double slope, double curvature);

 private:
  /// The k at which a margin passes 1, and the jump of the derivative there.
  struct Kink {
    double place;
    double jump;
  };
  std::vector<std::uint32_t> crossing_;  // the margins that pass 1 between the bounds of the minimum
  std::vector<Kink> kinks_;
  std::vector<Kink> above_;
};

}  // namespace svm
