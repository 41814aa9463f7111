// A loop over independent tasks on a few threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace svm {

/// Calls body(task) for task = 0, ..., tasks - 1 on `threads` threads. Tasks must not depend on one another, so the
/// result does not depend on the number of threads. The first exception stops the loop and is thrown again here.
template <typename Body>
void parallel_for(std::size_t tasks, unsigned threads, Body&& body) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex guard;
  const auto work = [&] {
    try {
      for (std::size_t task = next++; task < tasks; task = next++) body(task);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(guard);
      if (!error) error = std::current_exception();
      next = tasks;
    }
  };
  std::vector<std::thread> pool;
  for (std::size_t extra = 1; extra < threads && extra < tasks; ++extra) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace svm
