#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "simd/loops.hpp"

namespace svm::simd {

// The loops of each instruction set; only for a processor that has it.
namespace portable {
Loops table();
}
namespace v3 {
Loops table();
}
namespace v4 {
Loops table();
}

namespace {

Loops named(const char* name, Loops table) {
  table.name = name;
  return table;
}

Loops choose() {
  const char* asked = std::getenv("SVM_ISA");
  std::string name = asked != nullptr ? asked : "";
#ifdef SVM_PORTABLE
  if (name.empty() || name == "portable") return named("portable", portable::table());
  throw InvalidArgument("SVM_ISA=" + name + " is not portable, the only instruction set of this build");
#else
  const bool has_v4 = __builtin_cpu_supports("x86-64-v4") != 0;
  const bool has_v3 = has_v4 || __builtin_cpu_supports("x86-64-v3") != 0;
  if (!has_v3) throw InvalidArgument("this processor has no AVX2: build the program with CMAKE_ARGS=-DSVM_PORTABLE=ON");
  if (name.empty()) name = !has_v4 ? "v3" : __builtin_cpu_is("amd") ? "v4a" : "v4";
  if (name == "v3") return named("v3", v3::table());
  if (name == "v4" && has_v4) return named("v4", v4::table());
  if (name == "v4a" && has_v4) {
    // The loops for AVX-512 with the sparse products of those for AVX2: AMD's processors gather more slowly than they
    // load.
    Loops mixed = v4::table();
    mixed.sparse_dot = v3::table().sparse_dot;
    mixed.sparse_dot32 = v3::table().sparse_dot32;
    return named("v4a", mixed);
  }
  throw InvalidArgument("SVM_ISA=" + name + " is not one of v3, v4, v4a, or this processor does not have it");
#endif
}

}  // namespace

const Loops& loops() {
  static const Loops chosen = choose();
  return chosen;
}

}  // namespace svm::simd
