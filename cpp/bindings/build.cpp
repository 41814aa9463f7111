#include "kernel/blas.hpp"
#include "base/counters.hpp"
#include "simd/loops.hpp"
#include "arrays.hpp"

namespace svm::python {

namespace {

/// Refuses a capsule that does not say that it holds gemm for this type: whatever it holds will be called.
void check_signature(const py::capsule& capsule, const std::string& element) {
  const char* const name = PyCapsule_GetName(capsule.ptr());
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  const std::string signature = name != nullptr ? name : "";
  const bool begins = signature.rfind("void (char *, char *, int *, int *, int *, ", 0) == 0;
  std::size_t arrays = 0;
  for (std::size_t at = signature.find(element); at != std::string::npos; at = signature.find(element, at + 1))
    ++arrays;
  const auto commas = std::count(signature.begin(), signature.end(), ',');
  require(begins && arrays == 5 && commas == 12, "this is not a matrix product of scipy's BLAS: '" + signature + "'");
}

}  // namespace

void bind_build(py::module_& module) {
  // Throws where SVM_ISA is wrong, and the import fails with that sentence: later, functions that are noexcept would abort.
  simd::loops();
  module.def(
      "build_info",
      [] {
        py::dict info;
        info["build_id"] = SVM_BUILD_ID;
        info["compiler"] = SVM_COMPILER;
        info["flags"] = SVM_FLAGS;
        info["isa"] = simd::loops().name;
        info["counting"] = counting;
        return info;
      },
      "What this core was built from and with, and the instruction set that it runs on here.");
  module.def(
      "set_gemm",
      [](const py::capsule& sgemm, const py::capsule& dgemm) {
        // Cython's capsules carry the C signature as their name, which differs between scipy's versions.
        const auto routine = [](const py::capsule& capsule, const std::string& element) {
          check_signature(capsule, element);
          void* pointer = PyCapsule_GetPointer(capsule.ptr(), PyCapsule_GetName(capsule.ptr()));
          if (pointer == nullptr) throw py::error_already_set();
          return pointer;
        };
        set_gemm(reinterpret_cast<Gemm<float>>(routine(sgemm, "_s *")),
                 reinterpret_cast<Gemm<double>>(routine(dgemm, "_d *")));
      },
      py::arg("sgemm"), py::arg("dgemm"), "Takes these routines of scipy.linalg.cython_blas as their capsules.");
}

}  // namespace svm::python
