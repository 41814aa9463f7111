// A point whose image under a Gaussian kernel lies near a given function.
#pragma once

#include <cstddef>

#include "kernel/kernel_basis.hpp"

namespace svm {

/// Increases <r, phi(z)>^2, the squared distance to r that phi(z) can remove, from a starting z: the fixed-point
/// iteration z <- sum of c_i K(x_i, z) x_i / sum of c_i K(x_i, z), r = sum of c_i phi(x_i) (Schoelkopf, Mika et al.
/// 1999). Its step has the direction of the gradient, so it is halved until the value increases. Ends when a step gains
/// less than a thousandth, or after `most` steps.
BasisPoint preimage(KernelBasis& basis, const Residual& r, BasisPoint z, std::size_t most = 20);

}  // namespace svm
