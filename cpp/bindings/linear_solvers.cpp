#include "../core/linear_pegasos.hpp"
#include "../core/simba.hpp"
#include "arrays.hpp"

namespace svm::python {

void bind_linear_solvers(py::module_& module) {
  py::class_<LinearSolver, Solver>(module, "LinearSolver")
      .def("weights",
           [](const LinearSolver& self) { return written(self.dimension(), [&](double* out) { self.weights(out); }); })
      .def_property_readonly("bias", &LinearSolver::bias);

  py::class_<LinearPegasos, LinearSolver>(module, "LinearPegasos")
      .def(py::init([](const FeatureMatrix& features, double lambda, bool project, std::uint64_t seed) {
             return std::make_unique<LinearPegasos>(features, LinearPegasosSettings{lambda, project}, seed);
           }),
           py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("project") = false, py::arg("seed"),
           py::keep_alive<1, 2>());

  py::class_<Simba, LinearSolver>(module, "Simba")
      .def(py::init([](const FeatureMatrix& features, double nu, bool bias, std::uint64_t horizon, std::uint64_t seed) {
             return std::make_unique<Simba>(features, SimbaSettings{nu, bias, horizon}, seed);
           }),
           py::arg("features"), py::kw_only(), py::arg("nu"), py::arg("bias") = false, py::arg("horizon") = 0,
           py::arg("seed"), py::keep_alive<1, 2>())
      .def_property_readonly("divisor", &Simba::divisor)
      .def("last_weights",
           [](const Simba& self) { return written(self.dimension(), [&](double* out) { self.last_weights(out); }); })
      .def("distribution",
           [](const Simba& self) { return written(self.size(), [&](double* out) { self.distribution(out); }); });
}

}  // namespace svm::python
