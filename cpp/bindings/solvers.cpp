#include "solvers/pegasos.hpp"
#include "solvers/perceptron.hpp"
#include "solvers/sbp.hpp"
#include "solvers/sdca.hpp"
#include "solvers/smo.hpp"
#include "arrays.hpp"
#include "states.hpp"

namespace svm::python {
namespace {

Status advance(Solver& solver, std::uint64_t iterations, std::uint64_t presentations, std::uint64_t kernel_evaluations,
               std::uint64_t inner_products, std::uint64_t feature_accesses, double cpu_seconds) {
  const Limit limit{iterations, presentations, kernel_evaluations, inner_products, feature_accesses, cpu_seconds};
  Status status = Status::limit;
  {
    const py::gil_scoped_release released;
    status = solver.advance(limit, [] {
      const py::gil_scoped_acquire held;
      return PyErr_CheckSignals() != 0;
    });
  }
  if (status == Status::interrupted) throw py::error_already_set();
  return status;
}

}  // namespace

void bind_solvers(py::module_& module) {
  py::native_enum<Status>(module, "Status", "enum.Enum")
      .value("limit", Status::limit)
      .value("converged", Status::converged)
      .finalize();

  py::class_<Solver>(module, "Solver")
      .def("advance", &advance, py::kw_only(), py::arg("iterations") = Limit::none,
           py::arg("presentations") = Limit::none, py::arg("kernel_evaluations") = Limit::none,
           py::arg("inner_products") = Limit::none, py::arg("feature_accesses") = Limit::none,
           py::arg("cpu_seconds") = std::numeric_limits<double>::infinity())
      .def_property_readonly("counters", [](const Solver& self) { return self.counters(); })
      .def_property_readonly("cpu_seconds", &Solver::cpu_seconds)
      .def_property_readonly("wall_seconds", &Solver::wall_seconds)
      .def("state", [](Solver& self) { return state_as_arrays(self.state()); })
      .def(
          "restore",
          [](Solver& self, const py::dict& state) {
            const State own = state_of_arrays(state);
            const py::gil_scoped_release released;
            self.restore(own);
          },
          py::arg("state"));

  py::class_<KernelSolver, Solver>(module, "KernelSolver")
      .def("coefficients",
           [](const KernelSolver& self) {
             const BusyGuard guard = self.lock();
             return written(self.size(), [&](double* out) { self.coefficients(out); });
           })
      .def("responses",
           [](const KernelSolver& self) -> py::object {
             const BusyGuard guard = self.lock();
             Array<double> out(static_cast<py::ssize_t>(self.size()));
             if (!self.responses(out.mutable_data())) return py::none();
             return out;
           })
      .def_property_readonly("bias", [](const KernelSolver& self) {
        const BusyGuard guard = self.lock();
        return self.bias();
      });

  py::class_<Sbp, KernelSolver>(module, "Sbp")
      .def(py::init([](RowSource& rows, double nu, bool bias, bool pairs, double eta, std::uint64_t seed) {
             return std::make_unique<Sbp>(rows, SbpSettings{nu, bias, pairs, eta}, seed);
           }),
           py::arg("rows"), py::kw_only(), py::arg("nu"), py::arg("bias") = false, py::arg("pairs") = true,
           py::arg("eta") = 0.0, py::arg("seed"), py::keep_alive<1, 2>())
      .def_property_readonly("level", &Sbp::level);

  py::class_<Pegasos, KernelSolver>(module, "Pegasos")
      .def(py::init([](RowSource& rows, double lambda, bool project, Accounting accounting, std::uint64_t seed) {
             return std::make_unique<Pegasos>(rows, PegasosSettings{lambda, project, accounting}, seed);
           }),
           py::arg("rows"), py::kw_only(), py::arg("lambda_"), py::arg("project") = false,
           py::arg("accounting") = Accounting::on_demand, py::arg("seed"), py::keep_alive<1, 2>());

  py::class_<Sdca, KernelSolver>(module, "Sdca")
      .def(py::init([](RowSource& rows, double C, Accounting accounting, std::uint64_t seed) {
             return std::make_unique<Sdca>(rows, SdcaSettings{C, accounting}, seed);
           }),
           py::arg("rows"), py::kw_only(), py::arg("C"), py::arg("accounting") = Accounting::on_demand, py::arg("seed"),
           py::keep_alive<1, 2>());

  py::class_<Smo, KernelSolver>(module, "Smo")
      .def(py::init([](RowSource& rows, double C, double tolerance) {
             return std::make_unique<Smo>(rows, SmoSettings{C, tolerance});
           }),
           py::arg("rows"), py::kw_only(), py::arg("C"), py::arg("tolerance") = 1e-3, py::keep_alive<1, 2>());

  py::class_<SmoWithBias, KernelSolver>(module, "SmoWithBias")
      .def(py::init([](RowSource& rows, double C, double tolerance) {
             return std::make_unique<SmoWithBias>(rows, SmoSettings{C, tolerance});
           }),
           py::arg("rows"), py::kw_only(), py::arg("C"), py::arg("tolerance") = 1e-3, py::keep_alive<1, 2>());

  py::class_<Perceptron, KernelSolver>(module, "Perceptron")
      .def(py::init([](RowSource& rows, std::uint64_t seed) { return std::make_unique<Perceptron>(rows, seed); }),
           py::arg("rows"), py::kw_only(), py::arg("seed"), py::keep_alive<1, 2>());
}

}  // namespace svm::python
