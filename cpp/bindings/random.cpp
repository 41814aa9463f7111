#include "random/random.hpp"

#include "arrays.hpp"
#include "states.hpp"

namespace svm::python {

void bind_random(py::module_& module) {
  py::native_enum<Purpose>(module, "Purpose", "enum.Enum")
      .value("sampling", Purpose::sampling)
      .value("order", Purpose::order)
      .value("features", Purpose::features)
      .value("data", Purpose::data)
      .finalize();
  module.def("philox4x32", &philox4x32, py::arg("counter"), py::arg("key"));
  py::class_<Random> random(module, "Random", "A stream of the counter-based generator for one seed and purpose.");
  random.def(py::init<std::uint64_t, Purpose>(), py::arg("seed"), py::arg("purpose"))
      .def("bits64", &Random::bits64)
      .def(
          "below",
          [](Random& self, std::uint64_t bound) {
            require(bound > 0, "a bound must be at least 1");
            return self.below(bound);
          },
          py::arg("bound"))
      .def("uniform", &Random::uniform)
      .def(
          "normal",
          [](Random& self, std::size_t size) {
            Array<double> out(static_cast<py::ssize_t>(size));
            double* values = out.mutable_data();
            for (std::size_t k = 0; k < size; ++k) values[k] = self.normal();
            return out;
          },
          py::arg("size"))
      .def(
          "permutation",
          [](Random& self, std::uint32_t size) {
            std::vector<std::uint32_t> items(size);
            for (std::uint32_t k = 0; k < size; ++k) items[k] = k;
            self.shuffle(items);
            return Array<std::uint32_t>(static_cast<py::ssize_t>(size), items.data());
          },
          py::arg("size"));
  bind_state(random);
}

}  // namespace svm::python
