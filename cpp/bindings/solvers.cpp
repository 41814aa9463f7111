#include <map>

#include "arrays.hpp"
#include "constructors.hpp"
#include "solvers/by_name.hpp"
#include "solvers/pegasos.hpp"
#include "solvers/sbp.hpp"
#include "solvers/sdca.hpp"
#include "solvers/smo.hpp"
#include "states.hpp"

namespace svm::python {
namespace {

Status advance(Solver& solver, std::uint64_t iterations, std::uint64_t presentations, std::uint64_t kernel_evaluations,
               std::uint64_t inner_products, std::uint64_t feature_accesses, double cpu_seconds) {
  Limit limit;
  limit.iterations = iterations;
  limit.presentations = presentations;
  limit.kernel_evaluations = kernel_evaluations;
  limit.inner_products = inner_products;
  limit.feature_accesses = feature_accesses;
  limit.cpu_seconds = cpu_seconds;
  Status status{};
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
  py::native_enum<Status>(
      module, "Status", "enum.Enum",
      "Why `advance` returned: the limit that was reached (the first of them, in this order), or convergence.")
      .value("iterations", Status::iterations)
      .value("presentations", Status::presentations)
      .value("kernel_evaluations", Status::kernel_evaluations)
      .value("inner_products", Status::inner_products)
      .value("feature_accesses", Status::feature_accesses)
      .value("cpu_seconds", Status::cpu_seconds)
      .value("converged", Status::converged)
      .finalize();

  py::class_<Solver>(
      module, "Solver",
      "The base of all solvers: a state machine that can stop and go on, with limits, exact counters and clocks.")
      .def("advance", &advance, py::kw_only(), py::arg("iterations") = Limit::none,
           py::arg("presentations") = Limit::none, py::arg("kernel_evaluations") = Limit::none,
           py::arg("inner_products") = Limit::none, py::arg("feature_accesses") = Limit::none,
           py::arg("cpu_seconds") = std::numeric_limits<double>::infinity(),
           "Run until a limit is reached or the method has converged; return which.\n\nLimits: iterations, "
           "presentations, kernel_evaluations, inner_products, feature_accesses (integers) and cpu_seconds. The run "
           "stops at the end of the first iteration in which one is reached; cpu_seconds is checked about every "
           "hundredth of a second. Raises RuntimeError if another thread uses this solver or its row cache, or if an "
           "earlier call ended with an error in the middle of an iteration. Methods that read results or the state "
           "raise it too; `counters`, `cpu_seconds` and `wall_seconds` may be read at any time.")
      .def_property_readonly(
          "counters", [](const Solver& self) { return self.counters(); }, "A copy of the counters.")
      .def_property_readonly("cpu_seconds", &Solver::cpu_seconds,
                             "CPU seconds inside the solver so far, those of its other threads included.")
      .def_property_readonly("wall_seconds", &Solver::wall_seconds, "Wall seconds inside the solver so far.")
      .def(
          "state", [](Solver& self) { return state_as_arrays(self.state()); },
          "Return everything on which later results depend, as arrays by member name.")
      .def(
          "restore",
          [](Solver& self, const py::dict& state) {
            const State own = state_of_arrays(state);
            const py::gil_scoped_release released;
            self.restore(own);
          },
          py::arg("state"),
          "Continue from the state of a solver with the same constructor arguments; this one must not have "
          "advanced.\n\nRaises InvalidArgument, and leaves the solver unchanged, if the state does not fit.");

  py::class_<KernelSolver, Solver>(
      module, "KernelSolver",
      "A solver whose predictor is f(x) = sum_i coefficient_i K(x_i, x) + bias.\n\nThe constructor makes a solver that "
      "has no class here, by its name in `cpp/core/solvers/by_name.cpp`. settings: numbers by name, with 0 and 1 for "
      "flags; the others have their defaults.")
      .def(py::init(
               [](const std::string& name, RowSource& rows, std::map<std::string, double> settings,
                  std::uint64_t seed) { return make_by_name(name, rows, NamedSettings(std::move(settings)), seed); }),
           py::arg("name"), py::arg("rows"), py::arg("settings"), py::kw_only(), py::arg("seed"),
           py::keep_alive<1, 3>())
      .def(
          "coefficients",
          [](const KernelSolver& self) {
            const BusyGuard guard = self.claim();
            return written(self.size(), [&](double* out) { self.coefficients(out); });
          },
          "Return the coefficients y_i alpha_i of the present predictor, (n,), in the order of the rows.")
      .def(
          "responses",
          [](const KernelSolver& self) -> py::object {
            const BusyGuard guard = self.claim();
            Array<double> out(static_cast<py::ssize_t>(self.size()));
            if (!self.responses(out.mutable_data())) return py::none();
            return out;
          },
          "Return y_i f(x_i) without the bias, (n,), or None if the solver does not keep them up to date.")
      .def_property_readonly(
          "bias",
          [](const KernelSolver& self) {
            const BusyGuard guard = self.claim();
            return self.bias();
          },
          "The bias of the present predictor; 0 for methods without one.");

  py::class_<Sbp, KernelSolver> sbp(
      module, "Sbp",
      "The Stochastic Batch Perceptron (Cotter, Shalev-Shwartz, Srebro 2012, Algorithm 1).\n\nnu: slack volume per "
      "example; bias: two classes' water levels (section 3.6), and with `pairs` a point of each class per iteration; "
      "eta: step scale, 0 for 1 / sqrt(max K(x, x)).");
  def_solver(sbp, required("nu", &SbpSettings::nu), defaulted("bias", &SbpSettings::bias),
             defaulted("pairs", &SbpSettings::pairs), defaulted("eta", &SbpSettings::eta));
  sbp.def_property_readonly("level", &Sbp::level, "Water level at which the last example was drawn.");

  py::class_<Pegasos, KernelSolver> pegasos(
      module, "Pegasos",
      "Pegasos on kernels: stochastic subgradient steps on the lambda form.\n\nproject: "
      "project onto |w| <= 1 / sqrt(lambda) after each step.");
  def_solver(pegasos, required("lambda_", &PegasosSettings::lambda), defaulted("project", &PegasosSettings::project),
             defaulted("accounting", &PegasosSettings::accounting));

  py::class_<Sdca, KernelSolver> sdca(module, "Sdca",
                                      "Stochastic dual coordinate ascent on kernels, in the box [0, C].");
  def_solver(sdca, required("C", &SdcaSettings::C), defaulted("accounting", &SdcaSettings::accounting));

  py::class_<Smo, KernelSolver> smo(
      module, "Smo",
      "Sequential minimal optimisation without bias: one coordinate at a time, the one with the largest "
      "gain.\n\ntolerance: it stops when no optimality condition is violated by more; 0: never.");
  py::class_<SmoWithBias, KernelSolver> smo_with_bias(
      module, "SmoWithBias",
      "Sequential minimal optimisation with bias: pairs by second-order information, as in LIBSVM.\n\ntolerance: it "
      "stops when no optimality condition is violated by more; 0: never.");
  def_solver(smo, required("C", &SmoSettings::C), defaulted("tolerance", &SmoSettings::tolerance));
  def_solver(smo_with_bias, required("C", &SmoSettings::C), defaulted("tolerance", &SmoSettings::tolerance));
}

}  // namespace svm::python
