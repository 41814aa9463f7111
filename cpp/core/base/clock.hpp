// The system's clocks, in seconds.
#pragma once

#include <ctime>

namespace svm {

inline double seconds(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace svm
