#include "solvers/svmsgd.hpp"

namespace svm {
namespace {

constexpr double largest_divisor = 1e5;  // as in Bottou's program

}  // namespace

template <typename Real>
void SvmSgdRule<Real>::start(double t0) {
  v_.clear();
  divisor_ = 1.0;
  time_ = t0;
}

template <typename Real>
void SvmSgdRule<Real>::present(CountedFeatures& features, std::size_t i) {
  const RowView x = features.row(i);
  const double y = features.label(i);
  features.charge_inner_product();
  double dot = v_.dot(x);
  const bool violated = y * dot < divisor_;
  divisor_ *= (time_ + 1.0) / time_;  // 1 - lambda eta = (t + t0 - 1) / (t + t0)
  time_ += 1.0;
  if (divisor_ > largest_divisor) {
    v_.multiply(1.0 / divisor_);
    dot /= divisor_;
    divisor_ = 1.0;
  }
  if (violated) v_.add(x, y * divisor_ / (lambda_ * time_), dot, features.squared_norm(i));
}

template class SvmSgdRule<double>;
template class SvmSgdRule<float>;

}  // namespace svm
