#include <optional>

#include "arrays.hpp"
#include "solvers/mpu.hpp"
#include "solvers/sgdqn.hpp"
#include "solvers/svmsgd.hpp"

namespace svm::python {
namespace {

template <typename Real>
void bind_svmsgd(py::module_& module, const char* name) {
  using Method = SvmSgd<Real>;
  py::class_<Method, LinearSolver>(module, name,
                                   "Bottou's SVMSGD; t0 = None: tuned on a sample in the first step. In float64; "
                                   "float32 in the class whose name ends in 32.")
      .def(py::init([](const FeatureMatrix& features, double lambda, std::optional<double> t0, std::uint64_t seed) {
             SvmSgdRule<Real> rule(features.dimension(), lambda);
             return std::make_unique<Method>(features, lambda, t0, std::move(rule), seed);
           }),
           py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("t0") = py::none(), py::arg("seed"),
           py::keep_alive<1, 2>())
      .def_property_readonly("t0", &Method::t0, "The t0 in use; None before it has been tuned.");
}

template <typename Real>
void bind_sgdqn(py::module_& module, const char* name) {
  using Method = SgdQn<Real>;
  py::class_<Method, LinearSolver>(module, name,
                                   "SGD-QN (Bordes, Bottou, Gallinari 2009; erratum 2010); t0 = None: tuned on a "
                                   "sample in the first step. In float64; float32 in the class whose name ends in 32.")
      .def(py::init([](const FeatureMatrix& features, double lambda, SgdQnVariant variant, std::optional<double> t0,
                       std::int64_t skip, std::int64_t tuning_passes, bool permutation, bool restart,
                       std::uint64_t seed) {
             SgdQnRule<Real> rule(features, SgdQnSettings{lambda, variant, skip, tuning_passes, permutation, restart});
             return std::make_unique<Method>(features, lambda, t0, std::move(rule), seed);
           }),
           py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("variant") = SgdQnVariant::corrected,
           py::arg("t0") = py::none(), py::arg("skip") = 16, py::arg("tuning_passes") = 10,
           py::arg("permutation") = true, py::arg("restart") = true, py::arg("seed"), py::keep_alive<1, 2>())
      .def_property_readonly("t0", &Method::t0, "The t0 in use; None before it has been tuned.")
      .def_property_readonly(
          "period", [](const Method& self) { return self.rule().period(); },
          "Steps between two actions of the regulariser.");
}

}  // namespace

void bind_sgd_baselines(py::module_& module) {
  bind_svmsgd<double>(module, "SvmSgd");
  bind_svmsgd<float>(module, "SvmSgd32");
  py::native_enum<SgdQnVariant>(module, "SgdQnVariant", "enum.Enum",
                                "What SGD-QN learns.\n\ncorrected: curvatures are added up (erratum 2010); original: "
                                "ratios are averaged (2009).")
      .value("corrected", SgdQnVariant::corrected)
      .value("original", SgdQnVariant::original)
      .finalize();
  bind_sgdqn<double>(module, "SgdQn");
  bind_sgdqn<float>(module, "SgdQn32");

  py::class_<Mpu, LinearSolver>(
      module, "Mpu", "The margin perceptron with unlearning; ends when the relative gap (J - L) / L is at most eps.")
      .def(py::init([](const FeatureMatrix& features, double lambda, double eps, std::uint64_t seed) {
             return std::make_unique<Mpu>(features, MpuSettings{lambda, eps}, seed);
           }),
           py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("eps") = 0.01, py::arg("seed"),
           py::keep_alive<1, 2>())
      .def(
          "alpha",
          [](const Mpu& self) {
            const BusyGuard guard = self.claim();
            return written(self.size(), [&](double* out) { self.alpha(out); });
          },
          "Return the dual variables of the examples, in order of class, (n,).")
      .def_property_readonly("parts", &Mpu::parts, "Number of steps from 0 to C that a dual variable can take.");
}

}  // namespace svm::python
