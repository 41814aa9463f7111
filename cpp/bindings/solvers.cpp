#include <optional>

#include "arrays.hpp"
#include "constructors.hpp"
#include "solvers/lasvm.hpp"
#include "solvers/pegasos.hpp"
#include "solvers/perceptron.hpp"
#include "solvers/sbp.hpp"
#include "solvers/sdca.hpp"
#include "solvers/smo.hpp"
#include "solvers/svmlight.hpp"
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
  bind_enum<Status>(
      module, "Status",
      "Why `advance` returned: the limit that was reached (the first of them, in this order), or convergence.",
      {{"iterations", Status::iterations},
       {"presentations", Status::presentations},
       {"kernel_evaluations", Status::kernel_evaluations},
       {"inner_products", Status::inner_products},
       {"feature_accesses", Status::feature_accesses},
       {"cpu_seconds", Status::cpu_seconds},
       {"converged", Status::converged}});

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
          [](Solver& self, const Arrays& state) {
            const State own = state_of_arrays(state);
            const py::gil_scoped_release released;
            self.restore(own);
          },
          py::arg("state"),
          "Continue from the state of a solver with the same constructor arguments; this one must not have "
          "advanced.\n\nRaises InvalidArgument, and leaves the solver unchanged, if the state does not fit.");

  py::class_<KernelSolver, Solver>(module, "KernelSolver",
                                   "A solver whose predictor is f(x) = sum_i coefficient_i K(x_i, x) + bias.")
      .def("coefficients", claimed_array<KernelSolver>(&KernelSolver::size, &KernelSolver::coefficients),
           "Return the coefficients y_i alpha_i of the present predictor, (n,), in the order of the rows.")
      .def("responses", claimed<KernelSolver>([](const KernelSolver& self) -> std::optional<Array<double>> {
             Array<double> out(static_cast<py::ssize_t>(self.size()));
             if (!self.responses(out.mutable_data())) return std::nullopt;
             return out;
           }),
           "Return y_i f(x_i) without the bias, (n,), or None if the solver does not keep them up to date.")
      .def_property_readonly("bias", claimed<KernelSolver>(&KernelSolver::bias),
                             "The bias of the present predictor; 0 for methods without one.");

  bind_solver<Perceptron>(
      module, "Perceptron",
      "The kernel Perceptron (Rosenblatt 1958): a mistake adds its example; each epoch has a new random order.");
  auto sbp = bind_solver<Sbp, SbpSettings>(
      module, "Sbp",
      "The Stochastic Batch Perceptron (Cotter, Shalev-Shwartz, Srebro 2012, Algorithm 1).\n\nnu: slack volume per "
      "example; bias: two classes' water levels (section 3.6), and with `pairs` a point of each class per iteration; "
      "eta: step scale, 0 for 1 / sqrt(max K(x, x)).");
  sbp.def_property_readonly("level", &Sbp::level, "Water level at which the last example was drawn.");

  bind_solver<Pegasos, PegasosSettings>(
      module, "Pegasos",
      "Pegasos on kernels: stochastic subgradient steps on the lambda form.\n\nproject: "
      "project onto |w| <= 1 / sqrt(lambda) after each step.");

  bind_solver<Sdca, SdcaSettings>(module, "Sdca", "Stochastic dual coordinate ascent on kernels, in the box [0, C].");

  bind_solver<Smo, SmoSettings>(
      module, "Smo",
      "Sequential minimal optimisation without bias: one coordinate at a time, the one with the largest "
      "gain.\n\ntolerance: it stops when no optimality condition is violated by more; 0: never.");
  bind_solver<SmoWithBias, SmoSettings>(
      module, "SmoWithBias",
      "Sequential minimal optimisation with bias: pairs by second-order information, as in LIBSVM.\n\ntolerance: it "
      "stops when no optimality condition is violated by more; 0: never.");

  auto svmlight = bind_solver<SvmLight, SvmLightSettings>(
      module, "SvmLight",
      "SVMlight's decomposition of the dual (Joachims 1999).\n\nworking_set: variables changed in an iteration, even, "
      "2 to 50; shrink_after: iterations after which a variable that seems optimal at its bound is left out, 0: "
      "never.");
  svmlight.def_property_readonly("active", &SvmLight::active, "Number of variables that are not left out.");

  auto lasvm = bind_solver<Lasvm, LasvmSettings>(
      module, "Lasvm",
      "LASVM (Bordes, Ertekin, Weston, Bottou 2005): online SMO over a growing and shrinking expansion.\n\npasses: "
      "before finishing; 0: passes and finishing alternate until a pass changes nothing. delta_max: REPROCESS is "
      "repeated while the violation is above it.");
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
        return array_of(qp.solve());
      },
      py::arg("gradient"), py::arg("H"), py::kw_only(), py::arg("low"), py::arg("high"), py::arg("balanced"),
      "Return argmax of <gradient, d> - <d, H d> / 2 over low <= d <= high, (m,), and sum d = 0 if balanced.\n\nH: (m, "
      "m). Raises InvalidArgument for other shapes, values that are not finite, or bounds that exclude 0.");
}

}  // namespace svm::python
