#include "qp/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/dot.hpp"

namespace svm {

double Cholesky::append(std::vector<double> column, double least) {
  const std::size_t m = size();
  forward(column.data());
  const double pivot = column[m] - dot(column.data(), column.data(), m);
  column[m] = std::sqrt(std::max(pivot, least));
  columns_.push_back(std::move(column));
  return std::max(least - pivot, 0.0);
}

void Cholesky::remove(std::size_t k) {
  columns_.erase(columns_.begin() + static_cast<std::ptrdiff_t>(k));
  struct Rotation {
    double cosine;
    double sine;
  };
  std::vector<Rotation>
      rotations;  // of rows p and p + 1, p = k, k + 1, ...: each makes one more column triangular again
  for (std::size_t c = k; c < size(); ++c) {
    double* r = columns_[c].data() + k;
    for (const Rotation& turn : rotations) {
      const double upper = r[0];
      r[0] = turn.cosine * upper + turn.sine * r[1];
      r[1] = turn.cosine * r[1] - turn.sine * upper;
      ++r;
    }
    const double length = std::hypot(r[0], r[1]);
    rotations.push_back({r[0] / length, r[1] / length});
    r[0] = length;
    columns_[c].pop_back();
  }
}

void Cholesky::forward(double* x) const noexcept {
  for (std::size_t k = 0; k < size(); ++k) x[k] = (x[k] - dot(columns_[k].data(), x, k)) / columns_[k][k];
}

void Cholesky::back(double* x) const noexcept {
  for (std::size_t k = size(); k-- > 0;) {
    const std::vector<double>& r = columns_[k];
    x[k] /= r[k];
    for (std::size_t p = 0; p < k; ++p) x[p] -= r[p] * x[k];
  }
}

}  // namespace svm
