#include "kernel/blas.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "parallel/parallel_for.hpp"

namespace svm {
namespace {

Gemm<float> sgemm = nullptr;
Gemm<double> dgemm = nullptr;

// A row-major matrix is its transpose in Fortran's order, so C = op(A) op(B) is computed as C^T = op(B)^T op(A)^T.
template <typename Real>
void call(Gemm<Real> gemm, char first, char second, int m, int n, int k, const Real* a, int lda, const Real* b, int ldb,
          Real beta, Real* c, int ldc) {
  require(gemm != nullptr, "no BLAS has been set: call set_gemm first");
  Real one = 1;
  gemm(&first, &second, &m, &n, &k, &one, const_cast<Real*>(a), &lda, const_cast<Real*>(b), &ldb, &beta, c, &ldc);
}

// The number of threads, at most `threads`, for which there is memory to call BLAS.
unsigned threads_with_memory(unsigned threads) {
  // Of the calling thread: the buffer and its tiles. Of each other: also a stack of 8 MiB and the 64 MiB of addresses
  // that malloc reserves at the first request of a thread.
  constexpr std::size_t caller = std::size_t{48} << 20;
  constexpr std::size_t other = std::size_t{112} << 20;
  std::vector<std::unique_ptr<char[]>> held;
  while (held.size() < threads) {
    // not written to: only addresses are reserved
    std::unique_ptr<char[]> room(new (std::nothrow) char[held.empty() ? caller : other]);
    if (!room) break;
    held.push_back(std::move(room));
  }
  if (held.empty()) throw std::bad_alloc();
  return static_cast<unsigned>(held.size());
}

}  // namespace

void set_gemm(Gemm<float> single_precision, Gemm<double> double_precision) noexcept {
  sgemm = single_precision;
  dgemm = double_precision;
}

Work parallel_blas(std::size_t tasks, unsigned threads, const Progress& progress,
                   const std::function<void(std::size_t)>& body) {
  const auto wanted = static_cast<unsigned>(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(tasks, 1)));
  const unsigned possible = threads_with_memory(wanted);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> stopped{false};
  std::atomic<std::size_t> done{0};
  std::vector<double> cpu_of_others(tasks);
  const unsigned not_started = parallel_for(tasks, possible, [&](std::size_t task) {
    if (stopped) return;
    const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    body(task);
    const std::size_t finished = ++done;
    if (std::this_thread::get_id() != caller) {
      cpu_of_others[task] = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    } else if (progress && !progress(static_cast<double>(finished) / static_cast<double>(tasks))) {
      stopped = true;
    }
  });
  return {!stopped, wanted - possible + not_started, std::accumulate(cpu_of_others.begin(), cpu_of_others.end(), 0.0)};
}

void multiply_transposed(const float* a, const float* b, float* c, int m, int n, int k, int ldc) {
  if (m == 0 || n == 0) return;
  if (k == 0) {  // a leading dimension of 0 is an error in BLAS
    for (int i = 0; i < m; ++i) std::fill_n(c + std::ptrdiff_t{i} * ldc, n, 0.0F);
    return;
  }
  call(sgemm, 'T', 'N', n, m, k, b, k, a, k, 0.0F, c, ldc);
}

void accumulate_transposed(const double* a, const double* b, double* c, int m, int n, int k, int stride) {
  if (m == 0 || n == 0 || k == 0) return;
  call(dgemm, 'N', 'T', n, m, k, b, stride, a, m, 1.0, c, stride);
}

}  // namespace svm
