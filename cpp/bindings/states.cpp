#include "states.hpp"

#include <variant>

namespace svm::python {
namespace {

/// Copies an array of element type T, in any memory layout, to the column; returns false if it has another type.
template <typename T>
bool copy(const py::array& array, Column& column) {
  if (!py::isinstance<py::array_t<T, 0>>(array)) return false;
  const auto values = py::cast<Array<T>>(array);
  column = std::vector<T>(values.data(), values.data() + values.size());
  return true;
}

}  // namespace

Arrays state_as_arrays(const State& state) {
  Arrays arrays;
  for (const auto& [name, column] : state) {
    arrays[py::str(name)] = std::visit([](const auto& values) -> py::array { return array_of(values); }, column);
  }
  return arrays;
}

State state_of_arrays(const Arrays& arrays) {
  State state;
  for (const auto& [key, value] : arrays) {
    require(py::isinstance<py::str>(key), "the state has a name that is not a string");
    const auto name = py::cast<std::string>(key.attr("encode")("utf-8", "backslashreplace"));
    require(py::isinstance<py::array>(value), "the state's " + name + " is not an array");
    const auto array = py::reinterpret_borrow<py::array>(value);
    Column& column = state[name];
    require(copy<double>(array, column) || copy<float>(array, column) || copy<std::uint64_t>(array, column) ||
                copy<std::uint32_t>(array, column) || copy<std::uint8_t>(array, column),
            "the state's " + name + " is an array of a type that no state has");
  }
  return state;
}

}  // namespace svm::python
