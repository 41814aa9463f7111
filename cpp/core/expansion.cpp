#include "expansion.hpp"

#include <algorithm>

#include "error.hpp"
#include "take_away.hpp"

namespace svm {

Expansion::Expansion(CountedRows& rows)
    : rows_(rows), most_(rows.room() / (sizeof(float) + sizeof(std::uint32_t))), held_(rows.size()) {}

const float* Expansion::look_at(std::size_t i) {
  rows_.charge_response();
  fresh_.resize(size() + 1);
  rows_.values_paid_by_responses(i, members_.data(), size(), fresh_.data());
  return fresh_.data();
}

const float* Expansion::join(std::size_t i) {
  fresh_[size()] = static_cast<float>(rows_.diagonal(i));
  add(i);
  if (most_ == 0) return fresh_.data();
  make_room(size());
  Kept& kept = kept_.back();
  kept.values = fresh_;
  kept.of = members_;
  kept.used = ++clock_;
  kept_values_ += size();
  return kept.values.data();
}

void Expansion::add(std::size_t i) {
  members_.push_back(static_cast<std::uint32_t>(i));
  held_[i] = 1;
  kept_.emplace_back();
  rows_.enter_support(i);
}

const float* Expansion::row(std::size_t slot) {
  rows_.charge_response();
  const std::uint32_t i = members_[slot];
  if (most_ == 0) {
    std::vector<float>& values = read_[++clock_ % 2];
    values.resize(size());
    rows_.values_paid_by_responses(i, members_.data(), size(), values.data());
    return values.data();
  }
  Kept& kept = kept_[slot];
  kept.used = ++clock_;
  const std::size_t known = std::min(kept.size(), size());
  missing_.clear();
  asked_.clear();
  const auto miss = [this](std::size_t s) {
    missing_.push_back(static_cast<std::uint32_t>(s));
    asked_.push_back(members_[s]);
  };
  for (std::size_t s = 0; s < known; ++s) {
    if (kept.of[s] != members_[s]) miss(s);
  }
  for (std::size_t s = known; s < size(); ++s) miss(s);
  answers_.resize(missing_.size());
  rows_.values_paid_by_responses(i, asked_.data(), asked_.size(), answers_.data());
  // All that may throw comes before the sizes change: a slot without its value would be taken for a known one.
  kept.of.reserve(size());
  kept.values.reserve(size());
  if (kept.size() < size()) make_room(size() - kept.size());
  kept_values_ += size() - kept.size();
  kept.values.resize(size());
  kept.of.resize(size());
  for (std::size_t k = 0; k < missing_.size(); ++k) {
    kept.values[missing_[k]] = answers_[k];
    kept.of[missing_[k]] = asked_[k];
  }
  return kept.values.data();
}

void Expansion::remove(std::size_t slot) {
  const std::uint32_t i = members_[slot];
  held_[i] = 0;
  rows_.leave_support(i);
  kept_values_ -= kept_[slot].size();
  take_away(members_, slot);
  take_away(kept_, slot);
}

void Expansion::archive(StateArchive& state) {
  state.distinct_list("members", members_, held_.size());
  if (!state.reads()) return;
  std::fill(held_.begin(), held_.end(), static_cast<unsigned char>(0));
  for (const std::uint32_t i : members_) held_[i] = 1;
  kept_.assign(members_.size(), Kept());
  kept_values_ = 0;
}

// The rows that have not been used for longest go; the last two that were asked for stay.
void Expansion::make_room(std::size_t values) {
  while (kept_values_ + values > most_) {
    Kept* oldest = nullptr;
    for (Kept& kept : kept_) {
      if (kept.size() > 0 && kept.used + 1 < clock_ && (oldest == nullptr || kept.used < oldest->used)) oldest = &kept;
    }
    if (oldest == nullptr) return;
    kept_values_ -= oldest->size();
    *oldest = Kept();
  }
}

}  // namespace svm
