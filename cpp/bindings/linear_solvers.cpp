#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "constructors.hpp"
#include "solvers/linear_pegasos.hpp"
#include "solvers/simba.hpp"

namespace svm::python {

void bind_linear_solvers(py::module_& module) {
  py::class_<LinearSolver, Solver>(module, "LinearSolver",
                                   "A solver whose predictor is f(x) = <w, x> + bias, with explicit weights w.")
      .def(
          "weights",
          [](const LinearSolver& self) {
            const BusyGuard guard = self.claim();
            return written(self.dimension(), [&](double* out) { self.weights(out); });
          },
          "Return the weights of the present predictor, (d,).")
      .def_property_readonly(
          "bias",
          [](const LinearSolver& self) {
            const BusyGuard guard = self.claim();
            return self.bias();
          },
          "The bias of the present predictor; 0 for methods without one.")
      .def_property_readonly(
          "lower_bound",
          [](const LinearSolver& self) -> std::optional<double> {
            const BusyGuard guard = self.claim();
            const double bound = self.lower_bound();
            return std::isnan(bound) ? std::nullopt : std::optional<double>(bound);
          },
          "A lower bound on the optimum of the lambda form, or None if the method does not compute one.");

  bind_precisions<LinearPegasos>(
      module, "LinearPegasos",
      "Pegasos on explicit weights, in float64.\n\nproject: project onto |w| <= 1 / sqrt(lambda) after each step.",
      [](auto& type) {
        def_solver(type, required("lambda_", &LinearPegasosSettings::lambda),
                   defaulted("project", &LinearPegasosSettings::project));
      });

  py::class_<Simba, LinearSolver> simba(
      module, "Simba",
      "SVM-SIMBA (Hazan, Koren, Srebro 2011, Algorithm 1); `weights` and `bias` are the means of all "
      "iterates.\n\nhorizon: constant steps for so many iterations; 0: shrinking steps and no end. printed_rate: eta = "
      "sqrt(log n) / t instead of sqrt(log(n) / t). clip: limit the estimates to [-1/eta, 1/eta] (line 10).");
  def_solver(simba, required("nu", &SimbaSettings::nu), defaulted("bias", &SimbaSettings::bias),
             defaulted("horizon", &SimbaSettings::horizon), defaulted("printed_rate", &SimbaSettings::printed_rate),
             defaulted("clip", &SimbaSettings::clip));
  simba
      .def_property_readonly("divisor", &Simba::divisor,
                             "Divisor of the rows and of nu: the largest norm of a row, or 1.")
      .def(
          "last_weights",
          [](const Simba& self) {
            const BusyGuard guard = self.claim();
            return written(self.dimension(), [&](double* out) { self.last_weights(out); });
          },
          "Return the last iterate, (d,).")
      .def(
          "distribution",
          [](const Simba& self) {
            const BusyGuard guard = self.claim();
            return written(self.size(), [&](double* out) { self.distribution(out); });
          },
          "Return the distribution over the examples, in order of class, (n,).");
}

}  // namespace svm::python
