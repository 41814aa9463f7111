// Elastic deformations: displacements that do not depend on earlier calls, images without and with large displacements.
// tests/datasets/test_elastic.py compares them with a slow program.
#include "elastic/elastic_deformation.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "check.hpp"

using svm::ElasticDeformation;

int main() {
  svm::test::skip_without_instruction_set();
  using svm::test::refuses;

  ElasticDeformation elastic(5.0, 44.0, 9);
  const auto first = std::make_unique<ElasticDeformation::Field>();
  const auto again = std::make_unique<ElasticDeformation::Field>();
  std::set<std::int64_t> seen;
  elastic.field(0, 3, *first);
  for (const std::uint32_t stream : {0u, 1u, 2u}) {
    for (const std::uint32_t number : {0u, 3u, ~0u}) {
      elastic.field(stream, number, *again);
      seen.insert(again->x[0] * 1'000'000 + again->y[0]);
    }
  }
  CHECK(seen.size() == 9);
  elastic.field(0, 3, *again);
  CHECK(first->x == again->x && first->y == again->y);

  std::array<std::uint8_t, ElasticDeformation::pixels> base{};
  for (std::size_t k = 0; k < base.size(); ++k) base[k] = static_cast<std::uint8_t>(k * 37 % 256);
  std::array<std::uint8_t, ElasticDeformation::pixels> out{};
  ElasticDeformation(5.0, 0.0, 9).image(base.data(), 0, 1, out.data());
  CHECK(out == base);
  // Displaced by hundreds of pixels, nearly all pixels come from outside the image, and none from other memory.
  ElasticDeformation(28.0, 1000.0, 9).image(base.data(), 0, 1, out.data());
  for (const std::uint8_t grey : {std::uint8_t{255}, std::uint8_t{7}}) {
    base.fill(grey);
    elastic.image(base.data(), 0, 1, out.data());
    CHECK(*std::max_element(out.begin(), out.end()) == grey);
  }

  CHECK(refuses([] { ElasticDeformation(0.4, 1.0, 0); }, "sigma must lie between 0.5 and 28"));
  CHECK(refuses([] { ElasticDeformation(std::nan(""), 1.0, 0); }, "sigma must lie"));
  CHECK(refuses([] { ElasticDeformation(5.0, -1.0, 0); }, "alpha must lie between 0 and 1000"));
  return svm::test::finish();
}
