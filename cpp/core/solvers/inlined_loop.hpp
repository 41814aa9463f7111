// The loop of InlinedLoop. Only the .cpp file that defines Method::step() includes this header.
#pragma once

#include "solvers/solver.hpp"

namespace svm {

template <typename Method, typename Base>
bool InlinedLoop<Method, Base>::steps(const Limit& limit, std::uint64_t count) {
  return this->repeat(static_cast<Method&>(*this), limit, count);
}

}  // namespace svm
