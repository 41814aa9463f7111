// States of the core's objects as Python has them: numpy arrays by names.
#pragma once

#include "base/state.hpp"
#include "arrays.hpp"

namespace svm::python {

py::dict state_as_arrays(const State& state);
State state_of_arrays(const py::dict& arrays);

/// Binds `state` and `restore` of a class that archives itself.
template <typename Class, typename... Options>
void bind_state(py::class_<Class, Options...>& type) {
  type.def("state", [](Class& self) { return state_as_arrays(state_of(self)); })
      .def(
          "restore", [](Class& self, const py::dict& state) { restore(self, state_of_arrays(state)); },
          py::arg("state"));
}

}  // namespace svm::python
