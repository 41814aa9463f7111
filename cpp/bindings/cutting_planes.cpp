#include "solvers/cutting_planes.hpp"

#include "arrays.hpp"
#include "constructors.hpp"
#include "solvers/cpsp.hpp"

namespace svm::python {
void bind_cutting_planes(py::module_& module) {
  bind_solver<SvmPerf, CuttingPlaneSettings>(
      module, "SvmPerf",
      "Cutting planes at the minimum of the master problem (Joachims 2006).\n\nEnds when "
      "J - L <= eps L, or J - L <= eps if not `relative`. The master problem is solved "
      "to qp_precision (J - L); a cut whose weight has been 0 idle_cuts times in a row is "
      "removed, None: never.");

  bind_solver<Ocas, OcasSettings>(
      module, "Ocas",
      "Cutting planes with an exact line search (Franc, Sonnenburg 2008).\n\nThe next cut is a part mu of the way from "
      "the best weights to the master's. Ends when J - L <= eps L.");

  auto cpsp = bind_solver<Cpsp, CpspSettings>(
      module, "Cpsp",
      "CPSP (Joachims, Yu 2009): cutting planes in the span of a growing basis.\n\nfeatures: the points, (n, "
      "d); the kernel is exp(-gamma |x - z|^2). Ends when J - L <= eps. capacity: basis functions "
      "at most; starts: examples of which the best starts the search of a basis function.");
  cpsp.def_property_readonly(
          "size", [](const Cpsp& self) { return self.basis().size(); }, "Number of basis functions, k.")
      .def(
          "point",
          [](const Cpsp& self, std::size_t j) {
            const BusyGuard guard = self.claim();
            require_index(j, self.basis().size(), "basis function");
            const std::vector<double>& values = self.basis().point(j).values;
            return array_of(std::vector<float>(values.begin(), values.end()));
          },
          py::arg("j"),
          "Return the point of basis function j, (d,).\n\nRaises InvalidArgument if there is no such function.")
      .def("weights", claimed_vector<Cpsp>(&Cpsp::weights),
           "Return the weights' coordinates in an orthonormal basis of the span, (k,).")
      .def("coefficients",
           claimed_vector<Cpsp>([](const Cpsp& self) { return self.basis().expansion(self.weights()); }),
           "Return the coefficients of the weights' expansion in the basis functions, (k,).")
      .def_property_readonly("lower_bound", &Cpsp::lower_bound,
                             "A lower bound on the optimum over the span of the present basis.");

  py::class_<SimplexQp>(module, "SimplexQp",
                        "Maximise <beta, gamma> - <gamma, H gamma> / 2 on the simplex; variables are added one by "
                        "one.\n\nH is positive semidefinite.")
      .def(py::init<>())
      .def(
          "add",
          [](SimplexQp& self, double beta, const Array<double>& products) {
            require(products.ndim() == 1 && static_cast<std::size_t>(products.size()) == self.size() + 1,
                    "products are those with each earlier variable, and with itself");
            require(std::isfinite(beta), "beta must be finite");
            require_finite(products, "products");
            self.add(beta, {products.data(), products.data() + products.size()});
          },
          py::arg("beta"), py::arg("products"),
          "Add variable k, given H[k, : k + 1]; the first variable gets all the mass.\n\nRaises InvalidArgument for "
          "another length or values that are not finite.")
      .def(
          "solve",
          [](SimplexQp& self, double tolerance) {
            require(tolerance >= 0.0, "the tolerance must not be negative");
            self.solve(tolerance);
          },
          py::arg("tolerance"),
          "Improve the solution until `gap` is at most `tolerance`, or rounding allows no more.\n\nRaises "
          "InvalidArgument for a negative tolerance or if there is no variable.")
      .def_property_readonly(
          "solution", [](const SimplexQp& self) { return array_of(self.solution()); }, "gamma, (k,).")
      .def_property_readonly("value", &SimplexQp::value, "The objective at the solution.")
      .def_property_readonly(
          "gap", &SimplexQp::gap,
          "An upper bound on the optimum minus `value`.\n\nRaises InvalidArgument if there is no variable.");

  module.def(
      "hinge_line_minimum",
      [](const Array<double>& from, const Array<double>& to, double slope, double curvature) {
        require(from.ndim() == 1 && to.ndim() == 1 && from.size() == to.size(),
                "margins are two vectors of one length");
        require(from.size() > 0, "there is no margin");
        require(std::isfinite(slope), "the slope must be finite");
        require_positive(curvature, "the curvature");
        require_finite(from, "margins");
        require_finite(to, "margins");
        return hinge_line_minimum(from.data(), to.data(), static_cast<std::size_t>(from.size()), slope, curvature);
      },
      py::arg("from_"), py::arg("to"), py::kw_only(), py::arg("slope"), py::arg("curvature"),
      "Return argmin over k >= 0 of slope k + curvature k^2 / 2 + mean hinge loss of margins (1 - k) from_ + k "
      "to.\n\nfrom_, to: (n,). Raises InvalidArgument for other shapes, values that are not finite, or a curvature "
      "that is not positive.");
}

}  // namespace svm::python
