// A solver outside the project: the kernel Adatron (Friess, Cristianini, Campbell 1998), a Python module of its own.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <string>

#include "svm/base/error.hpp"
#include "svm/random/epoch_order.hpp"
#include "svm/solvers/kernel_solver.hpp"

namespace adatron {

/// In passes over a fresh order, alpha_i moves by eta (1 - y_i f(x_i)) within [0, C].
class Adatron final : public svm::KernelSolver {
 public:
  Adatron(svm::RowSource& source, double C, double eta, std::uint64_t seed)
      : KernelSolver(source),
        C_(svm::require_setting(C, "C")),
        eta_(svm::require_setting(eta, "eta")),
        order_(source.size(), seed),
        alpha_(source.size()),
        responses_(source.size()) {}

  void coefficients(double* out) const override {
    for (std::size_t i = 0; i < size(); ++i) out[i] = rows_.label(i) * alpha_[i];
  }
  bool responses(double* out) const override {
    std::copy(responses_.begin(), responses_.end(), out);
    return true;
  }
  void archive(svm::StateArchive& state) override {
    KernelSolver::archive(state);
    state.part("order", order_);
    state.values("alpha", alpha_);
    state.values("responses", responses_);
  }

 protected:
  bool step() override {
    const std::size_t i = order_.now();
    const double before = alpha_[i];
    alpha_[i] = std::clamp(before + eta_ * (1.0 - responses_[i]), 0.0, C_);
    if (alpha_[i] != before) rows_.add(responses_.data(), i, alpha_[i] - before);  // n kernel evaluations
    ++rows_.counters().iterations;
    ++rows_.counters().presentations;
    order_.advance();
    return true;
  }

 private:
  double C_;
  double eta_;
  svm::EpochOrder order_;
  std::vector<double> alpha_;
  std::vector<double> responses_;  // y_i f(x_i)
};

}  // namespace adatron

PYBIND11_MODULE(adatron_core, module) {
  namespace py = pybind11;
  // Rows and solvers are objects of the program's core: one of another build may lay them out in another way.
  const py::module_ core = py::module_::import("svm_cost_curves.solvers._core");
  if (core.attr("build_info")()["build_id"].cast<std::string>() != SVM_BUILD_ID) {
    throw py::import_error("adatron_core was compiled against another build of svm_core than the one that runs");
  }
  py::class_<adatron::Adatron, svm::KernelSolver>(module, "Adatron")
      .def(py::init<svm::RowSource&, double, double, std::uint64_t>(), py::arg("rows"), py::kw_only(), py::arg("C"),
           py::arg("eta"), py::arg("seed"), py::keep_alive<1, 2>());
}
