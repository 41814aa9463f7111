// The state of an object as named arrays. Each class has one function, archive(), that both writes and reads its
// members.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace svm {

/// The exact values of one member.
using Column = std::variant<std::vector<double>, std::vector<float>, std::vector<std::uint64_t>,
                            std::vector<std::uint32_t>, std::vector<std::uint8_t>>;
/// By the names of the members; a member of a part is called "part.member".
using State = std::map<std::string, Column>;

/// The argument of `archive(StateArchive&)`, which calls one function below for each member. A state is read into an
/// object that was constructed from the same settings. The state may be damaged or hostile, so each call also gives the
/// allowed values: a bound for indices, a size for lists, a range for numbers that a loop or an address depends on.
/// Conditions on several members together are checked by `archive` after it has read them.
class StateArchive {
 public:
  /// Writes the members to an empty state.
  explicit StateArchive(State& state) : written_(&state), state_(state) {}
  /// Reads the members from a state.
  explicit StateArchive(const State& state) : state_(state) {}

  bool reads() const noexcept { return written_ == nullptr; }
  /// Whether every value of the state has been read.
  bool read_all() const noexcept { return read_ == state_.size(); }

  /// When reading, throws InvalidArgument unless `holds`; the message is the member's name followed by `why`.
  void check(bool holds, const char* name, const char* why) const {
    if (reads() && !holds) refuse(name, why);
  }
  /// The sizes of the problem. A state of a problem of other sizes is refused.
  void problem(std::initializer_list<std::pair<const char*, std::uint64_t>> sizes) {
    std::vector<std::uint64_t> stored;
    for (const auto& [what, size] : sizes) stored.push_back(size);
    values("problem", stored);
    std::size_t k = 0;
    for (const auto& [what, size] : sizes) {
      const std::uint64_t other = stored[k++];
      require(other == size, "the state is one of another problem: " + std::string(what) + " = " +
                                 std::to_string(other) + ", here it is " + std::to_string(size));
    }
  }

  /// A vector whose length follows from the settings. A state with another length is refused.
  template <typename T, typename Allocator>
  void values(const char* name, std::vector<T, Allocator>& member) {
    if (reads() && find<T>(name).size() != member.size()) {
      refuse(name, " has " + std::to_string(find<T>(name).size()) + " values, not " + std::to_string(member.size()));
    }
    list(name, member);
  }
  /// `values`, each finite and at most `most` in magnitude.
  template <typename T, typename Allocator>
  void finite_values(const char* name, std::vector<T, Allocator>& member, double most = largest) {
    values(name, member);
    check_finite(name, member, most);
  }
  /// `values`, each an index below `bound`.
  template <typename T>
  void indices(const char* name, std::vector<T>& member, std::size_t bound) {
    values(name, member);
    check_bound(name, member, bound);
  }
  /// `values` that are a permutation of 0, 1, ..., size - 1.
  template <typename T>
  void permutation(const char* name, std::vector<T>& member) {
    indices(name, member, member.size());
    check_distinct(name, member, member.size());
  }
  /// A vector of any length.
  template <typename T, typename Allocator>
  void list(const char* name, std::vector<T, Allocator>& member) {
    static_assert(std::is_floating_point_v<T> || std::is_unsigned_v<T>);
    if (!reads()) return write(name, std::vector<Stored<T>>(member.begin(), member.end()));
    const std::vector<Stored<T>>& stored = find<T>(name);
    member.assign(stored.begin(), stored.end());
    ++read_;
  }
  /// `list`, each value finite and at most `most` in magnitude.
  template <typename T, typename Allocator>
  void finite_list(const char* name, std::vector<T, Allocator>& member, double most = largest) {
    list(name, member);
    check_finite(name, member, most);
  }
  /// `list` of at most `bound` indices, each below `bound`.
  template <typename T>
  void index_list(const char* name, std::vector<T>& member, std::size_t bound) {
    list(name, member);
    check(member.size() <= bound, name, " has more elements than there are places");
    check_bound(name, member, bound);
  }
  /// `index_list` without repeated indices.
  template <typename T>
  void distinct_list(const char* name, std::vector<T>& member, std::size_t bound) {
    index_list(name, member, bound);
    check_distinct(name, member, bound);
  }
  /// `index_list` in strictly rising order.
  template <typename T>
  void rising_list(const char* name, std::vector<T>& member, std::size_t bound) {
    index_list(name, member, bound);
    check(std::is_sorted(member.begin(), member.end()), name, " does not rise");
    check_distinct(name, member, bound);
  }
  /// Any number of vectors of any lengths.
  template <typename List>
  void lists(const char* name, std::vector<List>& member) {
    using T = typename List::value_type;
    std::vector<std::uint64_t> sizes;
    std::vector<T> all;
    for (const List& one : member) {
      sizes.push_back(one.size());
      all.insert(all.end(), one.begin(), one.end());
    }
    list((std::string(name) + ".sizes").c_str(), sizes);
    list(name, all);
    if (!reads()) return;
    member.clear();
    auto next = all.cbegin();
    const char* const wrong = " has not as many values as its sizes say";
    for (const std::uint64_t size : sizes) {
      check(size <= static_cast<std::uint64_t>(all.cend() - next), name, wrong);
      const auto end = next + static_cast<std::ptrdiff_t>(size);
      member.emplace_back(next, end);
      next = end;
    }
    check(next == all.cend(), name, wrong);
  }
  template <typename T>
  void number(const char* name, T& member) {
    std::vector<Stored<T>> one{static_cast<Stored<T>>(member)};
    values(name, one);
    if constexpr (std::is_same_v<T, bool>) check(one[0] <= 1, name, " is neither 0 nor 1");
    member = static_cast<T>(one[0]);
  }
  /// A finite number, at least `least`.
  void finite(const char* name, double& member, double least = -largest) {
    number(name, member);
    if (reads() && !(member >= least && member <= largest)) {
      refuse(name, " = " + text_of(member) + " is out of range");
    }
  }
  /// A whole number of at most `most`.
  template <typename T>
  void count(const char* name, T& member, std::uint64_t most) {
    number(name, member);
    if (reads() && member > most)
      refuse(name, " = " + std::to_string(member) + " is more than " + std::to_string(most));
  }
  /// An index below `bound`.
  template <typename T>
  void index(const char* name, T& member, std::size_t bound) {
    number(name, member);
    if (reads() && member >= bound)
      refuse(name, " = " + std::to_string(member) + " is not below " + std::to_string(bound));
  }
  /// A member that has its own archive(); the arguments are passed to it.
  template <typename Part, typename... Arguments>
  void part(const char* name, Part& member, const Arguments&... arguments) {
    const std::string before = std::exchange(prefix_, prefix_ + name + ".");
    member.archive(*this, arguments...);
    prefix_ = before;
  }

