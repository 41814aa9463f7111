#include "solvers/cutting_planes.hpp"

#include "arrays.hpp"

namespace svm::python {
namespace {

std::vector<double> vector(const Array<double>& values) { return {values.data(), values.data() + values.size()}; }

Array<double> array(const std::vector<double>& values) {
  return Array<double>(static_cast<py::ssize_t>(values.size()), values.data());
}

}  // namespace

void bind_cutting_planes(py::module_& module) {
  py::class_<SvmPerf, LinearSolver>(module, "SvmPerf")
      .def(py::init([](const FeatureMatrix& features, double lambda, double eps, bool relative) {
             return std::make_unique<SvmPerf>(features, CuttingPlaneSettings{lambda, eps, relative});
           }),
           py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("eps"), py::arg("relative") = true,
           py::keep_alive<1, 2>());

  py::class_<Ocas, LinearSolver>(module, "Ocas")
      .def(py::init([](const FeatureMatrix& features, double lambda, double eps, double mu) {
             return std::make_unique<Ocas>(features, CuttingPlaneSettings{lambda, eps}, mu);
           }),
           py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("eps"), py::arg("mu"),
           py::keep_alive<1, 2>());

  py::class_<SimplexQp>(module, "SimplexQp", "maximise <beta, gamma> - <gamma, H gamma> / 2 on the simplex.")
      .def(py::init<>())
      .def(
          "add",
          [](SimplexQp& self, double beta, const Array<double>& products) {
            require(products.ndim() == 1 && static_cast<std::size_t>(products.size()) == self.size() + 1,
                    "products are those with each earlier variable, and with itself");
            require(std::isfinite(beta), "beta must be finite");
            require_finite(products, "products");
            self.add(beta, vector(products));
          },
          py::arg("beta"), py::arg("products"))
      .def(
          "solve",
          [](SimplexQp& self, double tolerance) {
            require(tolerance >= 0.0, "the tolerance must not be negative");
            self.solve(tolerance);
          },
          py::arg("tolerance"))
      .def_property_readonly("solution", [](const SimplexQp& self) { return array(self.solution()); })
      .def_property_readonly("value", &SimplexQp::value)
      .def_property_readonly("gap", &SimplexQp::gap);

  module.def(
      "hinge_line_minimum",
      [](const Array<double>& from, const Array<double>& to, double slope, double curvature) {
        require(from.ndim() == 1 && to.ndim() == 1 && from.size() == to.size(),
                "margins are two vectors of one length");
        require(from.size() > 0, "there is no margin");
        require(std::isfinite(slope), "the slope must be finite");
        require(std::isfinite(curvature) && curvature > 0.0, "the curvature must be finite and positive");
        require_finite(from, "margins");
        require_finite(to, "margins");
        return HingeLineSearch().minimum(from.data(), to.data(), static_cast<std::size_t>(from.size()), slope,
                                         curvature);
      },
      py::arg("from_"), py::arg("to"), py::kw_only(), py::arg("slope"), py::arg("curvature"),
      "argmin over k >= 0 of slope k + curvature k^2 / 2 + the mean hinge loss of the margins (1 - k) from_ + k to.");
}

}  // namespace svm::python
