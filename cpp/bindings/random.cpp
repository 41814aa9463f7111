#include "random/random.hpp"

#include <algorithm>
#include <numeric>

#include "arrays.hpp"
#include "states.hpp"

namespace svm::python {

void bind_random(py::module_& module) {
  bind_enum<Purpose>(module, "Purpose",
                     "The use of a random stream; streams of one seed and different purposes are independent.",
                     {{"sampling", Purpose::sampling},
                      {"order", Purpose::order},
                      {"features", Purpose::features},
                      {"data", Purpose::data}});
  module.def("philox4x32", &philox4x32, py::arg("counter"), py::arg("key"),
             "Return the 4 words of Philox4x32-10 for one counter block (4 words) and key (2 words).");
  py::class_<Random> random(module, "Random",
                            "A stream of the counter-based generator Philox4x32-10, for one seed and purpose.");
  random.def(py::init<std::uint64_t, Purpose>(), py::arg("seed"), py::arg("purpose"))
      .def("bits64", &Random::bits64, "Return 64 random bits.")
      .def(
          "below",
          [](Random& self, std::uint64_t bound) {
            require(bound > 0, "a bound must be at least 1");
            return self.below(bound);
          },
          py::arg("bound"), "Return a uniform integer from 0 to bound - 1.\n\nRaises InvalidArgument if bound is 0.")
      .def("uniform", &Random::uniform, "Return a uniform number in [0, 1) with 53 random bits.")
      .def(
          "normal",
          [](Random& self, std::size_t size) {
            return written(size, [&](double* out) { std::generate_n(out, size, [&] { return self.normal(); }); });
          },
          py::arg("size"), "Return standard normal numbers, (size,).")
      .def(
          "permutation",
          [](Random& self, std::uint32_t size) {
            std::vector<std::uint32_t> items(size);
            std::iota(items.begin(), items.end(), 0U);
            self.shuffle(items);
            return array_of(items);
          },
          py::arg("size"), "Return a random permutation of 0, ..., size - 1.");
  bind_state(random);
}

}  // namespace svm::python
