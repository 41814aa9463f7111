// What an object goes on from after a pause, by names: one list of its members both writes and reads it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "error.hpp"

namespace svm {

/// Values of one member, to the bit.
using Column = std::variant<std::vector<double>, std::vector<float>, std::vector<std::uint64_t>,
                            std::vector<std::uint32_t>, std::vector<std::uint8_t>>;
/// By the names of members; those of a part are "part.member".
using State = std::map<std::string, Column>;

/// Handed through `archive(StateArchive&)` of an object that has been made from the same settings, and of its parts.
class StateArchive {
 public:
  /// To be written to an empty state.
  explicit StateArchive(State& state) : written_(&state), state_(state) {}
  /// To be read from a state.
  explicit StateArchive(const State& state) : state_(state) {}

  bool reads() const noexcept { return written_ == nullptr; }
  /// Whether what was read is all there is.
  bool read_all() const noexcept { return read_ == state_.size(); }

  /// Values of which the settings say how many there are: a state that has another number of them is refused.
  template <typename T, typename Allocator>
  void values(const char* name, std::vector<T, Allocator>& own) {
    if (reads()) require(find<T>(name).size() == own.size(), "the state is not one of this solver: " + prefix_ + name);
    list(name, own);
  }
  /// As many values as there are.
  template <typename T, typename Allocator>
  void list(const char* name, std::vector<T, Allocator>& own) {
    if (!reads()) return write(name, std::vector<Stored<T>>(own.begin(), own.end()));
    const std::vector<Stored<T>>& stored = find<T>(name);
    own.assign(stored.begin(), stored.end());
    ++read_;
  }
  /// As many lists as there are.
  template <typename List>
  void lists(const char* name, std::vector<List>& own) {
    using T = typename List::value_type;
    std::vector<std::uint64_t> sizes;
    std::vector<T> all;
    for (const List& one : own) {
      sizes.push_back(one.size());
      all.insert(all.end(), one.begin(), one.end());
    }
    list((std::string(name) + ".sizes").c_str(), sizes);
    list(name, all);
    if (!reads()) return;
    own.clear();
    auto next = all.cbegin();
    for (const std::uint64_t size : sizes) {
      require(size <= static_cast<std::uint64_t>(all.cend() - next),
              "the state is not one of this solver: " + prefix_ + name);
      const auto end = next + static_cast<std::ptrdiff_t>(size);
      own.emplace_back(next, end);
      next = end;
    }
  }
  template <typename T>
  void number(const char* name, T& own) {
    std::vector<Stored<T>> one{static_cast<Stored<T>>(own)};
    values(name, one);
    own = static_cast<T>(one[0]);
  }
  /// An object that archives itself.
  template <typename Part>
  void part(const char* name, Part& own) {
    const std::string before = std::exchange(prefix_, prefix_ + name + ".");
    own.archive(*this);
    prefix_ = before;
  }

 private:
  template <typename T>
  using Unsigned = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                      std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint8_t>>;
  template <typename T>
  struct StoredAs {
    static_assert(std::is_floating_point_v<T> || std::is_unsigned_v<T>);
    using type = std::conditional_t<std::is_floating_point_v<T>, T, Unsigned<T>>;
  };
  template <typename T>
  using Stored = typename StoredAs<T>::type;

  template <typename T>
  void write(const char* name, std::vector<T> values) {
    const bool fresh = written_->emplace(prefix_ + name, std::move(values)).second;
    require(fresh, "two members are called " + prefix_ + name);
  }
  template <typename T>
  const std::vector<Stored<T>>& find(const char* name) const {
    const auto found = state_.find(prefix_ + name);
    const auto* values = found == state_.end() ? nullptr : std::get_if<std::vector<Stored<T>>>(&found->second);
    require(values != nullptr, "the state is not one of this solver: " + prefix_ + name);
    return *values;
  }

  State* written_ = nullptr;
  const State& state_;
  std::string prefix_;
  std::size_t read_ = 0;
};

/// The state of an object that archives itself.
template <typename T>
State state_of(T& object) {
  State state;
  StateArchive writer(state);
  object.archive(writer);
  return state;
}

/// Brings an object that was made alike to a state.
template <typename T>
void restore(T& object, const State& state) {
  StateArchive reader(state);
  object.archive(reader);
  require(reader.read_all(), "the state is not one of this solver: it says more than this one knows of");
}

}  // namespace svm
