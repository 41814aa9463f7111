#include "kernel/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "base/aligned.hpp"
#include "base/error.hpp"
#include "data/row_operations.hpp"
#include "kernel/blas.hpp"
#include "simd/loops.hpp"

namespace svm {
namespace {

constexpr double largest_exponent = 1e37;  // of a Gaussian: float32 ends at 3.4e38
constexpr int highest_degree = 100;
constexpr std::size_t widest_binary = 1024;  // columns of a matrix that is packed into bits

// Let u = 2^-24, and m(x) the number of coordinates of x that are not 0. In float32 |x|^2 + |z|^2 - 2 <x, z> is wrong
// by at most r(x) + r(z), r(x) = u (m(x) + 4) |x|^2, to first order:
// - The norms are sums in float64, rounded once, and added: 2 u (|x|^2 + |z|^2).
// - The inner product has at most m = min(m(x), m(z)) terms, and in any order it is wrong by at most m u |x| |z|. Twice
//   that is at most u (m(x) |x|^2 + m(z) |z|^2).
// - The difference is at most 2 (|x|^2 + |z|^2), and rounded once.
// A Gaussian is then wrong by at most gamma (r(x) + r(z)), which is accepted up to `largest_loss`. This bound is for
// roundings that all have one sign. Those of m different terms grow as sqrt(m): measured errors at the limit are at
// most 2e-3, and 4e-3 where all coordinates are equal. With few terms errors are nearer to the bound, so m counts as
// `least_terms` at least: gamma (|x|^2 + |z|^2) is then at most 8,192 for any m.
constexpr double largest_loss = 0x1p-6;
constexpr double least_terms = 28.0;

}  // namespace

double KernelFunction::largest_value(double square) const noexcept {
  switch (kind) {
    case Kind::gaussian: return 1.0;
    case Kind::polynomial: return std::pow(std::abs(gamma) * square + std::abs(coef0), degree);
    case Kind::linear: break;
  }
  return square;
}

double KernelFunction::self(double square) const noexcept {
  switch (kind) {
    case Kind::gaussian: return 1.0;
    case Kind::polynomial: return std::pow(gamma * square + coef0, degree);
    case Kind::linear: break;
  }
  return square;
}

void KernelFunction::apply(float* products, float norm, const float* norms, std::size_t n) const {
  switch (kind) {
    case Kind::gaussian: simd::loops().gaussian(products, norms, norm, static_cast<float>(gamma), n); return;
    case Kind::polynomial:
      simd::loops().polynomial(products, static_cast<float>(gamma), static_cast<float>(coef0), degree, n);
      return;
    case Kind::linear: return;
  }
}

Points::Points(const MatrixView& matrix) : matrix_(checked(matrix)), norms_(matrix.rows), roundings_(matrix.rows) {
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const RowView x = matrix.row(i);
    const double square = squared_norm(x);
    const auto zeros = static_cast<std::size_t>(std::count(x.values, x.values + x.size, 0.0F));
    const double terms = std::max(static_cast<double>(x.size - zeros), least_terms);
    norms_[i] = static_cast<float>(square);
    roundings_[i] = static_cast<float>((terms + 4.0) * 0x1p-24 * square);
    largest_rounding_ = std::max(largest_rounding_, roundings_[i]);
    largest_square_ = std::max(largest_square_, std::isfinite(square) ? square : HUGE_VAL);
  }
  if (matrix.sparse() || matrix.columns > widest_binary ||
      !std::all_of(matrix.values, matrix.values + matrix.rows * matrix.columns,
                   [](float value) { return value == 0.0F || value == 1.0F; })) {
    return;
  }
  words_ = (matrix.columns + 63) / 64;
  bits_.resize(matrix.rows * words_);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t k = 0; k < matrix.columns; ++k) {
      if (matrix.values[i * matrix.columns + k] != 0.0F) bits_[i * words_ + k / 64] |= std::uint64_t{1} << (k % 64);
    }
  }
}

void Points::keep_columns() {
  if (words_ == 0) columns_ = Transpose(matrix_);
}

