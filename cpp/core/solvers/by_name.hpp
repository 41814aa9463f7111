// Kernel solvers by name. Python makes a solver of the list in by_name.cpp by `_core.KernelSolver(name, ...)`, and
// tests/test_resume.cpp tests each.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "solvers/kernel_solver.hpp"

namespace svm {

/// Settings by name, as Python hands them over: numbers, with 0 and 1 for flags.
class NamedSettings {
 public:
  explicit NamedSettings(std::map<std::string, double> values) : values_(std::move(values)) {}

  // Each returns the value called `name`, or `otherwise`. Throws InvalidArgument if the value has another type.
  double number(const char* name, double otherwise);
  bool flag(const char* name, bool otherwise);
  std::uint64_t count(const char* name, std::uint64_t otherwise);
  /// Throws InvalidArgument if a setting is given that none of them has read.
  void require_all_read() const;

 private:
  std::map<std::string, double> values_;
  std::vector<std::string> names_;
};

using MakeKernelSolver =
    std::function<std::unique_ptr<KernelSolver>(RowSource& rows, NamedSettings& settings, std::uint64_t seed)>;

/// All solvers that are made by name.
const std::map<std::string, MakeKernelSolver>& named_solvers();

/// Throws InvalidArgument if there is no such solver or setting, or if the solver refuses a value.
std::unique_ptr<KernelSolver> make_by_name(const std::string& name, RowSource& rows, NamedSettings settings,
                                           std::uint64_t seed);

}  // namespace svm
