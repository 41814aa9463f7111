// The settings of a solver as named fields. Each settings struct has one function, fields(), from which everything else
// that knows its members follows: the keyword arguments of the Python class, their types and their defaults.
#pragma once

#include <tuple>

namespace svm {

/// A member of a settings struct by its name. In a new struct its value is the default; if it is `required`, a caller
/// who gives settings by name has to give it.
template <typename T, bool is_required>
struct Field {
  using Type = T;
  static constexpr bool required = is_required;

  const char* name;
  T& value;
};

template <typename T>
Field<T, true> required(const char* name, T& value) {
  return {name, value};
}
template <typename T>
Field<T, false> field(const char* name, T& value) {
  return {name, value};
}

/// The settings of a solver that has none.
struct NoSettings {
  std::tuple<> fields() { return {}; }
};

}  // namespace svm
