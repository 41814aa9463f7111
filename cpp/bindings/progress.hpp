// Runs long work that reports its progress to Python and stops at Ctrl-C.
#pragma once

#include <pybind11/pybind11.h>

#include "kernel/gram.hpp"

namespace svm::python {

/// Calls work(report) without the GIL. `progress` is a Python function of the fraction done, or None.
template <typename Work>
void interruptible(const pybind11::object& progress, const Work& work) {
  bool stopped = false;
  const Progress report = [&](double done) {
    const pybind11::gil_scoped_acquire held;
    stopped = stopped || PyErr_CheckSignals() != 0;
    if (!stopped && !progress.is_none()) progress(done);
    return !stopped;
  };
  {
    const pybind11::gil_scoped_release released;
    work(report);
  }
  if (stopped) throw pybind11::error_already_set();
}

}  // namespace svm::python
