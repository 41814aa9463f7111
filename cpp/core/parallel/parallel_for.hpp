// A loop over independent tasks on a few threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace svm {

/// Calls body(task) for task = 0, ..., tasks - 1 on `threads` new threads (the calling one included). Tasks must be
/// independent of one another; then the result does not depend on the number of threads. The first exception stops the
/// loop and is thrown again here. If the system cannot start all threads, those that run do all tasks. Returns the
/// number that did not start.
template <typename Body>
unsigned parallel_for(std::size_t tasks, unsigned threads, Body&& body) {
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
  const std::size_t others = std::max<std::size_t>(std::min<std::size_t>(threads, tasks), 1) - 1;
  std::vector<std::thread> pool;
  pool.reserve(others);
  try {
    while (pool.size() < others) pool.emplace_back(work);
  } catch (const std::system_error&) {  // the system's limit on processes or memory
  } catch (const std::bad_alloc&) {
  }
  work();
  for (std::thread& thread : pool) thread.join();
  if (error) std::rethrow_exception(error);
  return static_cast<unsigned>(others - pool.size());
}

}  // namespace svm
