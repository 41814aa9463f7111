#include "data/features.hpp"

#include <cmath>

#include "random/sum_tree.hpp"
#include "arrays.hpp"
#include "states.hpp"

namespace svm::python {
namespace {

/// A copy of a slice: places and values.
py::tuple copy(const RowView& slice) {
  const auto size = static_cast<py::ssize_t>(slice.size);
  Array<std::int32_t> places(size);
  for (std::size_t k = 0; k < slice.size; ++k) places.mutable_data()[k] = static_cast<std::int32_t>(slice.at(k));
  return py::make_tuple(places, Array<float>(size, slice.values));
}

void check_place(std::size_t place, std::size_t bound, const char* what) {
  if (place >= bound) throw InvalidArgument(std::string("there is no ") + what + " " + std::to_string(place));
}

void check_weight(double weight) {
  if (std::isfinite(weight) && weight >= 0.0) return;
  throw InvalidArgument("weights are finite and not negative, got " + std::to_string(weight));
}

using PlainTree = SumTree<Plain>;

}  // namespace

void bind_features(py::module_& module) {
  py::class_<FeatureMatrix>(module, "FeatureMatrix", "Class-ordered training points by rows and by columns.")
      .def(py::init([](const Matrix& rows, const Matrix& columns, std::size_t positives) {
             return std::make_unique<FeatureMatrix>(rows.view(), columns.view(), positives);
           }),
           py::arg("rows"), py::arg("columns"), py::arg("positives"), py::keep_alive<1, 2>(), py::keep_alive<1, 3>())
      .def(py::init([](const Matrix& rows, std::size_t positives) {
             return std::make_unique<FeatureMatrix>(rows.view(), positives);
           }),
           py::arg("rows"), py::arg("positives"), py::keep_alive<1, 2>())
      .def_property_readonly("n", &FeatureMatrix::size)
      .def_property_readonly("d", &FeatureMatrix::dimension)
      .def_property_readonly("positives", &FeatureMatrix::positives)
      .def_property_readonly("largest_norm", &FeatureMatrix::largest_norm);

  py::class_<CountedFeatures> counted(module, "CountedFeatures",
                                      "Rows and columns for a solver written in Python; charges what it hands out.");
  counted.def(py::init<const FeatureMatrix&>(), py::arg("matrix"), py::keep_alive<1, 2>())
      .def_property_readonly("n", &CountedFeatures::size)
      .def_property_readonly("d", &CountedFeatures::dimension)
      .def_property_readonly("positives", &CountedFeatures::positives)
      .def(
          "label",
          [](const CountedFeatures& self, std::size_t i) {
            check_place(i, self.size(), "row");
            return self.label(i);
          },
          py::arg("i"))
      .def(
          "row",
          [](CountedFeatures& self, std::size_t i) {
            check_place(i, self.size(), "row");
            return copy(self.row(i));
          },
          py::arg("i"), "Places and values of row i, (s,) int32 and float32; s accesses, d by the dense convention.")
      .def(
          "column",
          [](CountedFeatures& self, std::size_t j) {
            check_place(j, self.dimension(), "column");
            require(self.has_columns(), "the matrix was made without columns");
            return copy(self.column(j));
          },
          py::arg("j"), "Places and values of column j, (s,) int32 and float32; s accesses, n by the dense convention.")
      .def("present", &present<CountedFeatures>, py::arg("examples") = 1, present_does)
      .def_property_readonly("counters", [](const CountedFeatures& self) { return self.counters(); });
  bind_state(counted);

  py::class_<PlainTree>(module, "SumTree", "Weights to draw from; drawing and changing one take O(log n) steps.")
      .def(py::init([](const Array<double>& weights) {
             require(weights.ndim() == 1 && weights.size() > 0, "weights are a vector of at least one element");
             auto tree = std::make_unique<PlainTree>(static_cast<std::size_t>(weights.size()));
             for (py::ssize_t i = 0; i < weights.size(); ++i) {
               check_weight(weights.data()[i]);
               tree->values()[i] = weights.data()[i];
             }
             tree->written();
             return tree;
           }),
           py::arg("weights"))
      .def_property_readonly("total", &PlainTree::total)
      .def("values",
           [](const PlainTree& self) { return Array<double>(static_cast<py::ssize_t>(self.size()), self.values()); })
      .def(
          "set",
          [](PlainTree& self, const Array<std::uint32_t>& places, const Array<double>& weights) {
            require(places.ndim() == 1 && weights.ndim() == 1 && places.size() == weights.size(),
                    "places and weights are vectors of one length");
            for (py::ssize_t k = 0; k < places.size(); ++k) {
              check_place(places.data()[k], self.size(), "weight");
              check_weight(weights.data()[k]);
              self.set(places.data()[k], weights.data()[k]);
            }
          },
          py::arg("places"), py::arg("weights"), "Change weights, one after the other.")
      .def(
          "draw",
          [](const PlainTree& self, const Array<double>& uniforms) {
            require(self.total() > 0.0, "all weights are 0");
            Array<std::uint32_t> out(uniforms.size());
            for (py::ssize_t k = 0; k < uniforms.size(); ++k) {
              const double uniform = uniforms.data()[k];
              require(uniform >= 0.0 && uniform < 1.0, "a uniform number lies in [0, 1)");
              out.mutable_data()[k] = static_cast<std::uint32_t>(self.draw(uniform));
            }
            return out;
          },
          py::arg("uniforms"), "The places that uniform numbers in [0, 1) draw, (k,) uint32.");
}

}  // namespace svm::python
