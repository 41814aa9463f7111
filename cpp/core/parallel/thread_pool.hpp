// A pool of waiting threads: an iteration on a mini-batch takes microseconds, and starting a thread takes longer.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace svm {

/// In a process that has been forked since, the other threads do not exist: the calling thread makes all the calls.
class ThreadPool {
 public:
  /// The calling thread and `threads` - 1 others, or fewer if the system cannot start them.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const noexcept { return static_cast<unsigned>(others_->threads.size()) + 1; }

  /// Calls body(thread), which must not throw, for thread = 0, ..., size() - 1, each on its own thread (0 on the
  /// calling one). Returns when all calls have ended. No call may wait for another.
  template <typename Body>
  void run_on_each(const Body& body) {
    if (forked()) {
      for (unsigned part = 0; part < size(); ++part) body(part);
      return;
    }
    start([](const void* called, unsigned part) { (*static_cast<const Body*>(called))(part); }, &body);
    body(0U);
    wait();
  }

  /// Calls body(task) once for each task = 0, ..., tasks - 1. Each thread begins with its own fixed range of tasks and
  /// then takes tasks from the ranges of the others. The calling thread first calls first().
  template <typename Body, typename First>
  void parallel_for(std::size_t tasks, const Body& body, const First& first) {
    const std::size_t parts = size();
    if (parts == 1 || tasks < 2) {
      first();
      for (std::size_t task = 0; task < tasks; ++task) body(task);
      return;
    }
    const auto limit = [&](std::size_t part) { return tasks * part / parts; };
    for (std::size_t part = 0; part < parts; ++part) ranges_[part].next.store(limit(part), std::memory_order_relaxed);
    run_on_each([&](unsigned thread) {
      if (thread == 0) first();
      for (std::size_t turn = 0; turn < parts; ++turn) {
        const std::size_t part = (thread + turn) % parts;
        for (std::size_t task = next_task(part); task < limit(part + 1); task = next_task(part)) body(task);
      }
    });
  }
  template <typename Body>
  void parallel_for(std::size_t tasks, const Body& body) {
    parallel_for(tasks, body, [] {});
  }

  /// CPU seconds of the other threads so far, including their time spent waiting; in a forked process, as last read.
  double cpu_seconds() const noexcept;

 private:
  using Call = void (*)(const void*, unsigned);

  // Waiting threads read `round_` continuously, so no other variable that is written may share its pair of cache lines.
  static constexpr std::size_t pair_of_lines = 128;

  struct alignas(pair_of_lines) Range {
    std::atomic<std::size_t> next{0};
  };
  // A forked process can neither join the threads nor destroy what they sleep on: that would wait for them.
  struct Others {
    std::vector<std::thread> threads;
    std::mutex guard;
    std::condition_variable wake;
  };

  std::size_t next_task(std::size_t part) noexcept {
    return ranges_[part].next.fetch_add(1, std::memory_order_relaxed);
  }

  bool forked() const noexcept;
  void start(Call call, const void* body);
  void wait() const noexcept;
  void work(unsigned part);

  alignas(pair_of_lines) std::atomic<std::uint64_t> round_{0};  // number of the current call; all ones ends the threads
  Call call_ = nullptr;
  const void* body_ = nullptr;
  alignas(pair_of_lines) std::atomic<unsigned> busy_{0};
  alignas(pair_of_lines) std::atomic<unsigned> asleep_{0};
  std::vector<Range> ranges_;  // each thread's range of tasks
  const pid_t process_;
  mutable std::atomic<double> cpu_seconds_{0.0};
  std::unique_ptr<Others> others_;
};

}  // namespace svm
