// Exceptions of the core. Each message says what was wrong, where, and what is allowed.
#pragma once

#include <cmath>
#include <cstdio>
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

/// A number for a message, of six digits.
inline std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

/// The range of lambda, C and the other settings that scale steps, weights or bounds. Features have |x|^2 and kernels have
/// values up to 1e30, so that squares of weights and sums over all examples stay below 1e200 in float64, and above 1e-200
/// where they are not 0: within the range no result is infinite, or 0 by underflow.
inline constexpr double least_setting = 1e-30;
inline constexpr double largest_setting = 1e30;

/// Returns `value`; throws InvalidArgument unless it lies between `least` and `largest_setting`. `name` begins the message.
inline double require_setting(double value, const char* name, double least = least_setting) {
  require(value >= least && value <= largest_setting, std::string(name) + " = " + text_of(value) +
                                                          ": it must lie between " + text_of(least) + " and " +
                                                          text_of(largest_setting));
  return value;
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
