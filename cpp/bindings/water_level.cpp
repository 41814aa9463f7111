#include "levels/water_level.hpp"

#include "arrays.hpp"

namespace svm::python {
namespace {

using Method = Levels (*)(const double*, std::size_t, std::size_t, double, bool);

template <Method method>
py::tuple levels(const Array<double>& responses, std::size_t positives, double volume, bool bias) {
  require(responses.ndim() == 1, "responses are a vector");
  const auto n = static_cast<std::size_t>(responses.size());
  require(positives <= n, "there are more positive examples than responses");
  const Levels result = method(responses.data(), n, positives, volume, bias);
  return py::make_tuple(result.positive, result.negative);
}

}  // namespace

void bind_water_level(py::module_& module) {
  module.def("water_levels", &levels<water_levels>, py::arg("responses"), py::arg("positives"), py::arg("volume"),
             py::arg("bias"), "Levels (g+, g-) of class-ordered responses, (n,) float64.");
  module.def("water_levels_sorted", &levels<water_levels_sorted>, py::arg("responses"), py::arg("positives"),
             py::arg("volume"), py::arg("bias"), "The same by sorting: the reference.");
}

}  // namespace svm::python
