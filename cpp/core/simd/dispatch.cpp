#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "simd/loops.hpp"

namespace svm::simd {

#ifdef SVM_PORTABLE
extern const Loops loops_portable;
#else
extern const Loops loops_v3;
extern const Loops loops_v4;
#endif

namespace {

#ifndef SVM_PORTABLE
// The loops for AVX-512 with the sparse products of those for AVX2: AMD's processors gather more slowly than they load.
const Loops& loops_v4a() {
  static const Loops loops = [] {
    Loops mixed = loops_v4;
    mixed.name = "v4a";
    mixed.sparse_dot = loops_v3.sparse_dot;
    mixed.sparse_dot32 = loops_v3.sparse_dot32;
    return mixed;
  }();
  return loops;
}
#endif

const Loops& choose() {
  const char* asked = std::getenv("SVM_ISA");
  const std::string name = asked != nullptr ? asked : "";
#ifdef SVM_PORTABLE
  if (name.empty() || name == "portable") return loops_portable;
  throw InvalidArgument("SVM_ISA=" + name + " is not portable, the only instruction set of this build");
#else
  const bool v4 = __builtin_cpu_supports("x86-64-v4") != 0;
  const bool v3 = v4 || __builtin_cpu_supports("x86-64-v3") != 0;
  if (!v3) throw InvalidArgument("this processor has no AVX2: build the program with CMAKE_ARGS=-DSVM_PORTABLE=ON");
  if (name.empty() && v4) return __builtin_cpu_is("amd") ? loops_v4a() : loops_v4;
  if (name.empty()) return loops_v3;
  if (name == "v3") return loops_v3;
  if (name == "v4" && v4) return loops_v4;
  if (name == "v4a" && v4) return loops_v4a();
  throw InvalidArgument("SVM_ISA=" + name + " is not one of v3, v4, v4a, or this processor does not have it");
#endif
}

}  // namespace

const Loops& loops() {
  static const Loops& chosen = choose();
  return chosen;
}

}  // namespace svm::simd
