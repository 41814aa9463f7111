// Images deformed by smooth random displacement fields (Simard, Steinkraus, Platt 2003), the same bytes on any machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace svm {

/// A displacement of each pixel: independent uniform numbers on [-1, 1), smoothed by a Gaussian of width sigma, times
/// alpha. The random numbers extend beyond the border of the image, so that the field is equally strong at the border.
///
/// The computation uses integers: numbers of 15 bits and a sign, weights that sum to 2^15, displacements in 1/256 of a
/// pixel, bilinear interpolation between 8-bit grey values. The weights are computed with additions, multiplications
/// and divisions only. An image depends on (seed, stream, number) only, so images can be computed in any order.
class ElasticDeformation {
 public:
  static constexpr std::size_t side = 28;
  static constexpr std::size_t pixels = side * side;

  /// Displacements along both axes, in 1/256 of a pixel: a pixel gets the grey value at its position plus the
  /// displacement.
  struct Field {
    std::array<std::int64_t, pixels> x;
    std::array<std::int64_t, pixels> y;
  };

  /// 0.5 <= sigma <= 28 pixels, 0 <= alpha <= 1000.
  ElasticDeformation(double sigma, double alpha, std::uint64_t seed);

  /// Writes the field of an image; `stream` is the number of the series of images.
  void field(std::uint32_t stream, std::uint32_t number, Field& out);
  /// Deforms `base` into `out`, both of `pixels` grey values, row by row; pixels outside the image are 0.
  void image(const std::uint8_t* base, std::uint32_t stream, std::uint32_t number, std::uint8_t* out);

 private:
  void draw(std::uint32_t stream, std::uint32_t number);
  void smooth(const std::int16_t* noise, std::array<std::int64_t, pixels>& out);

  std::array<std::uint32_t, 2> key_;
  std::int64_t scale_;                 // alpha, in 1/2^16
  std::vector<std::int16_t> weights_;  // of the Gaussian at -radius, ..., radius, in 1/2^15
  std::size_t width_;                  // of the noise: the image, and the radius on both sides
  std::vector<std::int16_t> noise_;    // of both axes
  std::vector<std::int16_t> rows_;     // smoothed along rows: width_ rows of `side`
  Field field_;
};

}  // namespace svm
