// Threads that wait together for work: an iteration on a mini-batch takes microseconds, and starting a thread takes longer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace svm {

class Team {
 public:
  /// The calling thread and `threads` - 1 others, or fewer where the system refuses a thread.
  explicit Team(unsigned threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  unsigned size() const noexcept { return static_cast<unsigned>(others_.size()) + 1; }

  /// Calls body(part), which must not throw, for part = 0, ..., size() - 1, each on its own thread, 0 on the calling one;
  /// returns when all have ended.
  template <typename Body>
  void run(const Body& body) {
    start([](const void* what, unsigned part) { (*static_cast<const Body*>(what))(part); }, &body);
    body(0U);
    wait();
  }

  /// Calls body(task) for task = 0, ..., tasks - 1, each once. Each thread begins with its own range of them, always the
  /// same, and then helps the others; the calling one first does something else.
  template <typename Body, typename First>
  void share(std::size_t tasks, const Body& body, const First& first) {
    const std::size_t parts = size();
    if (parts == 1 || tasks < 2) {
      first();
      for (std::size_t task = 0; task < tasks; ++task) body(task);
      return;
    }
    const auto limit = [&](std::size_t part) { return tasks * part / parts; };
    for (std::size_t part = 0; part < parts; ++part) ranges_[part].next.store(limit(part), std::memory_order_relaxed);
    run([&](unsigned own) {
      if (own == 0) first();
      for (std::size_t turn = 0; turn < parts; ++turn) {
        const std::size_t part = (own + turn) % parts;
        for (std::size_t task = take(part); task < limit(part + 1); task = take(part)) body(task);
      }
    });
  }
  template <typename Body>
  void share(std::size_t tasks, const Body& body) {
    share(tasks, body, [] {});
  }

  /// CPU time of the others so far, what they spent on waiting included.
  double cpu_seconds() const noexcept;

 private:
  using Call = void (*)(const void*, unsigned);

  // Threads that wait look at `round_` all the time: what else is written meanwhile must not lie in the same line of the cache.
  static constexpr std::size_t pair_of_lines = 128;

  struct alignas(pair_of_lines) Range {
    std::atomic<std::size_t> next{0};
  };

  std::size_t take(std::size_t part) noexcept { return ranges_[part].next.fetch_add(1, std::memory_order_relaxed); }

  void start(Call call, const void* what);
  void wait() const noexcept;
  void work(unsigned part);

  alignas(pair_of_lines) std::atomic<std::uint64_t> round_{0};  // of work given out; all ones ends the threads
  Call call_ = nullptr;
  const void* what_ = nullptr;
  alignas(pair_of_lines) std::atomic<unsigned> busy_{0};
  alignas(pair_of_lines) std::atomic<unsigned> asleep_{0};
  std::vector<Range> ranges_;  // of tasks that are shared
  std::mutex guard_;
  std::condition_variable wake_;
  std::vector<std::thread> others_;
};

}  // namespace svm
