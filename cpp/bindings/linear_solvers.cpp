#include <cmath>
#include <optional>

#include "arrays.hpp"
#include "constructors.hpp"
#include "solvers/dcd.hpp"
#include "solvers/linear_pegasos.hpp"
#include "solvers/mpu.hpp"
#include "solvers/sgd.hpp"
#include "solvers/sgdqn.hpp"
#include "solvers/simba.hpp"
#include "solvers/svmsgd.hpp"

namespace svm::python {

void bind_linear_solvers(py::module_& module) {
  py::class_<LinearSolver, Solver>(module, "LinearSolver",
                                   "A solver whose predictor is f(x) = <w, x> + bias, with explicit weights w.")
      .def("weights", claimed_array<LinearSolver>(&LinearSolver::dimension, &LinearSolver::weights),
           "Return the weights of the present predictor, (d,).")
      .def_property_readonly("bias", claimed<LinearSolver>(&LinearSolver::bias),
                             "The bias of the present predictor; 0 for methods without one.")
      .def_property_readonly(
          "lower_bound", claimed<LinearSolver>([](const LinearSolver& self) {
            const double bound = self.lower_bound();
            return std::isnan(bound) ? std::nullopt : std::optional<double>(bound);
          }),
          "A lower bound on the optimum of the lambda form, or None if the method does not compute one.");

  bind_solver<LinearPegasos, LinearPegasosSettings>(
      module, "LinearPegasos",
      "Pegasos on explicit weights.\n\nproject: project onto |w| <= 1 / sqrt(lambda) after each step.");

  auto simba = bind_solver<Simba, SimbaSettings>(
      module, "Simba",
      "SVM-SIMBA (Hazan, Koren, Srebro 2011, Algorithm 1); `weights` and `bias` are the means of all "
      "iterates.\n\nhorizon: constant steps for so many iterations; 0: shrinking steps and no end. printed_rate: eta = "
      "sqrt(log n) / t instead of sqrt(log(n) / t). clip: limit the estimates to [-1/eta, 1/eta] (line 10).");
  simba
      .def_property_readonly("divisor", &Simba::divisor,
                             "Divisor of the rows and of nu: the largest norm of a row, or 1.")
      .def("last_weights", claimed_array<Simba>(&Simba::dimension, &Simba::last_weights),
           "Return the last iterate, (d,).")
      .def("distribution", claimed_array<Simba>(&Simba::size, &Simba::distribution),
           "Return the distribution over the examples, in order of class, (n,).");

  bind_solver<SgdRandom, SgdRandomSettings>(
      module, "SgdRandom", "SGD-r (Panagiotakopoulos, Tsampouka 2013): examples drawn with replacement.");

  bind_precisions<SgdPasses, SgdSettings>(
      module, "SgdPasses",
      "SGD-s and SGD-m (Panagiotakopoulos, Tsampouka 2013): passes in random order; ends when (J - L) / L <= "
      "eps.\n\nmultiplicities: presentations of each example in a row, in the first pass, the second, ..., repeated; "
      "check_factor: J is computed if its estimate gives a gap of at most check_factor eps.",
      [](auto& type) {
        using Method = typename std::decay_t<decltype(type)>::type;
        type.def("updates", claimed_vector<Method>(&Method::updates),
                 "Return the number of updates by each example, in order of class, (n,).")
            .def_property_readonly("checks", &Method::checks,
                                   "Number of times that the primal objective was computed.");
      });
  module.def(
      "multiple_update",
      [](double threshold, double lambda, double response, double squared_norm, std::uint32_t multiplicity) {
        require(std::isfinite(threshold) && std::isfinite(response), "threshold and response must be finite");
        require_setting(lambda, "lambda");
        require_not_negative(squared_norm, "squared_norm");
        require(multiplicity > 0, "an example is presented at least once in a row, not 0 times");
        return multiple_update(threshold, lambda, response, squared_norm, multiplicity);
      },
      py::kw_only(), py::arg("threshold"), py::arg("lambda_"), py::arg("response"), py::arg("squared_norm"),
      py::arg("multiplicity"),
      "Return the updates in `multiplicity` presentations in a row, with thresholds that rise by lambda each "
      "time.\n\nthreshold: the first one; response: y <a, x> before. Raises InvalidArgument for values that are not "
      "finite or not allowed.");

  auto dcd = bind_solver<Dcd, DcdSettings>(
      module, "Dcd",
      "Dual coordinate descent (Hsieh et al. 2008) for the linear SVM; ends when (P - D) / D <= eps.\n\nshrinking: "
      "leaves out coordinates that seem to stay at their bounds; permutation: a fresh order in each pass.");
  dcd.def("alpha", claimed_vector<Dcd>(&Dcd::alpha),
          "Return the dual variables of the examples, in order of class, (n,), in [0, C].");

  const auto define_t0 = [](auto& type) {
    using Method = typename std::decay_t<decltype(type)>::type;
    type.def_property_readonly("t0", &Method::t0, "The t0 in use; None before it has been tuned.");
  };
  bind_precisions<SvmSgd, SvmSgdSettings>(
      module, "SvmSgd", "Bottou's SVMSGD; t0 = None: tuned on a sample in the first step.", define_t0);
  bind_enum<SgdQnVariant>(module, "SgdQnVariant",
                          "What SGD-QN learns.\n\ncorrected: curvatures are added up (erratum 2010); original: "
                          "ratios are averaged (2009).",
                          {{"corrected", SgdQnVariant::corrected}, {"original", SgdQnVariant::original}});
  bind_precisions<SgdQn, SgdQnSettings>(
      module, "SgdQn",
      "SGD-QN (Bordes, Bottou, Gallinari 2009; erratum 2010); t0 = None: tuned on a sample in the first step.\n\n"
      "skip: steps between two actions of the regulariser on dense rows. permutation: each epoch has a new random "
      "order. "
      "Of the corrected variant: tuning_passes, over the sample in a trial of a t0, from 1 to 100; restart: each epoch "
      "counts the steps to the regulariser's next action anew.",
      [&](auto& type) {
        using Method = typename std::decay_t<decltype(type)>::type;
        define_t0(type);
        type.def_property_readonly(
            "period", [](const Method& self) { return self.rule().period(); },
            "Steps between two actions of the regulariser.");
      });

  auto mpu = bind_solver<Mpu, MpuSettings>(
      module, "Mpu", "The margin perceptron with unlearning; ends when the relative gap (J - L) / L is at most eps.");
  mpu.def("alpha", claimed_array<Mpu>(&Mpu::size, &Mpu::alpha),
          "Return the dual variables of the examples, in order of class, (n,).")
      .def_property_readonly("parts", &Mpu::parts, "Number of steps from 0 to C that a dual variable can take.");
}

}  // namespace svm::python
