#include "solvers/cpsp.hpp"

#include "arrays.hpp"
#include "constructors.hpp"

namespace svm::python {

void bind_cpsp(py::module_& module) {
  py::class_<Cpsp, Solver> cpsp(
      module, "Cpsp",
      "CPSP (Joachims, Yu 2009): cutting planes in the span of a growing basis.\n\npoints: (n, "
      "d); the kernel is exp(-gamma |x - z|^2). Ends when J - L <= eps. capacity: basis functions "
      "at most; starts: examples of which the best starts the search of a basis function.");
  def_made(
      cpsp,
      +[](const CpspSettings& settings, const FeatureMatrix& points, double gamma, std::uint64_t seed) {
        return std::make_unique<Cpsp>(gamma, points, settings, seed);
      },
      std::tuple(required("lambda_", &CpspSettings::lambda), required("eps", &CpspSettings::eps),
                 required("capacity", &CpspSettings::capacity), defaulted("starts", &CpspSettings::starts)),
      py::arg("points"), py::kw_only(), py::arg("gamma"), py::arg("seed"), py::keep_alive<1, 2>());
  cpsp.def_property_readonly(
          "size", [](const Cpsp& self) { return self.basis().size(); }, "Number of basis functions, k.")
      .def(
          "point",
          [](const Cpsp& self, std::size_t j) {
            const BusyGuard guard = self.claim();
            require(j < self.basis().size(), "there is no such basis function");
            const std::vector<double>& values = self.basis().point(j).values;
            Array<float> out(static_cast<py::ssize_t>(values.size()));
            std::copy(values.begin(), values.end(), out.mutable_data());
            return out;
          },
          py::arg("j"),
          "Return the point of basis function j, (d,).\n\nRaises InvalidArgument if there is no such function.")
      .def(
          "weights",
          [](const Cpsp& self) {
            const BusyGuard guard = self.claim();
            return array_of(self.weights());
          },
          "Return the weights' coordinates in an orthonormal basis of the span, (k,).")
      .def(
          "coefficients",
          [](const Cpsp& self) {
            const BusyGuard guard = self.claim();
            return array_of(self.basis().expansion(self.weights()));
          },
          "Return the coefficients of the weights' expansion in the basis functions, (k,).")
      .def_property_readonly("lower_bound", &Cpsp::lower_bound,
                             "A lower bound on the optimum over the span of the present basis.");
}

}  // namespace svm::python
