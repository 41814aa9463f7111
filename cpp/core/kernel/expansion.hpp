// A growing and shrinking set of examples (the members of a kernel expansion), and kernel rows restricted to them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/rows.hpp"

namespace svm {

/// Members have slots 0, 1, ...; a row has a value for each slot. Every row is charged with one evaluation per member.
/// Rows of members are cached while there is room, so that known values are not computed again; the charge is the same.
class Expansion {
 public:
  /// Members are registered in `rows` as its support vectors.
  explicit Expansion(CountedRows& rows);

  std::size_t size() const noexcept { return members_.size(); }
  std::uint32_t member(std::size_t slot) const noexcept { return members_[slot]; }
  bool contains(std::size_t i) const noexcept { return is_member_[i] != 0; }

  /// The row of example i, which is not a member. Valid until the next call.
  const float* evaluate(std::size_t i);
  /// Appends example i, whose row was the last call of `evaluate`; returns the row with the value for i. Not charged
  /// again.
  const float* append_evaluated(std::size_t i);
  /// Appends example i without evaluating its row.
  void add(std::size_t i);
  /// The row of a member, valid until the second next call.
  const float* row(std::size_t slot);
  /// Removes a member; the last one moves to its slot.
  void remove(std::size_t slot);
  /// Stores the members. Cached rows are not stored: recomputed values have the same bits and the same charge.
  void archive(StateArchive& state);

 private:
  struct CachedRow {
    std::vector<float> values;
    std::vector<std::uint32_t> of;  // the member of each value: the members of slots change
    std::uint64_t used = 0;

    std::size_t size() const noexcept { return values.size(); }
    /// Room for n values, in steps: rows grow by a few values at a time, and the allocator finds memory of equal sizes at
    /// once.
    void reserve(std::size_t n) {
      constexpr std::size_t step = 256;
      values.reserve((n + step - 1) / step * step);
      of.reserve((n + step - 1) / step * step);
    }
  };
  void make_room(std::size_t values);

  CountedRows& rows_;
  std::size_t capacity_;  // values that may be cached
  std::size_t cached_values_ = 0;
  std::uint64_t uses_ = 0;
  std::vector<std::uint32_t> members_;
  std::vector<unsigned char> is_member_;
  std::vector<CachedRow> cache_;  // by slot; empty where nothing is cached
  std::vector<float> evaluated_;
  std::array<std::vector<float>, 2> uncached_;  // rows that are not cached, in turn
  std::vector<std::uint32_t> missing_slots_;    // slots
  std::vector<std::uint32_t> missing_members_;  // the members in these slots
  std::vector<float> missing_values_;
};

}  // namespace svm