namespace {

// |x - z|^2. Nothing cancels: the relative error is that of a sum of positive numbers. |z - x|^2 is the same bits. The
// terms of sparse points are added in the order of the columns.
double squared_distance(const RowView& x, const RowView& z) {
  const auto square = [](float a, float b) {
    const double difference = static_cast<double>(a) - static_cast<double>(b);
    return difference * difference;
  };
  if (x.indices != nullptr) {
    const auto index = [](const RowView& row, std::size_t k) {
      return k < row.size ? row.indices[k] : std::numeric_limits<std::int32_t>::max();
    };
    double total = 0.0;
    for (std::size_t p = 0, q = 0; p < x.size || q < z.size;) {
      const std::int32_t left = index(x, p);
      const std::int32_t right = index(z, q);
      total += square(left <= right ? x.values[p++] : 0.0F, right <= left ? z.values[q++] : 0.0F);
    }
    return total;
  }
  constexpr std::size_t lanes = 8;  // independent sums, which the compiler puts into vectors
  double total[lanes] = {};
  std::size_t k = 0;
  for (; k + lanes <= x.size; k += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) total[lane] += square(x.values[k + lane], z.values[k + lane]);
  }
  for (; k < x.size; ++k) total[0] += square(x.values[k], z.values[k]);
  return std::accumulate(total, total + lanes, 0.0);
}

// Computes again what float32 has lost: out[k] = K(row i of x, row of(k) of z) is right to its last bits.
template <typename RowOf>
void correct(const KernelFunction& kernel, const Points& x, std::size_t i, const Points& z, const RowOf& of,
             std::size_t count, float* out) {
  const auto loss = [&](float rounding) {
    return kernel.gamma * (static_cast<double>(x.roundings()[i]) + static_cast<double>(rounding));
  };
  if (kernel.kind != KernelFunction::Kind::gaussian || loss(z.largest_rounding()) <= largest_loss) return;
  thread_local std::vector<std::size_t> places;
  thread_local AlignedVector<double> values;
  places.clear();
  values.clear();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t j = of(k);
    if (loss(z.roundings()[j]) <= largest_loss) continue;
    places.push_back(k);
    values.push_back(-kernel.gamma * squared_distance(x.matrix().row(i), z.matrix().row(j)));
  }
  values.resize((places.size() + simd::lanes - 1) / simd::lanes * simd::lanes);
  simd::loops().exponential(values.data(), values.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double value = values[k];
    out[places[k]] = value < static_cast<double>(std::numeric_limits<float>::min()) ? 0.0F : static_cast<float>(value);
  }
}

// The values of point i with all points, reading only the columns in which it is not 0. Each inner product is a sum in
// the order of the columns, so <x, z> and <z, x> are the same bits.
void row_by_sparse_columns(const KernelFunction& kernel, const Points& x, std::size_t i, float* row) {
  const RowView point = x.matrix().row(i);
  const MatrixView columns = x.columns();
  std::fill_n(row, x.size(), 0.0F);
  for (std::size_t k = 0; k < point.size; ++k) {
    add(simd::loops(), row, columns.row(point.at(k)), static_cast<double>(point.values[k]));
  }
  kernel.apply(row, x.norms()[i], x.norms().data(), x.size());
}

void row_by_dense_columns(const KernelFunction& kernel, const Points& x, std::size_t i, float* row) {
  constexpr std::size_t strip = 4096;  // points at a time: their values stay in the first-level cache
  const RowView point = x.matrix().row(i);
  thread_local std::vector<float> values;
  thread_local std::vector<std::uint32_t> which;
  values.clear();
  which.clear();
  for (std::size_t k = 0; k < point.size; ++k) {
    if (point.values[k] == 0.0F) continue;
    values.push_back(point.values[k]);
    which.push_back(static_cast<std::uint32_t>(k));
  }
  for (std::size_t begin = 0; begin < x.size(); begin += strip) {
    const std::size_t count = std::min(strip, x.size() - begin);
    simd::loops().column_dots(values.data(), which.data(), values.size(), x.columns().values + begin, x.size(), count,
                              row + begin);
    kernel.apply(row + begin, x.norms()[i], x.norms().data() + begin, count);
  }
}

// The kernel's value for each number of ones, computed by the same code as for other points: a Gaussian kernel with
// norms 0 and inner product -h / 2 gives the value for squared distance h.
std::vector<float> values_by_ones(const KernelFunction& kernel, std::size_t columns) {
  const bool distance = kernel.kind == KernelFunction::Kind::gaussian;
  std::vector<float> table(columns + 1);
  const std::vector<float> zeros(columns + 1);
  for (std::size_t h = 0; h <= columns; ++h) table[h] = (distance ? -0.5F : 1.0F) * static_cast<float>(h);
  kernel.apply(table.data(), 0.0F, zeros.data(), table.size());
  return table;
}

