// Features computed from kernel values against their definition; the same bits for any number of threads.
#include "kernel/gram.hpp"

#include <vector>

#include "check.hpp"
#include "data.hpp"

int main() {
  svm::test::skip_without_instruction_set();
  svm::test::use_naive_gemm();
  constexpr std::size_t n = 1100;
  constexpr std::size_t sample = 9;  // the first points
  constexpr std::size_t rank = 4;
  const svm::test::Data data(n, 6, 1);
  const svm::KernelFunction gaussian{svm::KernelFunction::Kind::gaussian, 0.3, 0.0, 1};
  const std::vector<float> projection = svm::test::sparse_normals(rank, sample, 2, 0.0);
  for (const bool sparse : {false, true}) {
    svm::MatrixView first = data.view(sparse);
    first.rows = sample;
    const svm::Points x(data.view(sparse));
    const svm::Points z(first);
    std::vector<float> one(n * rank);
    std::vector<float> two(n * rank);
    CHECK(svm::kernel_features(gaussian, x, z, projection.data(), rank, one.data(), 1, nullptr).cpu_of_others == 0.0);
    CHECK(svm::kernel_features(gaussian, x, z, projection.data(), rank, two.data(), 3, nullptr).finished);
    CHECK(one == two);
    for (std::size_t i = 0; i < n; i += 111) {
      for (std::size_t r = 0; r < rank; ++r) {
        double sum = 0.0;
        for (std::size_t k = 0; k < sample; ++k) {
          sum += static_cast<double>(projection[r * sample + k]) * data.kernel(gaussian, i, k);
        }
        CHECK(svm::test::near(static_cast<double>(one[i * rank + r]), sum, 1e-5));
      }
    }
    const auto refusing = [](double) { return false; };
    CHECK(!svm::kernel_features(gaussian, x, z, projection.data(), rank, two.data(), 1, refusing).finished);
  }
  return svm::test::finish();
}
