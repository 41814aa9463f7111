// The row cache: values, order of eviction, validity of the last two rows, and exact counters.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <thread>

#include "check.hpp"
#include "data.hpp"
#include "kernel/gram.hpp"
#include "kernel/rows.hpp"

using svm::CachedRows;
using svm::CountedRows;

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
std::size_t allocations_left = unlimited;

}  // namespace

// Runs out of memory when `allocations_left` says so. Not inlined, like the next two: where one of a pair is, GCC warns
// that they do not match.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left != unlimited) --allocations_left;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

const svm::KernelFunction linear{svm::KernelFunction::Kind::linear, 1.0, 0.0, 1};
const svm::KernelFunction gaussian{svm::KernelFunction::Kind::gaussian, 0.25, 0.0, 1};
constexpr std::size_t n = 30;

const svm::test::Data& points() {
  static const svm::test::Data made(n, 5, 1);  // not before main() has looked for the instruction set
  return made;
}

// A row whose computation runs out of memory, at any of its requests for memory, is not in the cache afterwards: the
// next request computes it.
void check_failing_rows() {
  for (const std::size_t capacity : {2U, 3U}) {
    bool failed = true;
    for (std::size_t allowed = 0; failed; ++allowed) {
      CachedRows rows(linear, points().view(false), 12, capacity);
      rows.row(0);
      rows.row(1);
      // In a new thread: the calling one has the memory of the rows before.
      std::thread([&] {
        allocations_left = allowed;
        try {
          rows.row(2);
          failed = false;
        } catch (const std::bad_alloc&) {
        }
        allocations_left = unlimited;
      }).join();
      CHECK(rows.computed() == (failed ? 2U : 3U));
      const float* row = rows.row(2);
      for (std::size_t j = 0; j < n; ++j) {
        CHECK(svm::test::near(static_cast<double>(row[j]), points().kernel(linear, 2, j), 2e-6));
      }
      CHECK(rows.computed() == 3 && (failed || allowed > 1));
    }
  }
}

// Rows have their values for any capacity, and the last two stay valid. Drawn rows are cached at their second request,
// where not all rows have room; others at the first.
void check_cached_rows(const svm::KernelFunction& kernel, bool sparse, std::size_t capacity, bool draws) {
  CachedRows rows(kernel, points().view(sparse), 12, capacity);
  CHECK(rows.capacity() == std::min(capacity, n));
  svm::Random random(capacity, svm::Purpose::data);
  std::vector<std::size_t> recent;  // a plain model of the cache, the most recent row last
  std::vector<bool> drawn(n);
  std::uint64_t computed = 0;
  const float* previous = nullptr;
  std::size_t previous_index = 0;
  for (int k = 0; k < 500; ++k) {
    const auto i = static_cast<std::size_t>(random.below(n));
    const bool drawing = draws && random.below(3) > 0;
    const float* row = drawing ? rows.drawn_row(i) : rows.row(i);
    const auto kept = std::find(recent.begin(), recent.end(), i);
    const bool passes = drawing && capacity < n && !drawn[i] && kept == recent.end();
    computed += kept == recent.end();
    if (kept != recent.end()) recent.erase(kept);
    if (passes) {
      drawn[i] = true;
    } else {
      if (recent.size() == rows.capacity()) recent.erase(recent.begin());
      recent.push_back(i);
    }
    CHECK(rows.computed() == computed);
    for (std::size_t j = 0; j < n; j += 4) {
      CHECK(svm::test::near(static_cast<double>(row[j]), points().kernel(kernel, i, j), 2e-6));
      if (previous != nullptr) {
        CHECK(svm::test::near(static_cast<double>(previous[j]), points().kernel(kernel, previous_index, j), 2e-6));
      }
    }
    previous = row;
    previous_index = i;
  }
}

