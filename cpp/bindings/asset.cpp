#include "solvers/asset.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <optional>

#include "arrays.hpp"
#include "constructors.hpp"

namespace svm::python {
namespace {

/// Binds the properties of the iterates, which both classes have.
template <typename Class, typename... Options>
void bind_iterates(py::class_<Class, Options...>& type) {
  type.def("average", claimed<Class>([](const Class& self) {
             Array<double> weights(static_cast<py::ssize_t>(self.dimension()));
             const double bias = self.average(weights.mutable_data());
             return std::tuple(weights, bias);
           }),
           "Return the weights, (d,), and the bias of the average of the last iterates, computed together.")
      .def("last_weights",
           claimed_array<Class>(&Class::dimension, [](const Class& self, double* out) { self.rule().last(out); }),
           "Return the last iterate, (d,).")
      .def_property_readonly(
          "last_bias", [](const Class& self) { return self.rule().last_bias(); }, "The bias of the last iterate.")
      .def_property_readonly(
          "deviation", [](const Class& self) { return self.rule().deviation(); },
          "D_G^2, the estimate of the mean squared subgradient norm at w = 0.")
      .def(
          "step_length",
          [](const Class& self, std::uint64_t j) {
            require(j > 0, "steps are counted from 1");
            return self.rule().step_length(j);
          },
          py::arg("j"), "Return the length of step j = 1, 2, ...");
}

}  // namespace

void bind_asset(py::module_& module) {
  auto batch = bind_solver<Asset, AssetBatchSettings>(
      module, "Asset",
      "ASSET or, if strongly_convex, ASSET* (Lee, Wright 2011) on rows of features.\n\n`weights` and `bias` are "
      "averages of the last iterates, weighted by their steps. bound: largest |bias|, None: no bias; step: factor of "
      "the steps of ASSET; window: iterates in the average; samples: examples from which D_G is estimated; one_pass: "
      "each example once in random order, otherwise uniform with replacement.");
  bind_iterates(batch);

  py::class_<AssetStream, Solver> stream(
      module, "AssetStream",
      "`Asset` on a stream whose examples' features, (block, dimension), are handed over block by block.\n\nlength: "
      "examples in the stream; raw_dimension: coordinates of an example; dimension: features.");
  def_made<AssetSettings, std::size_t, std::size_t, std::size_t>(
      stream,
      [](const AssetSettings& settings, std::size_t length, std::size_t raw_dimension, std::size_t dimension) {
        return std::make_unique<AssetStream>(length, raw_dimension, dimension, settings);
      },
      py::arg("length"), py::arg("raw_dimension"), py::arg("dimension"), py::kw_only());
  stream
      .def_property_readonly("expected", &AssetStream::expected,
                             "Number of examples of the next block; 0 at the end of the stream.")
      .def_property_readonly("fed", &AssetStream::fed, "Number of examples handed over so far; iterations stop there.")
      .def(
          "feed",
          [](AssetStream& self, const Array<float>& rows, const Array<std::int8_t>& labels,
             const Array<std::uint32_t>& stored) {
            require(
                rows.ndim() == 2 && rows.shape(1) == static_cast<py::ssize_t>(self.dimension()) && labels.ndim() == 1 &&
                    stored.ndim() == 1 && labels.size() == rows.shape(0) && stored.size() == rows.shape(0),
                "a block is (examples, features), with a label and a number of stored coordinates for each example");
            require_aligned(rows);
            require_aligned(stored);
            const std::int8_t* const end = labels.data() + labels.size();
            require(std::all_of(labels.data(), end, [](std::int8_t label) { return label == 1 || label == -1; }),
                    "labels are +1 and -1");
            const BusyGuard guard = self.claim();
            self.feed(rows.data(), labels.data(), stored.data(), static_cast<std::size_t>(rows.shape(0)));
          },
          py::arg("rows").noconvert(), py::arg("labels").noconvert(), py::arg("stored").noconvert(),
          "Hand over the next block, after all examples before it have been presented.\n\nrows: (block, dimension); "
          "labels: (block,), 1 or -1; stored: (block,), stored coordinates of the examples. Raises InvalidArgument for "
          "another block.");
  bind_iterates(stream);
}

}  // namespace svm::python
