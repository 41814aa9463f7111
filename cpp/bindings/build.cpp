#include "arrays.hpp"
#include "base/counters.hpp"
#include "kernel/blas.hpp"
#include "simd/loops.hpp"

namespace svm::python {

namespace {

/// Refuses a capsule whose name is not the signature of gemm for this type: its pointer will be called.
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
  // Throws if SVM_ISA is wrong, so that the import fails with a message; later, noexcept functions would abort.
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
      "Return build_id, compiler, flags, isa (the instruction set in use) and counting, by name.");
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
      py::arg("sgemm"), py::arg("dgemm"),
      "Set the BLAS routines, given as the capsules of scipy.linalg.cython_blas.\n\nRaises InvalidArgument if a "
      "capsule has another signature.");
}

}  // namespace svm::python
