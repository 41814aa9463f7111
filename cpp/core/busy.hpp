// Objects that one thread may use at a time: a second thread is refused, and does not wait.
#pragma once

#include <atomic>
#include <stdexcept>

namespace svm {

/// A second thread, or a second call of the same one, uses an object whose first use has not ended.
class Busy : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What is said of a row cache.
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

/// Sets a flag until the end of the scope; throws Busy with `message` where it is set already. A null flag is none.
class Hold {
 public:
  Hold(BusyFlag* flag, const char* message) : flag_(flag) {
    if (flag_ != nullptr && !flag_->set()) throw Busy(message);
  }
  ~Hold() {
    if (flag_ != nullptr) flag_->clear();
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  BusyFlag* flag_;
};

}  // namespace svm
