// Transposes, columns that are made at their first use, and other orders of columns, against plain loops.
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "data.hpp"
#include "data/feature_order.hpp"
#include "data/features.hpp"
#include "data/transpose.hpp"
#include "kernel/rows.hpp"

using svm::FeatureMatrix;
using svm::MatrixView;
using svm::Random;
using svm::test::Data;
using svm::test::refuses;

namespace {

float value(const MatrixView& matrix, std::size_t i, std::size_t k) {
  if (!matrix.sparse()) return matrix.values[i * matrix.columns + k];
  for (std::int64_t p = matrix.offsets[i]; p < matrix.offsets[i + 1]; ++p) {
    if (static_cast<std::size_t>(matrix.indices[p]) == k) return matrix.values[p];
  }
  return 0.0F;
}

void check_transpose(std::size_t n, std::size_t d, bool sparse) {
  const Data data(n, d, 5);
  const svm::Transpose once(data.view(sparse));
  const svm::Transpose twice(once.view());
  CHECK(once.view().rows == d && once.view().columns == n && once.view().sparse() == sparse);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < d; ++k) CHECK(value(once.view(), k, i) == data.dense[i * d + k]);
  }
  const std::size_t stored = data.view(sparse).stored();
  CHECK(twice.view().stored() == stored);
  CHECK(std::equal(twice.view().values, twice.view().values + stored, data.view(sparse).values));
  if (!sparse) return;
  CHECK(std::equal(data.indices.begin(), data.indices.end(), twice.view().indices));
  CHECK(std::equal(data.offsets.begin(), data.offsets.end(), twice.view().offsets));
}

// Rows that are a part of a larger sparse matrix, and columns of which every other one is empty.
void check_transpose_of_part() {
  Data data(60, 30, 2);
  for (std::int32_t& index : data.indices) index = 2 * index + 1;
  MatrixView part = data.view(true);
  part.columns = 61;
  part.rows = 40;
  part.offsets += 20;
  const svm::Transpose transpose(part);
  CHECK(transpose.view().rows == 61 && transpose.view().columns == 40 && transpose.view().stored() == part.stored());
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t k = 0; k < 61; ++k) CHECK(value(transpose.view(), k, i) == value(part, i, k));
  }
}

// Arrays that would be read out of their bounds, or values that no method can compute with.
void check_refused_matrices() {
  const auto make = [](const Data& data, const MatrixView& view, const char* text) {
    CHECK(refuses([&] { FeatureMatrix(view, 1); }, text));
    CHECK(refuses([&] { svm::Points{view}; }, text));
    CHECK(refuses([&] { svm::CachedRows(svm::KernelFunction{}, view, 1, data.rows); }, text));
  };
  const Data sound(6, 4, 3, 0.2);
  svm::Points{sound.view(true)};
  for (const std::int32_t wrong : {-1, 4, 1 << 30}) {
    Data data = sound;
    data.indices.back() = wrong;
    make(data, data.view(true), "outside [0, 4)");
  }
  Data data = sound;
  std::swap(data.indices[0], data.indices[1]);
  make(data, data.view(true), "must rise within a row (row 0)");
  data = sound;
  std::swap(data.offsets[2], data.offsets[4]);
  make(data, data.view(true), "offsets must not decrease");
  data = sound;
  data.offsets[0] = -1;
  make(data, data.view(true), "first offset is negative");
  for (const float wrong : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    data = sound;
    data.values.back() = data.dense.back() = wrong;
    make(data, data.view(true), "row 5, column");
    make(data, data.view(false), "row 5, column 3 is");
  }
  MatrixView empty = sound.view(false);
  empty.values = nullptr;
  make(data, empty, "no values");
  data = sound;
  data.dense[0] = 1e16F;
  CHECK(refuses([&] { FeatureMatrix(data.view(false), 1); }, "scale the features"));
  CHECK(refuses([&] { svm::CachedRows({}, data.view(false), 1, 6); }, "scale the features"));
}

// The values of a kernel must not all be 0, or subnormal, in float32.
void check_resolution() {
  const auto rows = [](float scale, const svm::KernelFunction& kernel) {
    Data data(6, 4, 3, 0.2);
    for (float& value : data.dense) value *= scale;
    svm::CachedRows(kernel, data.view(false), 3, 6);
  };
  using Kind = svm::KernelFunction::Kind;
  for (const svm::KernelFunction& kernel :
       {svm::KernelFunction{Kind::linear}, {Kind::gaussian, 1e30}, {Kind::polynomial, 1e30, 1.0, 2}}) {
    rows(1e-14F, kernel);
    rows(0.0F, kernel);
    for (const float scale : {1e-16F, 1e-19F, 1e-23F, 1e-30F, 1e-44F}) {
      CHECK(refuses([&] { rows(scale, kernel); }, "values are computed from 1e-30 on: scale the features"));
    }
  }
  CHECK(refuses([&] { rows(1e-3F, {Kind::polynomial, 1.0, 0.0, 7}); }, "reaches only"));
}

