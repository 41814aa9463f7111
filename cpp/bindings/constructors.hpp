// Classes of solvers: constructors whose keyword arguments are the members of a settings struct, and methods that read
// results. Each argument is named beside its member, so no two can be confused, and has the member's default.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "arrays.hpp"
#include "solvers/kernel_solver.hpp"
#include "solvers/linear_solver.hpp"

namespace svm::python {

/// A keyword argument that sets a member.
template <typename S, typename T, bool has_default>
struct Field {
  using Settings = S;
  using Type = T;

  const char* name;
  T S::* member;

  auto argument() const {
    if constexpr (has_default) {
      return py::arg(name) = S{}.*member;
    } else {
      return py::arg(name);
    }
  }
};

template <typename S, typename T>
Field<S, T, false> required(const char* name, T S::* member) {
  return {name, member};
}
template <typename S, typename T>
Field<S, T, true> defaulted(const char* name, T S::* member) {
  return {name, member};
}

/// Defines the constructor that returns make(settings, others...). `arguments` describe the others, which come first;
/// the fields of the settings follow, so `arguments` end the positional ones with py::kw_only().
template <typename Class, typename... Options, typename Settings, typename... Others, typename... Fields,
          typename... Arguments>
void def_made(py::class_<Class, Options...>& type, std::unique_ptr<Class> (*make)(const Settings&, Others...),
              const std::tuple<Fields...>& fields, const Arguments&... arguments) {
  std::apply(
      [&](const auto&... field) {
        type.def(py::init([=](Others... others, typename Fields::Type... values) {
                   Settings settings;
                   std::tie(settings.*field.member...) = std::forward_as_tuple(std::move(values)...);
                   return make(settings, std::forward<Others>(others)...);
                 }),
                 arguments..., field.argument()...);
      },
      fields);
}

/// Defines the constructor of a solver that is made from its data, its settings and, if it has random numbers, a seed.
template <typename Class, typename... Options, typename... Fields>
void def_solver(py::class_<Class, Options...>& type, const Fields&... fields) {
  using Settings = typename std::tuple_element_t<0, std::tuple<Fields...>>::Settings;
  constexpr bool kernel = std::is_base_of_v<KernelSolver, Class>;
  using Source = std::conditional_t<kernel, RowSource, const FeatureMatrix>;
  const py::arg source(kernel ? "rows" : "features");
  if constexpr (std::is_constructible_v<Class, Source&, Settings, std::uint64_t>) {
    const auto make = [](const Settings& settings, Source& data, std::uint64_t seed) {
      return std::make_unique<Class>(data, settings, seed);
    };
    def_made(type, +make, std::tuple(fields...), source, py::kw_only(), py::arg("seed"), py::keep_alive<1, 2>());
  } else {
    const auto make = [](const Settings& settings, Source& data) { return std::make_unique<Class>(data, settings); };
    def_made(type, +make, std::tuple(fields...), source, py::kw_only(), py::keep_alive<1, 2>());
  }
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
template <template <typename> class Method, typename Define>
void bind_precisions(py::module_& module, const std::string& name, const std::string& text, const Define& define) {
  py::class_<Method<double>, LinearSolver> type(module, name.c_str(), text.c_str());
  define(type);
  const std::string text32 = "`" + name + "` with float32 weights.";
  py::class_<Method<float>, LinearSolver> type32(module, (name + "32").c_str(), text32.c_str());
  define(type32);
}

}  // namespace svm::python
