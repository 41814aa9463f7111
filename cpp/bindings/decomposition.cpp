#include "arrays.hpp"
#include "constructors.hpp"
#include "solvers/lasvm.hpp"
#include "solvers/svmlight.hpp"

namespace svm::python {

void bind_decomposition(py::module_& module) {
  py::class_<SvmLight, KernelSolver> svmlight(
      module, "SvmLight",
      "SVMlight's decomposition of the dual (Joachims 1999).\n\nworking_set: variables changed in an iteration, even, "
      "2 to 50; shrink_after: iterations after which a variable that seems optimal at its bound is left out, 0: "
      "never.");
  def_solver(svmlight, required("C", &SvmLightSettings::C), defaulted("bias", &SvmLightSettings::bias),
             defaulted("tolerance", &SvmLightSettings::tolerance),
             defaulted("working_set", &SvmLightSettings::working_set),
             defaulted("shrink_after", &SvmLightSettings::shrink_after));
  svmlight.def_property_readonly("active", &SvmLight::active, "Number of variables that are not left out.");

  py::class_<Lasvm, KernelSolver> lasvm(
      module, "Lasvm",
      "LASVM (Bordes, Ertekin, Weston, Bottou 2005): online SMO over a growing and shrinking expansion.\n\npasses: "
      "before finishing; 0: passes and finishing alternate until a pass changes nothing. delta_max: REPROCESS is "
      "repeated while the violation is above it.");
  def_solver(lasvm, required("C", &LasvmSettings::C), defaulted("bias", &LasvmSettings::bias),
             defaulted("tolerance", &LasvmSettings::tolerance), defaulted("passes", &LasvmSettings::passes),
             defaulted("delta_max", &LasvmSettings::delta_max));
  lasvm
      .def_property_readonly("expansion", &Lasvm::expansion,
                             "Number of examples in the expansion, those with alpha = 0 included.")
      .def_property_readonly("finishing", &Lasvm::finishing,
                             "Whether the passes are over and only REPROCESS steps remain.");

  module.def(
      "box_qp",
      [](const Array<double>& gradient, const Array<double>& H, const Array<double>& low, const Array<double>& high,
         bool balanced) {
        const py::ssize_t m = gradient.size();
        require(gradient.ndim() == 1 && low.ndim() == 1 && high.ndim() == 1 && low.size() == m && high.size() == m &&
                    H.ndim() == 2 && H.shape(0) == m && H.shape(1) == m,
                "a programme of m variables has a gradient and bounds of length m, and a matrix of m x m");
        require_finite(gradient, "gradients");
        require_finite(H, "curvatures");
        BoxQp qp(balanced);
        const auto size = static_cast<std::size_t>(m);
        qp.reset(size);
        for (std::size_t k = 0; k < size; ++k) {
          qp.gradient(k) = gradient.data()[k];
          qp.low(k) = low.data()[k];
          qp.high(k) = high.data()[k];
          require(qp.low(k) <= 0.0 && qp.high(k) >= 0.0, "the box must hold 0");
          for (std::size_t l = 0; l < size; ++l) qp.H(k, l) = H.data()[k * size + l];
        }
        const std::vector<double> solution = qp.solve();
        return Array<double>(m, solution.data());
      },
      py::arg("gradient"), py::arg("H"), py::kw_only(), py::arg("low"), py::arg("high"), py::arg("balanced"),
      "Return argmax of <gradient, d> - <d, H d> / 2 over low <= d <= high, (m,), and sum d = 0 if balanced.\n\nH: (m, "
      "m). Raises InvalidArgument for other shapes, values that are not finite, or bounds that exclude 0.");
}

}  // namespace svm::python
