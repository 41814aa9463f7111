#include "elastic/elastic_deformation.hpp"

#include "arrays.hpp"

namespace svm::python {
namespace {

using Images = Array<std::uint8_t>;
constexpr auto pixels = static_cast<py::ssize_t>(ElasticDeformation::pixels);

Images images(ElasticDeformation& self, const Images& bases, const Array<std::uint32_t>& which, std::uint32_t stream,
              const Array<std::uint32_t>& numbers) {
  require(bases.ndim() == 2 && bases.shape(1) == pixels, "images have 28 x 28 = 784 pixels");
  require(which.ndim() == 1 && numbers.ndim() == 1 && which.size() == numbers.size(),
          "each image has a base and a number");
  for (py::ssize_t k = 0; k < which.size(); ++k) require(which.data()[k] < bases.shape(0), "there is no such base");
  Images out({which.size(), pixels});
  std::uint8_t* to = out.mutable_data();
  for (py::ssize_t k = 0; k < which.size(); ++k, to += ElasticDeformation::pixels) {
    self.image(bases.data(static_cast<py::ssize_t>(which.data()[k]), 0), stream, numbers.data()[k], to);
  }
  return out;
}

}  // namespace

void bind_elastic_deformation(py::module_& module) {
  py::class_<ElasticDeformation>(
      module, "ElasticDeformation",
      "Images of 28 x 28 pixels, deformed by smooth random displacement fields (Simard, Steinkraus, Platt "
      "2003).\n\nsigma: width of the Gaussian that smooths a field, 0.5 to 28 pixels; alpha: factor of the field, 0 to "
      "1000. Raises InvalidArgument for other values.")
      .def(py::init<double, double, std::uint64_t>(), py::kw_only(), py::arg("sigma"), py::arg("alpha"),
           py::arg("seed"))
      .def("images", &images, py::arg("bases").noconvert(), py::arg("which").noconvert(), py::arg("stream"),
           py::arg("numbers").noconvert(),
           "Return one deformed image for each number, (m, 784).\n\nbases: (b, 784) grey values; which: (m,) rows of "
           "`bases`; stream: the series of images; numbers: (m,). An image depends on its base, seed, stream and "
           "number only. Raises InvalidArgument for other shapes or a row that does not exist.")
      .def(
          "field",
          [](ElasticDeformation& self, std::uint32_t stream, std::uint32_t number) {
            ElasticDeformation::Field field;
            self.field(stream, number, field);
            Array<std::int64_t> out({std::size_t{2}, ElasticDeformation::side, ElasticDeformation::side});
            std::copy(field.x.begin(), field.x.end(), out.mutable_data());
            std::copy(field.y.begin(), field.y.end(), out.mutable_data() + ElasticDeformation::pixels);
            return out;
          },
          py::arg("stream"), py::arg("number"),
          "Return the displacements of an image's pixels along rows and columns, (2, 28, 28), in 1/256 of a pixel.");
}

}  // namespace svm::python
