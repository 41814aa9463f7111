#include "levels/water_level.hpp"

#include "arrays.hpp"

namespace svm::python {
namespace {

using Method = Levels (*)(const double*, std::size_t, std::size_t, double, bool);

template <Method method>
auto levels(const Array<double>& responses, std::size_t positives, double volume, bool bias) {
  require(responses.ndim() == 1, "responses are a vector");
  const auto n = static_cast<std::size_t>(responses.size());
  require(positives <= n, "there are more positive examples than responses");
  const Levels result = method(responses.data(), n, positives, volume, bias);
  return std::tuple(result.positive, result.negative);
}

}  // namespace

void bind_water_level(py::module_& module) {
  module.def(
      "water_levels", &levels<water_levels>, py::arg("responses"), py::arg("positives"), py::arg("volume"),
      py::arg("bias"),
      "Return the water levels (g+, g-) of responses ordered by class, (n,), for the slack volume.\n\nWithout bias "
      "both are the same. Raises InvalidArgument for responses or a volume that are not finite or above 1e150.");
  module.def("water_levels_sorted", &levels<water_levels_sorted>, py::arg("responses"), py::arg("positives"),
             py::arg("volume"), py::arg("bias"),
             "Return the same as `water_levels`, computed by sorting; the reference for tests.");
}

}  // namespace svm::python
