// Exceptions of the core. Each message says what was wrong, where, and what is allowed.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

namespace svm {

/// A setting, shape or value outside what the method allows.
class InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Throws InvalidArgument with `message` unless `condition` holds.
inline void require(bool condition, const std::string& message) {
  if (!condition) throw InvalidArgument(message);
}

/// Returns `value`; throws InvalidArgument unless it is finite and positive. `name` begins the message.
inline double require_positive(double value, const char* name) {
  if (!(std::isfinite(value) && value > 0.0)) throw InvalidArgument(std::string(name) + " must be finite and positive");
  return value;
}

/// Returns `value`; throws InvalidArgument unless it is finite and not negative. `name` begins the message.
inline double require_not_negative(double value, const char* name) {
  if (!(std::isfinite(value) && value >= 0.0)) {
    throw InvalidArgument(std::string(name) + " must be finite and not negative");
  }
  return value;
}

}  // namespace svm
