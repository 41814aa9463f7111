// Classes of solvers: constructors whose keyword arguments are the fields of a settings struct, and methods that read
// results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "arrays.hpp"
#include "base/settings.hpp"
#include "solvers/kernel_solver.hpp"
#include "solvers/linear_solver.hpp"

namespace svm::python {

/// The keyword argument that sets a field. Python has another use for the name lambda.
template <typename Field>
auto argument(const Field& field) {
  const py::arg named(field.name == std::string_view("lambda") ? "lambda_" : field.name);
  if constexpr (Field::required) {
    return named;
  } else {
    return py::arg(named) = typename Field::Type(field.value);
  }
}

/// Defines the constructor that returns make(settings, others...). `arguments` describe the others, which come first;
/// the fields of the settings follow, so `arguments` end the positional ones with py::kw_only().
template <typename Settings, typename... Others, typename Class, typename... Options, typename Make,
          typename... Arguments>
void def_made(py::class_<Class, Options...>& type, const Make& make, const Arguments&... arguments) {
  Settings defaults;
  std::apply(
      [&](auto... field) {
        type.def(py::init([make](Others... others, typename decltype(field)::Type... values) {
                   Settings settings;
                   std::apply([](auto... member) { return std::tie(member.value...); }, settings.fields()) =
                       std::forward_as_tuple(std::move(values)...);
                   return make(settings, std::forward<Others>(others)...);
                 }),
                 arguments..., argument(field)...);
      },
      defaults.fields());
}

/// Binds a solver that is made from its data, its settings if it has any, and a seed if it has random numbers.
template <typename Class, typename Settings = NoSettings>
auto bind_solver(py::module_& module, const char* name, const char* text) {
  using Source = typename Class::Source;
  constexpr bool kernel = std::is_base_of_v<KernelSolver, Class>;
  constexpr bool linear = std::is_base_of_v<LinearSolver, Class>;
  py::class_<Class, std::conditional_t<kernel, KernelSolver, std::conditional_t<linear, LinearSolver, Solver>>> type(
      module, name, text);
  const auto make = [](const Settings& settings, Source& data, auto... seed) {
    return std::unique_ptr<Class>(new Class(made<Class>(data, settings, seed...)));
  };
  const py::arg source(kernel ? "rows" : "features");
  if constexpr (takes_seed<Class, Source, Settings>) {
    def_made<Settings, Source&, std::uint64_t>(type, make, source, py::kw_only(), py::arg("seed"),
                                               py::keep_alive<1, 2>());
  } else {
    def_made<Settings, Source&>(type, make, source, py::kw_only(), py::keep_alive<1, 2>());
  }
  return type;
}

/// A method of `Class` that returns read(solver), and keeps other threads out meanwhile: see Solver::claim.
template <typename Class, typename Read>
auto claimed(const Read& read) {
  return [read](const Class& self) {
    const BusyGuard guard = self.claim();
    return std::invoke(read, self);
  };
}

/// The same for a member that returns a vector: a copy of it.
template <typename Class, typename Values>
auto claimed_vector(const Values& values) {
  return claimed<Class>([values](const Class& self) { return array_of(std::invoke(values, self)); });
}

/// The same for a member that writes as many numbers as the member `size` says.
template <typename Class, typename Size, typename Write>
auto claimed_array(const Size& size, const Write& write) {
  return claimed<Class>([size, write](const Class& self) {
    return written(std::invoke(size, self), [&](double* out) { std::invoke(write, self, out); });
  });
}

/// Binds Method<double> as `name` and Method<float> as `name` + "32"; define(type) defines the members of either class.
template <template <typename> class Method, typename Settings, typename Define>
void bind_precisions(py::module_& module, const std::string& name, const char* text, const Define& define) {
  auto type = bind_solver<Method<double>, Settings>(module, name.c_str(), text);
  define(type);
  const std::string text32 = "`" + name + "` with float32 weights.";
  auto type32 = bind_solver<Method<float>, Settings>(module, (name + "32").c_str(), text32.c_str());
  define(type32);
}

}  // namespace svm::python