void check_columns(bool sparse) {
  const Data data(40, 7, 6);
  const FeatureMatrix matrix(data.view(sparse), 15);
  svm::CountedFeatures counted(matrix);
  counted.make_columns();
  const float* const first = matrix.column(0).values;
  svm::CountedFeatures other(matrix);
  other.make_columns();
  CHECK(matrix.column(0).values == first);  // made once for all views
  std::size_t accesses = 0;
  for (std::size_t k = 0; k < 7; ++k) {
    const svm::RowView column = counted.column(k);
    accesses += column.size;
    for (std::size_t p = 0; p < column.size; ++p) CHECK(column.values[p] == data.dense[column.at(p) * 7 + k]);
    CHECK(counted.counters().feature_accesses == accesses);
    CHECK(counted.counters().feature_accesses_dense == 40 * (k + 1));
  }
  CHECK(accesses == data.view(sparse).stored());
  CHECK(other.counters().feature_accesses_dense == 0);
}

void check_order(const std::vector<std::int32_t>& indices, std::size_t columns) {
  std::vector<std::int64_t> order(columns, -1);
  svm::frequency_order(indices.data(), indices.size(), columns, order.data());
  std::vector<std::int64_t> expected(columns);
  std::iota(expected.begin(), expected.end(), 0);
  const auto count = [&](std::int64_t k) { return std::count(indices.begin(), indices.end(), k); };
  const auto first = [&](std::int64_t k) { return std::find(indices.begin(), indices.end(), k) - indices.begin(); };
  std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
    return count(a) != count(b) ? count(a) > count(b) : first(a) < first(b);
  });
  CHECK(order == expected);
}

// Few columns and more values than a block has; or more columns than a block has values otherwise.
void check_numbers(std::size_t n, std::size_t d) {
  const Data data(n, d, 7);
  Random random(8, svm::Purpose::data);
  std::vector<std::int32_t> numbers(d);
  std::iota(numbers.begin(), numbers.end(), 0);
  for (std::size_t k = d; k > 1; --k) std::swap(numbers[k - 1], numbers[random.below(k)]);
  std::vector<std::int32_t> indices = data.indices;
  std::vector<float> values = data.values;
  svm::renumber_columns(data.offsets.data(), n, numbers.data(), d, indices.data(), values.data(), values.size());
  bool rising = true;
  bool same = true;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<float> row(d);
    for (auto p = static_cast<std::size_t>(data.offsets[i]); p < static_cast<std::size_t>(data.offsets[i + 1]); ++p) {
      rising = rising && (p == static_cast<std::size_t>(data.offsets[i]) || indices[p - 1] < indices[p]);
      row[static_cast<std::size_t>(indices[p])] = values[p];
    }
    for (std::size_t k = 0; k < d; ++k) {
      same = same && row[static_cast<std::size_t>(numbers[k])] == data.dense[i * d + k];
    }
  }
  CHECK(rising && same);
}

void check_refusals() {
  const std::vector<std::int32_t> numbers{1, 0};
  const auto renumber = [&](const std::vector<std::int64_t>& offsets, std::vector<std::int32_t> indices,
                            const std::vector<std::int32_t>& given) {
    std::vector<float> values(indices.size());
    svm::renumber_columns(offsets.data(), offsets.size() - 1, given.data(), given.size(), indices.data(), values.data(),
                          values.size());
  };
  renumber({0, 2, 2, 3}, {0, 1, 1}, numbers);
  renumber({0, 0}, {}, {});
  CHECK(refuses([&] { renumber({0, 2, 1}, {0, 1}, numbers); }, "row 1"));
  CHECK(refuses([&] { renumber({0, -1}, {0, 1}, numbers); }, "row 0"));
  CHECK(refuses([&] { renumber({0, 2, 3}, {0, 1}, numbers); }, "row 1"));
  CHECK(refuses([&] { renumber({0, 3}, {0, 1, 1}, numbers); }, "row 0"));
  for (const std::int32_t wrong : {-1, 2}) {
    CHECK(refuses([&] { renumber({0, 2}, {0, wrong}, numbers); }, "outside [0, 2)"));
    CHECK(refuses([&] { renumber({0, 2}, {0, 1}, {0, wrong}); }, "outside [0, 2)"));
    std::vector<std::int64_t> order(2);
    CHECK(refuses([&] { svm::frequency_order(&wrong, 1, 2, order.data()); }, "outside [0, 2)"));
  }
}

}  // namespace

int main() {
  svm::test::skip_without_instruction_set();
  for (const bool sparse : {false, true}) {
    for (const std::size_t n : {1, 31, 70}) {
      for (const std::size_t d : {1, 33, 64}) check_transpose(n, d, sparse);
    }
    check_columns(sparse);
  }
  check_transpose_of_part();
  check_refused_matrices();
  check_resolution();
  Random random(4, svm::Purpose::data);
  for (const std::size_t columns : {1, 2, 9, 50}) {
    for (const std::size_t stored : {0, 1, 8, 60}) {
      std::vector<std::int32_t> indices(stored);
      for (std::int32_t& index : indices) index = static_cast<std::int32_t>(random.below(columns));
      check_order(indices, columns);
    }
  }
  check_order({}, 0);
  check_numbers(700, 300);
  check_numbers(3, 70'000);
  check_numbers(1, 1);
  check_refusals();
  return svm::test::finish();
}
