// States of the core's objects in Python: dictionaries of numpy arrays.
#pragma once

#include "arrays.hpp"
#include "base/state.hpp"

namespace svm::python {

py::dict state_as_arrays(const State& state);
State state_of_arrays(const py::dict& arrays);

/// Binds `state` and `restore` of a class that has archive().
template <typename Class, typename... Options>
void bind_state(py::class_<Class, Options...>& type) {
  type.def(
          "state", [](Class& self) { return state_as_arrays(state_of(self)); },
          "Return everything on which later results depend, as arrays by member name.")
      .def(
          "restore", [](Class& self, const py::dict& state) { restore(self, state_of_arrays(state)); },
          py::arg("state"),
          "Continue from a state of an object with the same constructor arguments.\n\nRaises InvalidArgument, and "
          "leaves the object unchanged, if the state does not fit.");
}

}  // namespace svm::python
