#include "solvers/svmsgd.hpp"

namespace svm {

template <typename Real>
void SvmSgdRule<Real>::start(double t0) {
  w_.clear();
  time_ = t0;
}

template <typename Real>
void SvmSgdRule<Real>::present(CountedFeatures& features, std::size_t i) {
  const RowView x = features.row(i);
  const double y = features.label(i);
  features.charge_inner_product();
  const bool violated = y * w_.present(x) < 1.0;
  w_.multiply(time_ / (time_ + 1.0));  // 1 - lambda eta = (t + t0 - 1) / (t + t0)
  time_ += 1.0;
  if (violated) w_.add(x, y / (lambda_ * time_), features.squared_norm(i));
}

template class SvmSgdRule<double>;
template class SvmSgdRule<float>;

}  // namespace svm