// out[k] = K(row i of x, row begin + members[k] of z), or row begin + k where members is null. Both are packed.
void packed_values(const KernelFunction& kernel, const Points& x, std::size_t i, const Points& z, std::size_t begin,
                   const std::uint32_t* members, std::size_t count, float* out) {
  const std::size_t columns = x.matrix().columns;
  thread_local std::vector<float> table;
  thread_local KernelFunction known;
  if (table.size() != columns + 1 || !(known == kernel)) {
    table = values_by_ones(kernel, columns);
    known = kernel;
  }
  simd::loops().binary_lookup(x.bits(i), z.bits(begin), members, count, x.words(),
                              kernel.kind == KernelFunction::Kind::gaussian, table.data(), out);
}

// Dense copies of sparse points, zeros between two calls.
thread_local std::vector<double> spread;
thread_local std::vector<float> strip;

// The inner products of sparse point i with some others: point i is copied to a dense vector first.
void sparse_products(const MatrixView& x, std::size_t i, const std::uint32_t* members, std::size_t count, float* out) {
  if (spread.size() < x.columns) spread.resize(x.columns);
  const RowView point = x.row(i);
  for (std::size_t k = 0; k < point.size; ++k) spread[point.at(k)] = static_cast<double>(point.values[k]);
  for (std::size_t k = 0; k < count; ++k) {
    out[k] = static_cast<float>(dot(simd::loops(), x.row(members[k]), spread.data()));
  }
  for (std::size_t k = 0; k < point.size; ++k) spread[point.at(k)] = 0.0;
}

// 16 rows of x at a time are copied to a dense strip; then each sparse row of z is read once.
void sparse_tile(const MatrixView& x, std::size_t first, std::size_t count_x, const MatrixView& z, std::size_t begin,
                 std::size_t count_z, float* tile, std::size_t stride) {
  if (strip.size() < x.columns * simd::group) strip.resize(x.columns * simd::group);
  for (std::size_t a = 0; a < count_x; a += simd::group) {
    const std::size_t rows = std::min(simd::group, count_x - a);
    const auto fill = [&](bool clear) {
      for (std::size_t k = 0; k < rows; ++k) {
        const RowView row = x.row(first + a + k);
        for (std::size_t p = 0; p < row.size; ++p) strip[row.at(p) * simd::group + k] = clear ? 0.0F : row.values[p];
      }
    };
    fill(false);
    for (std::size_t b = 0; b < count_z; ++b) {
      float products[simd::group];
      const RowView row = z.row(begin + b);
      simd::loops().sparse_dots(row.indices, row.values, row.size, strip.data(), products);
      for (std::size_t k = 0; k < rows; ++k) tile[(a + k) * stride + b] = products[k];
    }
    fill(true);
  }
}

}  // namespace

ScratchUser::~ScratchUser() {
  std::vector<double>().swap(spread);
  std::vector<float>().swap(strip);
}

void require_parameters(const KernelFunction& kernel) {
  require_positive(kernel.gamma, "gamma");
  require(std::isfinite(kernel.coef0), "coef0 must be finite");
  require(kernel.degree >= 1 && kernel.degree <= highest_degree,
          "the degree must be from 1 to " + std::to_string(highest_degree) + ", got " + std::to_string(kernel.degree));
}

// Why these checks suffice: let S be the largest |x|^2. Partial sums of <x, z> in float32, in any order, are at most
// sum |x_k z_k| <= |x| |z| <= S (Cauchy-Schwarz). The powers of the polynomial are at most those of |gamma| S +
// |coef0|; the last of them is `largest_value`, the others are at most that or 1. The Gaussian's exponent is at most
// gamma (|x| + |z|)^2 <= 4 gamma S. Each operation has a relative rounding error of 1e-7, and between 1e30 and the end
// of float32 there is a factor of 1e8. So no value is infinite in float32, no infinities are subtracted or multiplied
// by 0, and no value is NaN.
void require_range(const KernelFunction& kernel, double square) {
  require_parameters(kernel);
  const double value = kernel.largest_value(square);
  require(square <= largest_allowed, "the largest |x|^2 is " + text_of(square) +
                                         ", and kernel values are computed up to " + text_of(largest_allowed) +
                                         ": scale the features");
  require(value <= largest_allowed, "the kernel (" + text_of(kernel.gamma) + " <x, z> + " + text_of(kernel.coef0) +
                                        ")^" + std::to_string(kernel.degree) + " reaches " + text_of(value) +
                                        " where |x|^2 = " + text_of(square) +
                                        ", and kernel values are computed up to " + text_of(largest_allowed) +
                                        ": scale the features, or take a smaller gamma, coef0 or degree");
  require(kernel.kind == KernelFunction::Kind::linear ||
              4.0 * std::abs(kernel.gamma) * std::max(square, 1.0) <= largest_exponent,
          "gamma = " + text_of(kernel.gamma) + " is too large where |x|^2 is up to " + text_of(square) +
              ": 4 gamma and 4 gamma |x|^2 may be up to " + text_of(largest_exponent));
}

