// Protects an object that only one thread may use at a time: a second thread gets an error instead of waiting.
#pragma once

#include <atomic>
#include <stdexcept>

namespace svm {

/// An object is used by a second thread, or by a nested call of the same thread, before the first use has ended.
class Busy : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The message of Busy for a row cache.
inline constexpr const char* rows_in_use =
    "the kernel rows are in use by a solver in another thread, and a row cache serves one thread at a time: give each "
    "thread its own problem, or take the whole Gram matrix";

/// Set while a thread uses the object that owns the flag.
class BusyFlag {
 public:
  bool set() noexcept { return !busy_.exchange(true, std::memory_order_acquire); }
  void clear() noexcept { busy_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> busy_{false};
};

/// Sets a flag until the end of the scope; throws Busy with `message` if it is set already. A null flag does nothing.
class BusyGuard {
 public:
  BusyGuard(BusyFlag* flag, const char* message) : flag_(flag) {
    if (flag_ != nullptr && !flag_->set()) throw Busy(message);
  }
  ~BusyGuard() {
    if (flag_ != nullptr) flag_->clear();
  }
  BusyGuard(const BusyGuard&) = delete;
  BusyGuard& operator=(const BusyGuard&) = delete;

 private:
  BusyFlag* flag_;
};

}  // namespace svm
