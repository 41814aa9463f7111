#include "parallel/thread_pool.hpp"

#include <pthread.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach/mach.h>
#endif

#include <ctime>
#include <new>
#include <system_error>

#include "base/error.hpp"

namespace svm {
namespace {

constexpr std::uint64_t last_round = ~std::uint64_t{0};
// Times that a thread checks for new work before it sleeps, some tens of microseconds in all.
constexpr int spins = 4000;

void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

/// CPU seconds of a thread; 0 if the system does not know.
double cpu_seconds_of(std::thread::native_handle_type thread) noexcept {
#ifdef __APPLE__
  thread_basic_info used{};
  mach_msg_type_number_t size = THREAD_BASIC_INFO_COUNT;
  const auto place = reinterpret_cast<thread_info_t>(&used);
  if (thread_info(pthread_mach_thread_np(thread), THREAD_BASIC_INFO, place, &size) != KERN_SUCCESS) return 0.0;
  return static_cast<double>(used.user_time.seconds + used.system_time.seconds) +
         1e-6 * static_cast<double>(used.user_time.microseconds + used.system_time.microseconds);
#else
  clockid_t clock{};
  timespec now{};
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &now) != 0) return 0.0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#endif
}

}  // namespace

ThreadPool::ThreadPool(unsigned threads) : ranges_(threads), process_(getpid()), others_(std::make_unique<Others>()) {
  require(threads > 0, "there must be a thread");
  others_->threads.reserve(threads - 1);
  try {
    for (unsigned part = 1; part < threads; ++part) others_->threads.emplace_back([this, part] { work(part); });
  } catch (const std::system_error&) {  // the system's limit on processes or memory
  } catch (const std::bad_alloc&) {
  }
}

ThreadPool::~ThreadPool() {
  if (forked()) {
    static_cast<void>(others_.release());
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(others_->guard);
    round_ = last_round;
  }
  others_->wake.notify_all();
  for (std::thread& thread : others_->threads) thread.join();
}

bool ThreadPool::forked() const noexcept { return getpid() != process_; }

void ThreadPool::start(Call call, const void* body) {
  if (others_->threads.empty()) return;
  call_ = call;
  body_ = body;
  busy_ = static_cast<unsigned>(others_->threads.size());
  ++round_;
  if (asleep_ == 0) return;
  {
    const std::lock_guard<std::mutex> lock(others_->guard);
  }  // a thread that has checked `round_` and is about to sleep holds the lock until it waits
  others_->wake.notify_all();
}

void ThreadPool::wait() const noexcept {
  for (int spin = 0; busy_.load(std::memory_order_acquire) > 0; ++spin) {
    if (spin < spins) {
      relax();
    } else {
      std::this_thread::yield();
    }
  }
}

void ThreadPool::work(unsigned part) {
  std::uint64_t done = 0;
  while (true) {
    for (int spin = 0; spin < spins && round_.load(std::memory_order_acquire) == done; ++spin) relax();
    if (round_ == done) {
      std::unique_lock<std::mutex> lock(others_->guard);
      ++asleep_;
      others_->wake.wait(lock, [&] { return round_ != done; });
      --asleep_;
    }
    const std::uint64_t round = round_;
    if (round == last_round) return;
    done = round;
    call_(body_, part);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

double ThreadPool::cpu_seconds() const noexcept {
  if (forked()) return cpu_seconds_;
  double total = 0.0;
  for (std::thread& thread : others_->threads) total += cpu_seconds_of(thread.native_handle());
  cpu_seconds_ = total;
  return total;
}

}  // namespace svm
