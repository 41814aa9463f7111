// The exact minimum of the objective along a line: lambda/2 |w|^2 + mean hinge loss is convex and piecewise quadratic
// in k.
#pragma once

#include <cstddef>

namespace svm {

/// argmin over k >= 0 of slope k + curvature k^2 / 2 + (1/n) sum_i max(0, 1 - (1 - k) from_i - k to_i), where from and
/// to are margins, n values each. curvature > 0. O(n).
double hinge_line_minimum(const double* from, const double* to, std::size_t n, double slope, double curvature);

}  // namespace svm
