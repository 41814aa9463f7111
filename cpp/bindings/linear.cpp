#include "../core/linear_dcd.hpp"

#include "arrays.hpp"

namespace svm::python {

void bind_linear(py::module_& module) {
  module.def(
      "linear_dcd",
      [](const Matrix& features, std::size_t positives, double C, double relative_gap, std::uint64_t max_epochs,
         std::uint64_t seed) {
        require(positives <= features.view().rows, "there are more positive examples than rows");
        LinearSolution solution;
        bool stopped = false;
        {
          const py::gil_scoped_release released;
          solution = linear_dcd(features.view(), positives, C, relative_gap, max_epochs, seed, [&] {
            const py::gil_scoped_acquire held;
            stopped = PyErr_CheckSignals() != 0;
            return stopped;
          });
        }
        if (stopped) throw py::error_already_set();
        py::dict out;
        out["weights"] = Array<double>(static_cast<py::ssize_t>(solution.weights.size()), solution.weights.data());
        out["primal"] = solution.primal;
        out["dual"] = solution.dual;
        out["epochs"] = solution.epochs;
        out["converged"] = solution.converged;
        return out;
      },
      py::arg("features"), py::kw_only(), py::arg("positives"), py::arg("C"), py::arg("relative_gap"),
      py::arg("max_epochs"), py::arg("seed"));
}

}  // namespace svm::python
