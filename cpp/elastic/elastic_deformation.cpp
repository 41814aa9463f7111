#include "elastic/elastic_deformation.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "random/random.hpp"
#include "simd/loops.hpp"

namespace svm {
namespace {

constexpr int weight_bits = 15;
constexpr std::int32_t one = std::int32_t{1} << weight_bits;
constexpr double widest = 28.0;
constexpr double strongest = 1000.0;

/// exp(-t), t >= 0, by operations whose results IEEE 754 defines exactly; the last bit of the library's exp may differ.
double decay(double t) {
  int halvings = 0;
  for (; t > 0.125; t *= 0.5) ++halvings;
  double sum = 1.0;
  for (int k = 12; k > 0; --k) sum = 1.0 + t / k * sum;
  for (; halvings > 0; --halvings) sum *= sum;
  return 1.0 / sum;
}

/// The Gaussian out to three times its width. The rounding errors are added to the middle weight, so that the sum is
/// exact.
std::vector<std::int16_t> gaussian(double sigma) {
  const auto radius = static_cast<std::int32_t>(3.0 * sigma + 0.5);
  std::vector<double> shape;
  double total = 0.0;
  for (std::int32_t k = -radius; k <= radius; ++k) {
    shape.push_back(decay(0.5 * (k / sigma) * (k / sigma)));
    total += shape.back();
  }
  std::vector<std::int16_t> weights;
  std::int32_t rest = one;
  for (const double value : shape) {
    weights.push_back(static_cast<std::int16_t>(one * value / total + 0.5));
    rest -= weights.back();
  }
  auto& middle = weights[static_cast<std::size_t>(radius)];
  middle = static_cast<std::int16_t>(middle + rest);
  return weights;
}

/// sums[j] = sum over k of weights[k] values[j + k stride], j < side. At most 2^15 times 2^15.
void weigh(const std::vector<std::int16_t>& weights, const std::int16_t* values, std::size_t stride,
           std::array<std::int32_t, ElasticDeformation::side>& sums) {
  sums.fill(0);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const std::int16_t* from = values + k * stride;
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += std::int32_t{weights[k]} * from[j];
  }
}

}  // namespace

ElasticDeformation::ElasticDeformation(double sigma, double alpha, std::uint64_t seed)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {
  require(sigma >= 0.5 && sigma <= widest, "sigma must lie between 0.5 and 28 pixels");
  require(alpha >= 0.0 && alpha <= strongest, "alpha must lie between 0 and 1000");
  scale_ = static_cast<std::int64_t>(alpha * 0x1.0p16 + 0.5);
  weights_ = gaussian(sigma);
  width_ = side + weights_.size() - 1;
  // 16 blocks of 4 words are drawn at a time, with two numbers in each word.
  constexpr std::size_t drawn_at_once = 8 * simd::philox_blocks;
  noise_.resize((2 * width_ * width_ + drawn_at_once - 1) / drawn_at_once * drawn_at_once);
  rows_.resize(width_ * side);
}

void ElasticDeformation::draw(std::uint32_t stream, std::uint32_t number) {
  constexpr std::size_t blocks = simd::philox_blocks;
  const auto philox = simd::loops().philox;
  std::array<std::uint32_t, 4 * blocks> words;
  for (std::size_t first = 0; first < noise_.size(); first += 2 * words.size()) {
    for (std::size_t b = 0; b < blocks; ++b) {
      // `Random` has 0 in the fourth word, so these blocks occur in no other sequence.
      words[b] = static_cast<std::uint32_t>(first / (2 * words.size()) * blocks + b);
      words[blocks + b] = number;
      words[2 * blocks + b] = static_cast<std::uint32_t>(Purpose::data);
      words[3 * blocks + b] = stream + 1;
    }
    philox(words.data(), key_[0], key_[1]);
    for (std::size_t k = 0; k < words.size(); ++k) {
      noise_[first + k] = static_cast<std::int16_t>(words[k]);
      noise_[first + words.size() + k] = static_cast<std::int16_t>(words[k] >> 16);
    }
  }
}

void ElasticDeformation::smooth(const std::int16_t* noise, std::array<std::int64_t, pixels>& out) {
  std::array<std::int32_t, side> sums;
  for (std::size_t i = 0; i < width_; ++i) {
    weigh(weights_, noise + i * width_, 1, sums);
    for (std::size_t j = 0; j < side; ++j) {
      rows_[i * side + j] = static_cast<std::int16_t>((sums[j] + one / 2) >> weight_bits);
    }
  }
  constexpr int shift = 2 * weight_bits + 8;
  constexpr std::int64_t half = std::int64_t{1} << (shift - 1);
  for (std::size_t i = 0; i < side; ++i) {
    weigh(weights_, rows_.data() + i * side, side, sums);
    for (std::size_t j = 0; j < side; ++j) out[i * side + j] = (sums[j] * scale_ + half) >> shift;
  }
}

void ElasticDeformation::field(std::uint32_t stream, std::uint32_t number, Field& out) {
  draw(stream, number);
  smooth(noise_.data(), out.x);
  smooth(noise_.data() + width_ * width_, out.y);
}

void ElasticDeformation::image(const std::uint8_t* base, std::uint32_t stream, std::uint32_t number,
                               std::uint8_t* out) {
  field(stream, number, field_);
  // The image with a border of zeros: one pixel on the left and above, two on the right and below.
  constexpr std::size_t framed = side + 3;
  std::array<std::uint8_t, framed * framed> frame{};
  for (std::size_t i = 0; i < side; ++i) std::copy_n(base + i * side, side, frame.data() + (i + 1) * framed + 1);
  // Positions count from the border's corner, in 1/256 of a pixel.
  const auto placed = [](std::size_t at, std::int64_t by) {
    const std::int64_t place = static_cast<std::int64_t>(256 * (at + 1)) + by;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(place, 0, 256 * (side + 1)));
  };
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) {
      const std::uint32_t x = placed(j, field_.x[i * side + j]);
      const std::uint32_t y = placed(i, field_.y[i * side + j]);
      const std::uint32_t right = x & 255u;
      const std::uint32_t below = y & 255u;
      const std::uint8_t* corner = frame.data() + (y >> 8) * framed + (x >> 8);
      const std::uint32_t upper = (256 - right) * corner[0] + right * corner[1];
      const std::uint32_t lower = (256 - right) * corner[framed] + right * corner[framed + 1];
      out[i * side + j] = static_cast<std::uint8_t>(((256 - below) * upper + below * lower + 0x8000u) >> 16);
    }
  }
}

}  // namespace svm
