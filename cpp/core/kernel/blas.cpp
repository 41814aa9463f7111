#include "kernel/blas.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/error.hpp"

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

}  // namespace

void set_gemm(Gemm<float> single_precision, Gemm<double> double_precision) noexcept {
  sgemm = single_precision;
  dgemm = double_precision;
}

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

void multiply_transposed(const float* a, const float* b, float* c, int m, int n, int k, int ldc, float beta) {
  if (m == 0 || n == 0) return;
  if (k == 0) {  // a leading dimension of 0 is an error in BLAS
    for (int i = 0; i < m; ++i) {
      float* const row = c + std::ptrdiff_t{i} * ldc;
      for (int j = 0; j < n; ++j) row[j] = beta == 0.0F ? 0.0F : beta * row[j];
    }
    return;
  }
  call(sgemm, 'T', 'N', n, m, k, b, k, a, k, beta, c, ldc);
}

void accumulate_transposed(const double* a, const double* b, double* c, int m, int n, int k, int stride) {
  if (m == 0 || n == 0 || k == 0) return;
  call(dgemm, 'N', 'T', n, m, k, b, stride, a, m, 1.0, c, stride);
}

}  // namespace svm
