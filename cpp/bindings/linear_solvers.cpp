#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "solvers/linear_pegasos.hpp"
#include "solvers/simba.hpp"

namespace svm::python {
namespace {

template <typename Real>
void bind_pegasos(py::module_& module, const char* name) {
  using Method = LinearPegasos<Real>;
  py::class_<Method, LinearSolver>(module, name, "Pegasos on explicit weights, in float64; float32 in LinearPegasos32.")
      .def(py::init([](const FeatureMatrix& features, double lambda, bool project, std::uint64_t seed) {
             return std::make_unique<Method>(features, LinearPegasosSettings{lambda, project}, seed);
           }),
           py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("project") = false, py::arg("seed"),
           py::keep_alive<1, 2>());
}

}  // namespace

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

  bind_pegasos<double>(module, "LinearPegasos");
  bind_pegasos<float>(module, "LinearPegasos32");

  py::class_<Simba, LinearSolver>(
      module, "Simba",
      "SVM-SIMBA (Hazan, Koren, Srebro 2011, Algorithm 1); `weights` and `bias` are the means of all "
      "iterates.\n\nhorizon: constant steps for so many iterations; 0: shrinking steps and no end. printed_rate: eta = "
      "sqrt(log n) / t instead of sqrt(log(n) / t). clip: limit the estimates to [-1/eta, 1/eta] (line 10).")
      .def(py::init([](const FeatureMatrix& features, double nu, bool bias, std::uint64_t horizon, bool printed_rate,
                       bool clip, std::uint64_t seed) {
             return std::make_unique<Simba>(features, SimbaSettings{nu, bias, horizon, printed_rate, clip}, seed);
           }),
           py::arg("features"), py::kw_only(), py::arg("nu"), py::arg("bias") = false, py::arg("horizon") = 0,
           py::arg("printed_rate") = false, py::arg("clip") = true, py::arg("seed"), py::keep_alive<1, 2>())
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
