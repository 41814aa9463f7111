// What a solver goes on from after a pause, by names: one list of its members both writes and reads it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "counters.hpp"
#include "error.hpp"

namespace svm {

using State = std::map<std::string, std::vector<double>>;

class StateArchive {
 public:
  /// Writes to a state, or reads from it.
  StateArchive(State& state, bool reads) : state_(state), reads_(reads) {}

  bool reads() const noexcept { return reads_; }

  template <typename Allocator>
  void values(const char* name, std::vector<double, Allocator>& own) {
    if (!reads_) {
      state_[name].assign(own.begin(), own.end());
      return;
    }
    const auto found = state_.find(name);
    require(found != state_.end() && found->second.size() == own.size(),
            std::string("the state is not one of this solver: ") + name);
    std::copy(found->second.begin(), found->second.end(), own.begin());
  }
  void number(const char* name, double& own) {
    std::vector<double> one{own};
    values(name, one);
    own = one[0];
  }
  /// Exact up to 2^53.
  void number(const char* name, std::uint64_t& own) {
    auto value = static_cast<double>(own);
    number(name, value);
    own = static_cast<std::uint64_t>(value);
  }

 private:
  State& state_;
  bool reads_;
};

/// Those of methods that read rows of features.
inline void archive(StateArchive& state, Counters& counters) {
  state.number("iterations", counters.iterations);
  state.number("presentations", counters.presentations);
  state.number("inner_products", counters.inner_products);
  state.number("feature_accesses", counters.feature_accesses);
  state.number("feature_accesses_dense", counters.feature_accesses_dense);
}

}  // namespace svm
