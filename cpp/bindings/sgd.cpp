#include "solvers/sgd.hpp"

#include "arrays.hpp"
#include "constructors.hpp"
#include "solvers/dcd.hpp"

namespace svm::python {

void bind_sgd(py::module_& module) {
  py::class_<SgdRandom, LinearSolver>(module, "SgdRandom",
                                      "SGD-r (Panagiotakopoulos, Tsampouka 2013): examples drawn with replacement.")
      .def(py::init<const FeatureMatrix&, double, std::uint64_t>(), py::arg("features"), py::kw_only(),
           py::arg("lambda_"), py::arg("seed"), py::keep_alive<1, 2>());

  bind_precisions<SgdPasses>(
      module, "SgdPasses",
      "SGD-s and SGD-m (Panagiotakopoulos, Tsampouka 2013): passes in random order; ends when (J - L) / L <= eps.",
      [](auto& type) {
        using Method = typename std::decay_t<decltype(type)>::type;
        def_solver(type, required("lambda_", &SgdSettings::lambda), required("eps", &SgdSettings::eps),
                   required("check_factor", &SgdSettings::check_factor),
                   required("multiplicities", &SgdSettings::multiplicities));
        type.def(
                "updates",
                [](const Method& self) {
                  const BusyGuard guard = self.claim();
                  return Array<std::uint32_t>(static_cast<py::ssize_t>(self.size()), self.updates().data());
                },
                "Return the number of updates by each example, in order of class, (n,).")
            .def_property_readonly("checks", &Method::checks,
                                   "Number of times that the primal objective was computed.");
      });
  module.def(
      "multiple_update",
      [](double threshold, double lambda, double response, double squared_norm, std::uint32_t multiplicity) {
        require(std::isfinite(threshold) && std::isfinite(response), "threshold and response must be finite");
        require_positive(lambda, "lambda");
        require_not_negative(squared_norm, "squared_norm");
        require(multiplicity > 0, "an example is presented at least once in a row, not 0 times");
        return multiple_update(threshold, lambda, response, squared_norm, multiplicity);
      },
      py::kw_only(), py::arg("threshold"), py::arg("lambda_"), py::arg("response"), py::arg("squared_norm"),
      py::arg("multiplicity"),
      "Return the updates in `multiplicity` presentations in a row, with thresholds that rise by lambda each "
      "time.\n\nthreshold: the first one; response: y <a, x> before. Raises InvalidArgument for values that are not "
      "finite or not allowed.");

  py::class_<Dcd, LinearSolver> dcd(
      module, "Dcd",
      "Dual coordinate descent (Hsieh et al. 2008) for the linear SVM; ends when (P - D) / D <= eps.\n\nshrinking: "
      "leaves out coordinates that seem to stay at their bounds; permutation: a fresh order in each pass.");
  def_solver(dcd, required("C", &DcdSettings::C), required("eps", &DcdSettings::eps),
             defaulted("shrinking", &DcdSettings::shrinking), defaulted("permutation", &DcdSettings::permutation));
  dcd.def(
      "alpha",
      [](const Dcd& self) {
        const BusyGuard guard = self.claim();
        return Array<double>(static_cast<py::ssize_t>(self.size()), self.alpha().data());
      },
      "Return the dual variables of the examples, in order of class, (n,), in [0, C].");
}

}  // namespace svm::python
