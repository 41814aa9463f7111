// A test program checks conditions with CHECK and returns `finish()` from main.
#pragma once

#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

#include "base/error.hpp"
#include "simd/loops.hpp"

namespace svm::test {

inline int failures = 0;
inline int checks = 0;

inline void report(bool holds, const char* text, const char* file, int line) {
  ++checks;
  if (holds) return;
  if (++failures <= 20) std::cerr << file << ":" << line << ": " << text << "\n";
}

inline bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

/// Whether `body` throws InvalidArgument with `part` in its message.
inline bool refuses(const std::function<void()>& body, const std::string& part) {
  try {
    body();
  } catch (const InvalidArgument& error) {
    return std::string(error.what()).find(part) != std::string::npos;
  }
  return false;
}

/// Ends the program as "skipped" when this processor lacks the instruction set that SVM_ISA names.
inline void skip_without_instruction_set() {
  try {
    simd::loops();
  } catch (const InvalidArgument& error) {
    std::cout << error.what() << "\n";
    std::exit(77);
  }
}

inline int finish() {
  std::cout << checks << " checks on " << simd::loops().name << ", " << failures << " failed\n";
  return failures == 0 && checks > 0 ? 0 : 1;
}

}  // namespace svm::test

#define CHECK(condition) svm::test::report((condition), #condition, __FILE__, __LINE__)
