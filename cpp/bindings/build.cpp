#include "../core/blas.hpp"
#include "../core/counters.hpp"
#include "../core/simd.hpp"
#include "arrays.hpp"

namespace svm::python {

void bind_build(py::module_& module) {
  module.def(
      "build_info",
      [] {
        py::dict info;
        info["build_id"] = SVM_BUILD_ID;
        info["compiler"] = SVM_COMPILER;
        info["flags"] = SVM_FLAGS;
        info["isa"] = simd::kernels().name;
        info["counting"] = counting;
        return info;
      },
      "What this core was built from and with, and the instruction set that it runs on here.");
  module.def(
      "set_sgemm",
      [](const py::capsule& routine) {
        // Cython's capsules carry the C signature as their name, which differs between scipy's versions.
        void* pointer = PyCapsule_GetPointer(routine.ptr(), PyCapsule_GetName(routine.ptr()));
        if (pointer == nullptr) throw py::error_already_set();
        set_sgemm(reinterpret_cast<Sgemm>(pointer));
      },
      py::arg("routine"), "Takes the SGEMM routine of scipy.linalg.cython_blas as its capsule.");
}

}  // namespace svm::python
