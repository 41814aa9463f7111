// The examples that a kernel expansion is made of, while it grows and shrinks, and rows of the kernel over them alone.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/rows.hpp"

namespace svm {

/// Members have slots 0, 1, ...; a row over the expansion has a value for each slot. Every row is charged: as many evaluations
/// as there are members. Rows of members are cached, as far as there is room: values that are known are not computed again.
class Expansion {
 public:
  /// Tells `rows` who is a member, as its support.
  explicit Expansion(CountedRows& rows);

  std::size_t size() const noexcept { return members_.size(); }
  std::uint32_t member(std::size_t slot) const noexcept { return members_[slot]; }
  bool contains(std::size_t i) const noexcept { return is_member_[i] != 0; }

  /// K(x_i, .) over the expansion, for an example that is not in it. Valid until the next call.
  const float* evaluate(std::size_t i);
  /// Example i, which has just been looked at, gets the last slot; returns its row with a value for itself, not charged again.
  const float* append_evaluated(std::size_t i);
  /// Example i gets the last slot, without a look.
  void add(std::size_t i);
  /// The row of a member, valid until two further rows have been asked for.
  const float* row(std::size_t slot);
  /// The last member gets the slot.
  void remove(std::size_t slot);
  /// Its members. Rows are not archived: a value is the same bits whenever it is computed, and is charged in any case.
  void archive(StateArchive& state);

 private:
  struct CachedRow {
    std::vector<float> values;
    std::vector<std::uint32_t> of;  // which member each value belongs to: slots change hands
    std::uint64_t used = 0;

    std::size_t size() const noexcept { return values.size(); }
  };
  void make_room(std::size_t values);

  CountedRows& rows_;
  std::size_t capacity_;  // values that may be cached
  std::size_t cached_values_ = 0;
  std::uint64_t uses_ = 0;
  std::vector<std::uint32_t> members_;
  std::vector<unsigned char> is_member_;
  std::vector<CachedRow> cache_;  // by slot; where nothing is cached, all are empty
  std::vector<float> evaluated_;
  std::array<std::vector<float>, 2> uncached_;  // of rows that are not cached, by turns
  std::vector<std::uint32_t> missing_slots_;      // slots
  std::vector<std::uint32_t> missing_members_;        // their members
  std::vector<float> missing_values_;
};

}  // namespace svm
