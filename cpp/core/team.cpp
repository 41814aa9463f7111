#include "team.hpp"

#include <pthread.h>

#include <ctime>
#include <new>
#include <system_error>

#include "error.hpp"

namespace svm {
namespace {

constexpr std::uint64_t over = ~std::uint64_t{0};
// Looks for new work before a thread sleeps, some tens of microseconds: work comes at once or not for long.
constexpr int looks = 4000;

void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Team::Team(unsigned threads) : ranges_(threads) {
  require(threads > 0, "there must be a thread");
  others_.reserve(threads - 1);
  try {
    for (unsigned part = 1; part < threads; ++part) others_.emplace_back([this, part] { work(part); });
  } catch (const std::system_error&) {  // a limit of processes or of memory
  } catch (const std::bad_alloc&) {
  }
}

Team::~Team() {
  {
    const std::lock_guard<std::mutex> lock(guard_);
    round_ = over;
  }
  wake_.notify_all();
  for (std::thread& thread : others_) thread.join();
}

void Team::start(Call call, const void* what) {
  if (others_.empty()) return;
  call_ = call;
  what_ = what;
  busy_ = static_cast<unsigned>(others_.size());
  ++round_;
  if (asleep_ == 0) return;
  {
    const std::lock_guard<std::mutex> lock(guard_);
  }  // who has looked but does not sleep yet will hear it
  wake_.notify_all();
}

void Team::wait() const noexcept {
  for (int look = 0; busy_.load(std::memory_order_acquire) > 0; ++look) {
    if (look < looks) {
      pause();
    } else {
      std::this_thread::yield();
    }
  }
}

void Team::work(unsigned part) {
  std::uint64_t done = 0;
  while (true) {
    for (int look = 0; look < looks && round_.load(std::memory_order_acquire) == done; ++look) pause();
    if (round_ == done) {
      std::unique_lock<std::mutex> lock(guard_);
      ++asleep_;
      wake_.wait(lock, [&] { return round_ != done; });
      --asleep_;
    }
    const std::uint64_t round = round_;
    if (round == over) return;
    done = round;
    call_(what_, part);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

double Team::cpu_seconds() const noexcept {
  double total = 0.0;
  for (const std::thread& thread : others_) {
    clockid_t clock{};
    timespec now{};
    auto handle = const_cast<std::thread&>(thread).native_handle();
    if (pthread_getcpuclockid(handle, &clock) != 0 || clock_gettime(clock, &now) != 0) continue;
    total += static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  return total;
}

}  // namespace svm
