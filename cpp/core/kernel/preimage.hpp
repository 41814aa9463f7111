// A point whose image under a Gaussian kernel lies near a given function.
#pragma once

#include <cstddef>

#include "kernel/kernel_basis.hpp"

namespace svm {

/// Climbs <r, phi(z)>^2, by which an image of norm 1 can bring a combination nearer to r, from z: the fixed-point iteration
/// z <- sum of c_i K(x_i, z) x_i / sum of c_i K(x_i, z), r = sum of c_i phi(x_i) (Schoelkopf, Mika et al. 1999). Its step
/// has the gradient's direction, so that a part of it climbs where the whole does not: it is halved until it does. Ends
/// where a step gains less than a thousandth, or after `most` steps.
BasisPoint preimage(KernelBasis& basis, const Residual& r, BasisPoint z, std::size_t most = 20);

}  // namespace svm
