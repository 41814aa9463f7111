#include "arrays.hpp"
#include "solvers/lasvm.hpp"
#include "solvers/svmlight.hpp"

namespace svm::python {

void bind_decomposition(py::module_& module) {
  py::class_<SvmLight, KernelSolver>(
      module, "SvmLight",
      "SVMlight's decomposition of the dual (Joachims 1999).\n\nworking_set: variables changed in an iteration, even, "
      "2 to 50; shrink_after: iterations after which a variable that seems optimal at its bound is left out, 0: never.")
      .def(py::init([](RowSource& rows, double C, bool bias, double tolerance, std::size_t working_set,
                       std::uint64_t shrink_after) {
             return std::make_unique<SvmLight>(rows, SvmLightSettings{C, bias, tolerance, working_set, shrink_after});
           }),
           py::arg("rows"), py::kw_only(), py::arg("C"), py::arg("bias") = false, py::arg("tolerance") = 1e-3,
           py::arg("working_set") = 10, py::arg("shrink_after") = 100, py::keep_alive<1, 2>())
      .def_property_readonly("active", &SvmLight::active, "Number of variables that are not left out.");

  py::class_<Lasvm, KernelSolver>(
      module, "Lasvm",
      "LASVM (Bordes, Ertekin, Weston, Bottou 2005): online SMO over a growing and shrinking expansion.\n\npasses: "
      "before finishing; 0: passes and finishing alternate until a pass changes nothing. delta_max: REPROCESS is "
      "repeated while the violation is above it.")
      .def(py::init([](RowSource& rows, double C, bool bias, double tolerance, std::uint64_t passes, double delta_max,
                       std::uint64_t seed) {
             return std::make_unique<Lasvm>(rows, LasvmSettings{C, bias, tolerance, passes, delta_max}, seed);
           }),
           py::arg("rows"), py::kw_only(), py::arg("C"), py::arg("bias") = false, py::arg("tolerance") = 1e-3,
           py::arg("passes") = 1, py::arg("delta_max") = std::numeric_limits<double>::infinity(), py::arg("seed"),
           py::keep_alive<1, 2>())
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