// A source of rows that float32 cannot hold is refused, with the kernel in the message.
void check_range() {
  const svm::KernelFunction polynomial{svm::KernelFunction::Kind::polynomial, 2.0, 1.0, 16};
  const svm::KernelFunction narrow{svm::KernelFunction::Kind::gaussian, 1e37, 0.0, 1};
  std::vector<float> values{200.0F, 0.0F, 0.0F, 100.0F, 50.0F, 50.0F};
  const svm::MatrixView view{3, 2, values.data(), nullptr, nullptr};
  CHECK(svm::test::refuses([&] { CachedRows(polynomial, view, 1, 2); }, "(2 <x, z> + 1)^16 reaches 2.8"));
  CHECK(svm::test::refuses([&] { CachedRows(narrow, view, 1, 2); }, "gamma = 1e+37 is too large"));
  CHECK(CachedRows(linear, view, 1, 2).row(0)[0] == 40000.0F);
  values[3] = 2e15F;
  CHECK(svm::test::refuses([&] { CachedRows(linear, view, 1, 2); }, "the largest |x|^2 is 4e+30"));
  values[3] = std::numeric_limits<float>::quiet_NaN();
  CHECK(svm::test::refuses([&] { CachedRows(linear, view, 1, 2); }, "it must be finite"));
  std::vector<float> gram(9);
  CHECK(svm::test::refuses([&] { svm::fill_gram(linear, svm::Points(view), gram.data(), 1, nullptr); },
                           "it must be finite"));
}

// An object for one thread at a time refuses a second user until the first has finished.
void check_busy() {
  svm::BusyFlag flag;
  const auto refused = [&] {
    try {
      const svm::BusyGuard second(&flag, "in use");
    } catch (const svm::Busy& error) {
      return std::string(error.what()) == "in use";
    }
    return false;
  };
  {
    const svm::BusyGuard first(&flag, "");
    CHECK(refused() && refused());
    const svm::BusyGuard none(nullptr, "");
  }
  CHECK(!refused());
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  svm::test::use_naive_gemm();
  check_failing_rows();
  check_range();
  check_busy();
  for (const bool sparse : {false, true}) {
    for (const std::size_t capacity : {2U, 3U, 7U, 30U, 100U}) {
      for (const bool draws : {false, true}) {
        check_cached_rows(gaussian, sparse, capacity, draws);
        check_cached_rows(linear, sparse, capacity, draws);
      }
    }
    CachedRows rows(gaussian, points().view(sparse), 12, 5);
    CountedRows counted(rows);
    std::uint64_t stored = 0;
    for (std::size_t i = 0; i < n; ++i) stored += points().view(sparse).stored(i);
    counted.row(3);
    counted.row(3);  // a cached value is charged each time that it is needed
    counted.row_uncharged(4);
    CHECK(counted.counters().kernel_evaluations == 2 * n);
    CHECK(counted.counters().inner_products == 2 * n);
    CHECK(counted.counters().feature_accesses == 2 * stored);
    CHECK(counted.counters().feature_accesses_dense == 2 * n * 5);
    counted.charge_response();
    CHECK(counted.counters().kernel_evaluations == 2 * n);
    counted.enter_support(1);
    counted.enter_support(2);
    counted.charge_response();
    counted.leave_support(1);
    counted.charge_response();
    CHECK(counted.counters().kernel_evaluations == 2 * n + 3);
    CHECK(counted.counters().feature_accesses ==
          2 * stored + points().view(sparse).stored(1) + 2 * points().view(sparse).stored(2));
    CHECK(counted.counters().feature_accesses_dense == (2 * n + 3) * 5);
    CHECK(counted.label(11) == 1.0 && counted.label(12) == -1.0);
  }
  CHECK(svm::test::refuses([&] { CachedRows(gaussian, points().view(false), 12, 1); }, "at least 2 rows, got 1"));
  CHECK(svm::test::refuses([&] { CachedRows(gaussian, points().view(false), 0, 2); }, "both classes"));
  CHECK(svm::test::refuses([&] { CachedRows(gaussian, points().view(false), n, 2); }, "both classes"));
  return svm::test::finish();
}
