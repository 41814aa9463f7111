#include <cstdlib>
#include <string>

#include "error.hpp"
#include "simd.hpp"

namespace svm::simd {

#ifdef SVM_PORTABLE
extern const Kernels kernels_portable;

const Kernels& kernels() { return kernels_portable; }
#else
extern const Kernels kernels_v2;
extern const Kernels kernels_v3;
extern const Kernels kernels_v4;

namespace {

const Kernels& choose() {
  const bool v4 = __builtin_cpu_supports("x86-64-v4") != 0;
  const bool v3 = v4 || __builtin_cpu_supports("x86-64-v3") != 0;
  const char* asked = std::getenv("SVM_ISA");
  const std::string name = asked != nullptr && *asked != '\0' ? asked : (v4 ? "v4" : (v3 ? "v3" : "v2"));
  if (name == "v2") return kernels_v2;
  if (name == "v3" && v3) return kernels_v3;
  if (name == "v4" && v4) return kernels_v4;
  throw InvalidArgument("SVM_ISA=" + name + " is not one of v2, v3, v4, or this processor does not have it");
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}
#endif

}  // namespace svm::simd
