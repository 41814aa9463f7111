// Whole Gram matrices and expansions, on several threads.
#include "check.hpp"
#include "data.hpp"
#include "kernel/gram.hpp"

using svm::KernelFunction;
using svm::Points;

int main() {
  svm::test::skip_without_instruction_set();
  svm::test::use_naive_gemm();
  const KernelFunction gaussian{KernelFunction::Kind::gaussian, 0.25, 0.0, 1};
  for (const std::size_t n : {2U, 511U, 513U, 1030U}) {
    const svm::test::Data data(n, 4, n);
    for (const bool sparse : {false, true}) {
      const Points x(data.view(sparse));
      std::vector<float> gram(n * n, -1.0F);
      double done = 0.0;
      const auto filled = svm::fill_gram(gaussian, x, gram.data(), 1, [&](double fraction) {
        CHECK(fraction > done);
        done = fraction;
        return true;
      });
      CHECK(filled.finished && filled.refused == 0);
      CHECK(done == 1.0);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n; ++i) {
        wrong += gram[i * n + i] != 1.0F;
        for (std::size_t j = 0; j < n; ++j) {
          wrong += gram[i * n + j] != gram[j * n + i];
          if (i % 37 == 0 || j % 53 == 0) {
            wrong += !svm::test::near(static_cast<double>(gram[i * n + j]), data.kernel(gaussian, i, j), 2e-6);
          }
        }
      }
      CHECK(wrong == 0);
      std::vector<float> again(n * n);
      CHECK(svm::fill_gram(gaussian, x, again.data(), 3, nullptr).finished);
      CHECK(gram == again);
      CHECK(!svm::fill_gram(gaussian, x, again.data(), 2, [](double) { return false; }).finished || n > 512);

      // sum_k K(support_k, .) w_k, from the matrix and from the points.
      std::vector<std::uint32_t> support;
      for (std::uint32_t i = 0; i < n; i += 2) support.push_back(i);
      std::vector<double> weights(support.size() * 2);
      svm::Random random(n, svm::Purpose::data);
      for (double& weight : weights) weight = 1e6 * random.normal();
      std::vector<double> from_gram(n * 2, -5.0);
      svm::expand(svm::gram_tiles(gram.data(), n), support, weights.data(), 2, n, from_gram.data(), 2);
      for (std::size_t j = 0; j < n; j += 29) {
        for (std::size_t q = 0; q < 2; ++q) {
          double sum = 0.0;
          for (std::size_t k = 0; k < support.size(); ++k) {
            sum += static_cast<double>(gram[support[k] * n + j]) * weights[k * 2 + q];
          }
          CHECK(svm::test::near(from_gram[j * 2 + q], sum, 1e-6));
        }
      }
      std::vector<std::uint32_t> all(n);
      for (std::uint32_t i = 0; i < n; ++i) all[i] = i;
      std::vector<double> every(n * 2, 0.0);
      for (std::size_t k = 0; k < support.size(); ++k) {
        every[support[k] * 2] = weights[k * 2];
        every[support[k] * 2 + 1] = weights[k * 2 + 1];
      }
      std::vector<double> from_points(n * 2);
      svm::expand(svm::computed_tiles(gaussian, x, x), all, every.data(), 2, n, from_points.data(), 1);
      for (std::size_t k = 0; k < n * 2; ++k) CHECK(svm::test::near(from_points[k], from_gram[k], 1e2));
      svm::expand(svm::gram_tiles(gram.data(), n), {}, nullptr, 2, n, from_gram.data(), 1);
      for (const double value : from_gram) CHECK(value == 0.0);
    }
  }
  return svm::test::finish();
}
