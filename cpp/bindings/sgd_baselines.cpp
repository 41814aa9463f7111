#include <optional>

#include "arrays.hpp"
#include "constructors.hpp"
#include "solvers/mpu.hpp"
#include "solvers/sgdqn.hpp"
#include "solvers/svmsgd.hpp"

namespace svm::python {
void bind_sgd_baselines(py::module_& module) {
  bind_precisions<SvmSgd>(
      module, "SvmSgd", "Bottou's SVMSGD; t0 = None: tuned on a sample in the first step.", [](auto& type) {
        using Method = typename std::decay_t<decltype(type)>::type;
        type.def(py::init(
                     [](const FeatureMatrix& features, double lambda, std::optional<double> t0, std::uint64_t seed) {
                       typename Method::Rule rule(features.dimension(), lambda);
                       return std::make_unique<Method>(features, lambda, t0, std::move(rule), seed);
                     }),
                 py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("t0") = py::none(), py::arg("seed"),
                 py::keep_alive<1, 2>())
            .def_property_readonly("t0", &Method::t0, "The t0 in use; None before it has been tuned.");
      });
  py::native_enum<SgdQnVariant>(module, "SgdQnVariant", "enum.Enum",
                                "What SGD-QN learns.\n\ncorrected: curvatures are added up (erratum 2010); original: "
                                "ratios are averaged (2009).")
      .value("corrected", SgdQnVariant::corrected)
      .value("original", SgdQnVariant::original)
      .finalize();
  bind_precisions<SgdQn>(
      module, "SgdQn",
      "SGD-QN (Bordes, Bottou, Gallinari 2009; erratum 2010); t0 = None: tuned on a sample in the first step.",
      [](auto& type) {
        using Method = typename std::decay_t<decltype(type)>::type;
        def_made(
            type,
            +[](const SgdQnSettings& settings, const FeatureMatrix& features, std::optional<double> t0,
                std::uint64_t seed) {
              typename Method::Rule rule(features, settings);
              return std::make_unique<Method>(features, settings.lambda, t0, std::move(rule), seed);
            },
            std::tuple(
                required("lambda_", &SgdQnSettings::lambda), defaulted("variant", &SgdQnSettings::variant),
                defaulted("skip", &SgdQnSettings::skip), defaulted("tuning_passes", &SgdQnSettings::tuning_passes),
                defaulted("permutation", &SgdQnSettings::permutation), defaulted("restart", &SgdQnSettings::restart)),
            py::arg("features"), py::kw_only(), py::arg("t0") = py::none(), py::arg("seed"), py::keep_alive<1, 2>());
        type.def_property_readonly("t0", &Method::t0, "The t0 in use; None before it has been tuned.")
            .def_property_readonly(
                "period", [](const Method& self) { return self.rule().period(); },
                "Steps between two actions of the regulariser.");
      });

  py::class_<Mpu, LinearSolver> mpu(
      module, "Mpu", "The margin perceptron with unlearning; ends when the relative gap (J - L) / L is at most eps.");
  def_solver(mpu, required("lambda_", &MpuSettings::lambda), defaulted("eps", &MpuSettings::eps));
  mpu.def(
         "alpha",
         [](const Mpu& self) {
           const BusyGuard guard = self.claim();
           return written(self.size(), [&](double* out) { self.alpha(out); });
         },
         "Return the dual variables of the examples, in order of class, (n,).")
      .def_property_readonly("parts", &Mpu::parts, "Number of steps from 0 to C that a dual variable can take.");
}

}  // namespace svm::python
