// Inner products by columns, and kernel values from inner products, for whole rows. Sums are added in the order in which
// they are written, so that K(x, z) and K(z, x) are the same bits and exp is accurate.
#include <cstdint>
#include <cstring>

#include "simd/vectors.hpp"

#ifdef __clang__
#define SVM_NOINLINE [[gnu::noinline]]
#else
#define SVM_NOINLINE [[gnu::noipa]]
#endif

namespace svm::simd::SVM_SIMD_NAME {
namespace {

// Adds the products with `count` columns: their number is a constant, so that a sum stays in its register meanwhile.
template <std::size_t count>
inline void add_columns(const float* values, const std::uint32_t* which, const float* columns, std::size_t stride,
                        std::size_t n, float* out) {
  const float* from[count];
  Wide32 factors[count];
  for (std::size_t k = 0; k < count; ++k) {
    from[k] = columns + which[k] * stride;
    factors[k] = all32(values[k]);
  }
  std::size_t j = 0;
  for (; j + Wide32::size <= n; j += Wide32::size) {
    Wide32 total = load32(out + j);
    for (std::size_t k = 0; k < count; ++k) total = multiply_add(factors[k], load32(from[k] + j), total);
    store(out + j, total);
  }
  for (; j < n; ++j) {
    for (std::size_t k = 0; k < count; ++k) out[j] = multiply_add(values[k], from[k][j], out[j]);
  }
}

// exp(x) for x <= 0 with a relative error below 1e-7; 0 where float32 has no normal number, below e^-87.7. It has no
// branch: the library's vector function calls its scalar one for every value that underflows, as most values of a
// narrow Gaussian do.
inline float exponential(float x) {
  constexpr float per_two = 1.44269504F;    // 1 / log 2
  constexpr float two_high = 0.693359375F;  // log 2 in two parts, the first of few bits: its multiples are exact
  constexpr float two_low = -2.12194440e-4F;
  const float bounded = x > -88.0F ? x : -88.0F;  // e^-88 = 2^-127 times a number, and there 2^-127 counts as 0
  const auto power = static_cast<std::int32_t>(bounded * per_two - 0.5F);  // the nearest whole number
  const auto count = static_cast<float>(power);
  const float r = (bounded - count * two_high) - count * two_low;  // between -log 2 / 2 and log 2 / 2
  // The polynomial 1 + r + r^2 q(r) with the smallest largest relative error there, 3e-9 before rounding.
  const float q = 0.49999994F + r * (0.16666521F + r * (0.04166839F + r * (0.008368745F + r * 0.0013814539F)));
  const std::int32_t bits = (power + 127) * (1 << 23);
  float scale;
  std::memcpy(&scale, &bits, sizeof scale);
  return (1.0F + (r + r * r * q)) * scale;
}

// n is a multiple of `group`. The function is not inlined, so the compiler does not specialise it: all n go through one
// loop.
SVM_NOINLINE void gaussians(float* x, const float* norms, float norm, float gamma, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const float distance = (norm + norms[j]) - 2.0F * x[j];
    x[j] = exponential(-gamma * (distance > 0.0F ? distance : 0.0F));
  }
}

void column_dots(const float* values, const std::uint32_t* which, std::size_t stored, const float* columns,
                 std::size_t stride, std::size_t n, float* out) {
  std::memset(out, 0, n * sizeof(float));
  std::size_t p = 0;
  for (; p + 8 <= stored; p += 8) add_columns<8>(values + p, which + p, columns, stride, n, out);
  for (; p + 4 <= stored; p += 4) add_columns<4>(values + p, which + p, columns, stride, n, out);
  for (; p < stored; ++p) add_columns<1>(values + p, which + p, columns, stride, n, out);
}

// The last values are padded to a whole group: a loop over single values may round differently, and a value must not
// depend on its position.
void gaussian(float* x, const float* norms, float norm, float gamma, std::size_t n) {
  const std::size_t left = n % group;
  const std::size_t whole = n - left;
  gaussians(x, norms, norm, gamma, whole);
  if (left == 0) return;
  float last[group] = {};
  float last_norms[group] = {};
  std::memcpy(last, x + whole, left * sizeof(float));
  std::memcpy(last_norms, norms + whole, left * sizeof(float));
  gaussians(last, last_norms, norm, gamma, group);
  std::memcpy(x + whole, last, left * sizeof(float));
}

void polynomial(float* x, float gamma, float coef0, int degree, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const float base = gamma * x[j] + coef0;
    float power = 1.0F;
    for (int k = 0; k < degree; ++k) power *= base;
    x[j] = power;
  }
}

// exp(x) = 2^k exp(r) with x = k log 2 + r, |r| <= log 2 / 2; exp(r) by its Taylor polynomial of degree 12, whose error
// is below 2e-16. Adding 1.5 2^52 leaves k in the last bits of a float64.
void exponential(double* x, std::size_t n) {
  constexpr double per_two = 1.4426950408889634;       // 1 / log 2
  constexpr double two_high = 6.93147180369123816e-1;  // log 2 in two parts, the first of few bits, as in the library
  constexpr double two_low = 1.90821492927058770e-10;
  constexpr double shift = 6755399441055744.0;
  for (std::size_t j = 0; j < n; ++j) {
    const double bounded = x[j] > -708.0 ? x[j] : -708.0;
    const double shifted = bounded * per_two + shift;
    const double count = shifted - shift;
    const double r = (bounded - count * two_high) - count * two_low;
    double p = 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    std::uint64_t bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    bits = (bits + 1023) << 52;
    double scale;
    std::memcpy(&scale, &bits, sizeof scale);
    x[j] = p * scale;
  }
}

}  // namespace

void set_kernel_functions(Loops& table) {
  table.column_dots = column_dots;
  table.gaussian = gaussian;
  table.polynomial = polynomial;
  table.exponential = exponential;
}

}  // namespace svm::simd::SVM_SIMD_NAME
