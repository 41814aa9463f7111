// The parallel loop: every task once, exceptions come through.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "parallel/parallel_for.hpp"

int main() {
  svm::test::skip_without_instruction_set();
  for (const unsigned threads : {0U, 1U, 2U, 7U}) {
    for (const std::size_t tasks : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
      std::vector<std::atomic<int>> done(tasks);
      svm::parallel_for(tasks, threads, [&](std::size_t task) { ++done[task]; });
      for (const auto& count : done) CHECK(count == 1);
    }
    bool caught = false;
    std::atomic<int> ran{0};
    try {
      svm::parallel_for(100000, threads, [&](std::size_t task) {
        ++ran;
        if (task == 10) throw std::runtime_error("ten");
        // else the others could be through with all tasks before the exception has been thrown
        if (task > 10) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    } catch (const std::runtime_error& error) {
      caught = std::string(error.what()) == "ten";
    }
    CHECK(caught);
    CHECK(ran >= 11 && ran < 100000);
  }
  return svm::test::finish();
}
