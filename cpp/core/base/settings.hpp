// The settings of a solver as named fields. Each settings struct has one function, fields(), from which everything else
// that knows its members follows: the keyword arguments of the Python class, their types and their defaults.
#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

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

/// Whether a method draws at random: its constructor then takes a seed, after its data and its settings.
template <typename Method, typename Data, typename Settings>
inline constexpr bool takes_seed = !std::is_constructible_v<Method, Data&, Settings>;

/// A method made from its data, its settings if it has any, and the seed if it takes one.
template <typename Method, typename Data, typename Settings>
Method made(Data& data, const Settings& settings, std::uint64_t seed = 0) {
  if constexpr (!takes_seed<Method, Data, Settings>) {
    return Method(data, settings);
  } else if constexpr (std::is_same_v<Settings, NoSettings>) {
    return Method(data, seed);
  } else {
    return Method(data, settings, seed);
  }
}

}  // namespace svm
