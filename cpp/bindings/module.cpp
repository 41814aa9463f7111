#include "arrays.hpp"
#include "base/error.hpp"

PYBIND11_MODULE(_core, module) {
  namespace py = pybind11;
  using namespace svm::python;
  module.doc() = "The instrumented core: kernels, counted rows, water levels and solvers.";
  py::register_exception<svm::InvalidArgument>(module, "InvalidArgument", PyExc_ValueError).attr("__doc__") =
      "A setting, shape or value outside the allowed range.";
  bind_build(module);
  bind_random(module);
  bind_kernel(module);
  bind_rows(module);
  bind_features(module);
  bind_water_level(module);
  bind_solvers(module);
  bind_linear_solvers(module);
  bind_asset(module);
  bind_minibatch(module);
  bind_cutting_planes(module);
  bind_elastic_deformation(module);
}