 private:
  template <std::size_t bytes>
  using Unsigned =
      std::conditional_t<bytes == 8, std::uint64_t, std::conditional_t<bytes == 4, std::uint32_t, std::uint8_t>>;
  template <typename T>
  using Stored = std::conditional_t<std::is_floating_point_v<T>, T, Unsigned<sizeof(T)>>;

  [[noreturn]] void refuse(const char* name, const std::string& why) const {
    throw InvalidArgument("the state is not one of this solver: " + prefix_ + name + why);
  }
  template <typename Values>
  void check_finite(const char* name, const Values& member, double most) const {
    for (std::size_t k = 0; reads() && k < member.size(); ++k) {
      if (!(std::abs(static_cast<double>(member[k])) <= most)) {
        refuse(name, "[" + std::to_string(k) + "] = " + text_of(static_cast<double>(member[k])) + " is out of range");
      }
    }
  }
  template <typename Values>
  void check_bound(const char* name, const Values& member, std::size_t bound) const {
    for (std::size_t k = 0; reads() && k < member.size(); ++k) {
      if (member[k] >= bound) {
        refuse(name,
               "[" + std::to_string(k) + "] = " + std::to_string(member[k]) + " is not below " + std::to_string(bound));
      }
    }
  }
  template <typename Values>
  void check_distinct(const char* name, const Values& member, std::size_t bound) const {
    if (!reads()) return;
    std::vector<bool> seen(bound);
    for (const auto place : member) {
      if (seen[place]) refuse(name, " has " + std::to_string(place) + " twice");
      seen[place] = true;
    }
  }

  template <typename T>
  void write(const char* name, std::vector<T> values) {
    const bool fresh = written_->emplace(prefix_ + name, std::move(values)).second;
    require(fresh, "two members are called " + prefix_ + name);
  }
  template <typename T>
  const std::vector<Stored<T>>& find(const char* name) const {
    const auto found = state_.find(prefix_ + name);
    const auto* values = found == state_.end() ? nullptr : std::get_if<std::vector<Stored<T>>>(&found->second);
    if (values == nullptr) refuse(name, found == state_.end() ? " is missing" : " has another type");
    return *values;
  }

  static constexpr double largest = std::numeric_limits<double>::max();

  State* written_ = nullptr;
  const State& state_;
  std::string prefix_;
  std::size_t read_ = 0;
};

/// The state of an object that has archive().
template <typename T>
State state_of(T& object) {
  State state;
  StateArchive writer(state);
  object.archive(writer);
  return state;
}

/// Reads a state into an object constructed from the same settings. If the state is refused, the object is unchanged.
template <typename T>
void restore(T& object, const State& state) {
  const State before = state_of(object);
  try {
    StateArchive reader(state);
    object.archive(reader);
    require(reader.read_all(), "the state is not one of this solver: it says more than this one knows of");
  } catch (...) {
    StateArchive back(before);
    object.archive(back);
    throw;
  }
}

}  // namespace svm
