#include "kernel/expansion.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/swap_remove.hpp"

namespace svm {

Expansion::Expansion(CountedRows& rows)
    : rows_(rows), capacity_(rows.room() / (sizeof(float) + sizeof(std::uint32_t))), is_member_(rows.size()) {}

const float* Expansion::evaluate(std::size_t i) {
  rows_.charge_response();
  evaluated_.resize(size() + 1);
  rows_.values_uncharged(i, members_.data(), size(), evaluated_.data());
  return evaluated_.data();
}

const float* Expansion::append_evaluated(std::size_t i) {
  evaluated_[size()] = static_cast<float>(rows_.diagonal(i));
  add(i);
  if (capacity_ == 0) return evaluated_.data();
  make_room(size());
  CachedRow& cached = cache_.back();
  cached.reserve(size());
  cached.values = evaluated_;
  cached.of = members_;
  cached.used = ++uses_;
  cached_values_ += size();
  return cached.values.data();
}

void Expansion::add(std::size_t i) {
  members_.push_back(static_cast<std::uint32_t>(i));
  is_member_[i] = 1;
  cache_.emplace_back();
  rows_.enter_support(i);
}

const float* Expansion::row(std::size_t slot) {
  rows_.charge_response();
  const std::uint32_t i = members_[slot];
  if (capacity_ == 0) {
    std::vector<float>& values = uncached_[++uses_ % 2];
    values.resize(size());
    rows_.values_uncharged(i, members_.data(), size(), values.data());
    return values.data();
  }
  CachedRow& cached = cache_[slot];
  cached.used = ++uses_;
  const std::size_t known = std::min(cached.size(), size());
  missing_slots_.clear();
  missing_members_.clear();
  const auto miss = [this](std::size_t s) {
    missing_slots_.push_back(static_cast<std::uint32_t>(s));
    missing_members_.push_back(members_[s]);
  };
  constexpr std::size_t block = 64;  // most blocks are as they were
  for (std::size_t begin = 0; begin < known; begin += block) {
    const std::size_t end = std::min(begin + block, known);
    if (std::memcmp(&cached.of[begin], &members_[begin], (end - begin) * sizeof members_[0]) == 0) continue;
    for (std::size_t s = begin; s < end; ++s) {
      if (cached.of[s] != members_[s]) miss(s);
    }
  }
  for (std::size_t s = known; s < size(); ++s) miss(s);
  missing_values_.resize(missing_slots_.size());
  rows_.values_uncharged(i, missing_members_.data(), missing_members_.size(), missing_values_.data());
  // Allocations come before the sizes change: after an exception no slot may seem to have a value.
  cached.reserve(size());
  if (cached.size() < size()) make_room(size() - cached.size());
  cached_values_ += size() - cached.size();
  cached.values.resize(size());
  cached.of.resize(size());
  for (std::size_t k = 0; k < missing_slots_.size(); ++k) {
    cached.values[missing_slots_[k]] = missing_values_[k];
    cached.of[missing_slots_[k]] = missing_members_[k];
  }
  return cached.values.data();
}

void Expansion::remove(std::size_t slot) {
  const std::uint32_t i = members_[slot];
  is_member_[i] = 0;
  rows_.leave_support(i);
  cached_values_ -= cache_[slot].size();
  swap_remove(members_, slot);
  swap_remove(cache_, slot);
}

void Expansion::archive(StateArchive& state) {
  state.distinct_list("members", members_, is_member_.size());
  rows_.check_support(state, members_);
  if (!state.reads()) return;
  std::fill(is_member_.begin(), is_member_.end(), static_cast<unsigned char>(0));
  for (const std::uint32_t i : members_) is_member_[i] = 1;
  cache_.assign(members_.size(), CachedRow());
  cached_values_ = 0;
}

// Drops the least recently used rows, but never the last two that were returned.
void Expansion::make_room(std::size_t values) {
  while (cached_values_ + values > capacity_) {
    CachedRow* oldest = nullptr;
    for (CachedRow& cached : cache_) {
      if (cached.size() > 0 && cached.used + 1 < uses_ && (oldest == nullptr || cached.used < oldest->used))
        oldest = &cached;
    }
    if (oldest == nullptr) return;
    cached_values_ -= oldest->size();
    *oldest = CachedRow();
  }
}

}  // namespace svm
