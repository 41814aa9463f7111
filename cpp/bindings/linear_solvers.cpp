#include <cmath>
#include <optional>

#include "solvers/linear_pegasos.hpp"
#include "solvers/simba.hpp"
#include "arrays.hpp"

namespace svm::python {
namespace {

template <typename Real>
void bind_pegasos(py::module_& module, const char* name) {
  using Method = LinearPegasos<Real>;
  py::class_<Method, LinearSolver>(module, name)
      .def(py::init([](const FeatureMatrix& features, double lambda, bool project, std::uint64_t seed) {
             return std::make_unique<Method>(features, LinearPegasosSettings{lambda, project}, seed);
           }),
           py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("project") = false, py::arg("seed"),
           py::keep_alive<1, 2>());
}

}  // namespace

void bind_linear_solvers(py::module_& module) {
  py::class_<LinearSolver, Solver>(module, "LinearSolver")
      .def("weights",
           [](const LinearSolver& self) {
             const BusyGuard guard = self.lock();
             return written(self.dimension(), [&](double* out) { self.weights(out); });
           })
      .def_property_readonly("bias",
                             [](const LinearSolver& self) {
                               const BusyGuard guard = self.lock();
                               return self.bias();
                             })
      .def_property_readonly("lower_bound", [](const LinearSolver& self) -> std::optional<double> {
        const BusyGuard guard = self.lock();
        const double bound = self.lower_bound();
        return std::isnan(bound) ? std::nullopt : std::optional<double>(bound);
      });

  bind_pegasos<double>(module, "LinearPegasos");
  bind_pegasos<float>(module, "LinearPegasos32");

  py::class_<Simba, LinearSolver>(module, "Simba")
      .def(py::init([](const FeatureMatrix& features, double nu, bool bias, std::uint64_t horizon, std::uint64_t seed) {
             return std::make_unique<Simba>(features, SimbaSettings{nu, bias, horizon}, seed);
           }),
           py::arg("features"), py::kw_only(), py::arg("nu"), py::arg("bias") = false, py::arg("horizon") = 0,
           py::arg("seed"), py::keep_alive<1, 2>())
      .def_property_readonly("divisor", &Simba::divisor)
      .def("last_weights",
           [](const Simba& self) {
             const BusyGuard guard = self.lock();
             return written(self.dimension(), [&](double* out) { self.last_weights(out); });
           })
      .def("distribution", [](const Simba& self) {
        const BusyGuard guard = self.lock();
        return written(self.size(), [&](double* out) { self.distribution(out); });
      });
}

}  // namespace svm::python
