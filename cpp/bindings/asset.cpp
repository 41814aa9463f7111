#include "solvers/asset.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <optional>

#include "arrays.hpp"

namespace svm::python {
namespace {

/// What both classes show of the iterates.
template <typename Class, typename... Options>
void bind_iterates(py::class_<Class, Options...>& type) {
  type.def("average",
           [](const Class& self) {
             const BusyGuard guard = self.lock();
             Array<double> weights(static_cast<py::ssize_t>(self.dimension()));
             const double bias = self.rule().average(weights.mutable_data());
             return py::make_tuple(weights, bias);
           })
      .def("last_weights",
           [](const Class& self) {
             const BusyGuard guard = self.lock();
             return written(self.dimension(), [&](double* out) { self.rule().last(out); });
           })
      .def_property_readonly("last_bias", [](const Class& self) { return self.rule().last_bias(); })
      .def_property_readonly("deviation", [](const Class& self) { return self.rule().deviation(); })
      .def(
          "step_length",
          [](const Class& self, std::uint64_t j) {
            require(j > 0, "steps are counted from 1");
            return self.rule().step_length(j);
          },
          py::arg("j"));
}

}  // namespace

void bind_asset(py::module_& module) {
  py::class_<Asset, LinearSolver> batch(module, "Asset");
  batch.def(py::init([](const FeatureMatrix& features, double lambda, bool strongly_convex, std::optional<double> bound,
                        double step, std::size_t window, std::size_t samples, bool one_pass, std::uint64_t seed) {
              return std::make_unique<Asset>(features,
                                             AssetSettings{lambda, strongly_convex, bound, step, window, samples},
                                             one_pass ? AssetOrder::one_pass : AssetOrder::independent, seed);
            }),
            py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("strongly_convex") = false,
            py::arg("bound") = std::nullopt, py::arg("step") = 1.0, py::arg("window") = 100, py::arg("samples") = 100,
            py::arg("one_pass") = false, py::arg("seed"), py::keep_alive<1, 2>());
  bind_iterates(batch);

  py::class_<AssetStream, Solver> stream(module, "AssetStream");
  stream
      .def(py::init([](std::size_t length, std::size_t raw_dimension, std::size_t dimension, double lambda,
                       bool strongly_convex, std::optional<double> bound, double step, std::size_t window,
                       std::size_t samples) {
             return std::make_unique<AssetStream>(length, raw_dimension, dimension,
                                                  AssetSettings{lambda, strongly_convex, bound, step, window, samples});
           }),
           py::arg("length"), py::arg("raw_dimension"), py::arg("dimension"), py::kw_only(), py::arg("lambda_"),
           py::arg("strongly_convex") = false, py::arg("bound") = std::nullopt, py::arg("step") = 1.0,
           py::arg("window") = 100, py::arg("samples") = 100)
      .def_property_readonly("expected", &AssetStream::expected)
      .def_property_readonly("fed", &AssetStream::fed)
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
            const BusyGuard guard = self.lock();
            self.feed(rows.data(), labels.data(), stored.data(), static_cast<std::size_t>(rows.shape(0)));
          },
          py::arg("rows").noconvert(), py::arg("labels").noconvert(), py::arg("stored").noconvert());
  bind_iterates(stream);
}

}  // namespace svm::python
