// States of the core's objects in Python: dictionaries of numpy arrays.
#pragma once

#include "arrays.hpp"
#include "base/counters.hpp"
#include "base/state.hpp"

namespace svm::python {

using Arrays = py::typing::Dict<py::str, py::array>;

Arrays state_as_arrays(const State& state);
State state_of_arrays(const Arrays& arrays);

/// Binds `state` and `restore` of a class that has archive().
template <typename Class, typename... Options>
void bind_state(py::class_<Class, Options...>& type) {
  type.def(
          "state", [](Class& self) { return state_as_arrays(state_of(self)); },
          "Return everything on which later results depend, as arrays by member name.")
      .def(
          "restore", [](Class& self, const Arrays& state) { restore(self, state_of_arrays(state)); }, py::arg("state"),
          "Continue from a state of an object with the same constructor arguments.\n\nRaises InvalidArgument, and "
          "leaves the object unchanged, if the state does not fit.");
}

/// Binds what the counted views of kernel rows and of features share, for solvers written in Python.
template <typename View>
void bind_counted(py::class_<View>& type) {
  type.def(
          "label",
          [](const View& self, std::size_t i) {
            require_index(i, self.size(), "row");
            return self.label(i);
          },
          py::arg("i"),
          "Return the label of training point i, 1.0 or -1.0.\n\nRaises InvalidArgument if there is no such point.")
      .def(
          "present",
          [](View& self, std::uint64_t examples) {
            require(examples <= std::uint64_t{1} << 32,
                    "an iteration reads 2^32 examples at most, not " + std::to_string(examples));
            ++self.counters().iterations;
            self.counters().presentations += examples;
          },
          py::arg("examples") = 1,
          "Count one iteration of the solver's main loop, which read `examples` examples (at most 2^32).")
      .def_property_readonly("counters", [](const View& self) { return self.counters(); }, "A copy of the counters.");
  bind_state(type);
}

}  // namespace svm::python
