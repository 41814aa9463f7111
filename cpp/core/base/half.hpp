// Numbers of 16 bits: values are stored in half the memory of float32, and widened before they are used.
#pragma once

#include <cstdint>
#include <cstring>

namespace svm {

/// The upper half of a float32: 8 bits of precision, the range of float32.
struct BFloat16 {
  std::uint16_t bits;
};

/// IEEE 754 binary16: 11 bits of precision, up to 65,504.
struct Float16 {
  std::uint16_t bits;
};

namespace half {

inline float as_float(std::uint32_t bits) noexcept {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

inline std::uint32_t as_bits(float x) noexcept {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

}  // namespace half

/// The number as float32, exactly. A Float16 must be finite.
inline float widened(float x) noexcept { return x; }
inline float widened(BFloat16 x) noexcept { return half::as_float(std::uint32_t{x.bits} << 16); }
inline float widened(Float16 x) noexcept {
  // Exponent and fraction move to their places in float32. The product corrects the exponent's bias, 127 instead of 15,
  // for subnormal numbers too.
  const float magnitude = half::as_float((std::uint32_t{x.bits} & 0x7fffU) << 13) * 0x1p112F;
  return half::as_float(half::as_bits(magnitude) | (std::uint32_t{x.bits} & 0x8000U) << 16);
}

inline bool is_finite(BFloat16 x) noexcept { return (x.bits & 0x7f80U) != 0x7f80U; }
inline bool is_finite(Float16 x) noexcept { return (x.bits & 0x7c00U) != 0x7c00U; }

/// The nearest number of 16 bits, of two equally near ones the even one; infinity if `x` is too large.
template <typename Value>
Value rounded(float x) noexcept;

template <>
inline BFloat16 rounded<BFloat16>(float x) noexcept {
  const std::uint32_t bits = half::as_bits(x);
  return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}

template <>
inline Float16 rounded<Float16>(float x) noexcept {
  constexpr float overflow = 65520.0F;         // from here on infinity is nearer than 65,504
  constexpr float least_normal = 0x1p-14F;     // of Float16
  constexpr float unit = 0.5F;                 // near 0.5 float32 has the spacing of subnormal Float16, 2^-24
  constexpr std::uint32_t bias = 112U << 23U;  // difference of the exponents' biases
  const std::uint32_t sign = half::as_bits(x) >> 16 & 0x8000U;
  const std::uint32_t bits = half::as_bits(x) & 0x7fffffffU;
  const float magnitude = half::as_float(bits);
  std::uint32_t found = 0x7c00U;
  if (magnitude < least_normal) {
    found = half::as_bits(magnitude + unit) - half::as_bits(unit);
  } else if (magnitude < overflow) {
    found = (bits - bias + 0xfffU + ((bits >> 13) & 1U)) >> 13;
  }
  return {static_cast<std::uint16_t>(sign | found)};
}

}  // namespace svm
