// Exceptions of the core. Each message says what was wrong, where, and what is allowed.
#pragma once

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

}  // namespace svm
