#include "data/features.hpp"

#include <memory>

#include "arrays.hpp"
#include "data/feature_order.hpp"
#include "states.hpp"

namespace svm::python {
namespace {

/// Copies of a row's or column's indices and values.
auto copy(const RowView& slice) {
  const auto size = static_cast<py::ssize_t>(slice.size);
  Array<std::int32_t> places(size);
  for (std::size_t k = 0; k < slice.size; ++k) places.mutable_data()[k] = static_cast<std::int32_t>(slice.at(k));
  return std::tuple(places, array_of(slice.values, slice.size));
}

/// Binds the sizes of a matrix of features or of a view of it.
template <typename View>
void bind_sizes(py::class_<View>& type) {
  type.def_property_readonly("n", &View::size, "Number of training points.")
      .def_property_readonly("d", &View::dimension, "Number of features.")
      .def_property_readonly("positives", &View::positives, "Number of positive training points.");
}

Array<std::int64_t> order_of(const Array<std::int32_t>& indices, std::size_t columns) {
  require(indices.ndim() == 1, "indices are a vector");
  require_aligned(indices);
  Array<std::int64_t> order(static_cast<py::ssize_t>(columns));
  frequency_order(indices.data(), static_cast<std::size_t>(indices.size()), columns, order.mutable_data());
  return order;
}

void renumber(const Array<std::int64_t>& offsets, const Array<std::int32_t>& numbers,
              py::array_t<std::int32_t, 0> indices, py::array_t<float, 0> values) {
  require(offsets.ndim() == 1 && offsets.size() >= 1 && offsets.data()[0] == 0,
          "offsets are a vector of rows + 1 elements, the first of them 0");
  require(numbers.ndim() == 1, "numbers are a vector");
  require(indices.ndim() == 1 && values.ndim() == 1 && indices.size() == values.size(),
          "indices and values are vectors of one length");
  for (const py::array& array : {py::array(offsets), py::array(numbers), py::array(indices), py::array(values)}) {
    require_aligned(array);
  }
  for (const py::array& array : {py::array(indices), py::array(values)}) {
    require(array.writeable() && (array.flags() & py::array::c_style) != 0,
            "indices and values are writable and contiguous");
  }
  renumber_columns(offsets.data(), static_cast<std::size_t>(offsets.size() - 1), numbers.data(),
                   static_cast<std::size_t>(numbers.size()), indices.mutable_data(), values.mutable_data(),
                   static_cast<std::size_t>(values.size()));
}

}  // namespace

void bind_features(py::module_& module) {
  py::class_<FeatureMatrix> features(
      module, "FeatureMatrix",
      "Training points, (n, d), ordered by class; keeps the matrix of their rows alive.\n\nColumns are made when they "
      "are first read. Raises InvalidArgument for a matrix without rows or columns, or more positive points than "
      "rows.");
  bind_sizes(features);
  features
      .def(py::init([](const Matrix& rows, std::size_t positives) {
             return std::make_unique<FeatureMatrix>(rows.view(), positives);
           }),
           py::arg("rows"), py::arg("positives"), py::keep_alive<1, 2>())
      .def_property_readonly("largest_norm", &FeatureMatrix::largest_norm, "Largest Euclidean norm of a row.");

  module.def(
      "frequency_order", &order_of, py::arg("indices").noconvert(), py::arg("columns"),
      "Return the columns of a CSR matrix, (columns,), those with the most stored values first.\n\nindices: the "
      "column of each stored value. Equally frequent columns are in the order of their first places there; columns "
      "without values are rising, at the end. Raises InvalidArgument if an index is outside [0, columns).");
  module.def("renumber_columns", &renumber, py::arg("offsets").noconvert(), py::arg("numbers").noconvert(),
             py::arg("indices").noconvert(), py::arg("values").noconvert(),
             "Give the columns of a CSR matrix new numbers, (columns,), in place; indices rise within a row "
             "again.\n\nRaises InvalidArgument, with some rows changed, if offsets fall or exceed the number of "
             "values, a row has more values than there are columns, or an index or number is outside [0, columns).");

  py::class_<CountedFeatures> counted(
      module, "CountedFeatures",
      "Rows and columns for a solver written in Python; counts everything that it hands out.");
  bind_sizes(counted);
  counted.def(py::init<const FeatureMatrix&>(), py::arg("matrix"), py::keep_alive<1, 2>())
      .def(
          "row",
          [](CountedFeatures& self, std::size_t i) {
            require_index(i, self.size(), "row");
            return copy(self.row(i));
          },
          py::arg("i"),
          "Return indices and values of row i, (s,) each; charges s feature accesses, d in the dense count.\n\nRaises "
          "InvalidArgument if there is no such row.")
      .def(
          "column",
          [](CountedFeatures& self, std::size_t j) {
            require_index(j, self.dimension(), "column");
            self.make_columns();
            return copy(self.column(j));
          },
          py::arg("j"),
          "Return indices and values of column j, (s,) each; charges s feature accesses, n in the dense "
          "count.\n\nRaises InvalidArgument if there is no such column.");
  bind_counted(counted);
}

}  // namespace svm::python