// Below the limits a method would compute with values that are 0, or have lost digits: its weights would be 0, or wrong,
// without an error.
void require_resolution(const KernelFunction& kernel, double square) {
  if (square == 0.0) return;
  const double value = kernel.largest_value(square);
  require(square >= smallest_allowed, "the largest |x|^2 is " + text_of(square) +
                                          ", and kernel values are computed from " + text_of(smallest_allowed) +
                                          " on: scale the features");
  require(value >= smallest_allowed, "the kernel (" + text_of(kernel.gamma) + " <x, z> + " + text_of(kernel.coef0) +
                                         ")^" + std::to_string(kernel.degree) + " reaches only " + text_of(value) +
                                         " where |x|^2 = " + text_of(square) +
                                         ", and kernel values are computed from " + text_of(smallest_allowed) +
                                         " on: scale the features, or take a larger gamma or a smaller degree");
}

void kernel_tile(const KernelFunction& kernel, const Points& x, std::size_t first, std::size_t count_x, const Points& z,
                 std::size_t begin, std::size_t count_z, float* tile, std::size_t stride) {
  const MatrixView& left = x.matrix();
  const MatrixView& right = z.matrix();
  require(left.columns == right.columns && left.sparse() == right.sparse(),
          "a kernel block needs two matrices of the same width and storage");
  if (x.words() > 0 && z.words() > 0) {
    for (std::size_t a = 0; a < count_x; ++a) {
      packed_values(kernel, x, first + a, z, begin, nullptr, count_z, tile + a * stride);
    }
    return;
  }
  if (left.sparse()) {
    sparse_tile(left, first, count_x, right, begin, count_z, tile, stride);
  } else if (count_x == 1) {
    simd::loops().dots(left.row(first).values, right.row(begin).values, count_z, left.columns, tile);
  } else {
    multiply_transposed(left.row(first).values, right.row(begin).values, tile, static_cast<int>(count_x),
                        static_cast<int>(count_z), static_cast<int>(left.columns), static_cast<int>(stride));
  }
  for (std::size_t a = 0; a < count_x; ++a) {
    kernel.apply(tile + a * stride, x.norms()[first + a], z.norms().data() + begin, count_z);
    correct(kernel, x, first + a, z, [begin](std::size_t k) { return begin + k; }, count_z, tile + a * stride);
  }
}

void kernel_row(const KernelFunction& kernel, const Points& x, std::size_t i, float* row) {
  if (x.words() > 0) {
    packed_values(kernel, x, i, x, 0, nullptr, x.size(), row);
  } else if (x.has_columns()) {
    (x.matrix().sparse() ? row_by_sparse_columns : row_by_dense_columns)(kernel, x, i, row);
    correct(kernel, x, i, x, [](std::size_t k) { return k; }, x.size(), row);
  } else {
    kernel_tile(kernel, x, i, 1, x, 0, x.size(), row, x.size());
  }
  row[i] = static_cast<float>(kernel.self(static_cast<double>(x.norms()[i])));
}

void kernel_values(const KernelFunction& kernel, const Points& x, std::size_t i, const std::uint32_t* members,
                   std::size_t count, float* out) {
  const MatrixView& matrix = x.matrix();
  if (x.words() > 0) {
    packed_values(kernel, x, i, x, 0, members, count, out);
  } else {
    // Padded to whole blocks: a value must have the same bits at every position, and the last few would be computed
    // differently.
    thread_local AlignedVector<float> norms;
    thread_local AlignedVector<float> products;
    norms.resize((count + simd::block - 1) / simd::block * simd::block);
    products.resize(norms.size());
    for (std::size_t k = 0; k < count; ++k) norms[k] = x.norms()[members[k]];
    if (matrix.sparse()) {
      sparse_products(matrix, i, members, count, products.data());
    } else {
      const RowView point = matrix.row(i);
      for (std::size_t k = 0; k < count; ++k) {
        simd::loops().dots(point.values, matrix.row(members[k]).values, 1, point.size, products.data() + k);
      }
    }
    kernel.apply(products.data(), x.norms()[i], norms.data(), products.size());
    std::copy_n(products.begin(), count, out);
    correct(kernel, x, i, x, [members](std::size_t k) { return std::size_t{members[k]}; }, count, out);
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (members[k] == i) out[k] = static_cast<float>(kernel.self(static_cast<double>(x.norms()[i])));
  }
}

}  // namespace svm
