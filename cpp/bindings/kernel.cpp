#include "../core/kernel.hpp"

#include <algorithm>

#include "../core/gram.hpp"
#include "../core/kernel_features.hpp"
#include "arrays.hpp"
#include "progress.hpp"

namespace svm::python {

Matrix::Matrix(Array<float> dense) {
  require(dense.ndim() == 2, "a dense matrix has two dimensions, got " + std::to_string(dense.ndim()));
  view_.rows = static_cast<std::size_t>(dense.shape(0));
  view_.columns = static_cast<std::size_t>(dense.shape(1));
  view_.values = dense.data();
  owners_ = {dense};
}

Matrix::Matrix(Array<std::int64_t> offsets, Array<std::int32_t> indices, Array<float> values, std::size_t columns) {
  require(offsets.ndim() == 1 && offsets.size() >= 1, "offsets are a vector of rows + 1 elements");
  require(indices.ndim() == 1 && values.ndim() == 1 && indices.size() == values.size(),
          "indices and values are vectors of one length");
  const std::int64_t* first = offsets.data();
  const auto rows = static_cast<std::size_t>(offsets.size() - 1);
  require(first[0] == 0 && first[rows] == values.size(), "offsets run from 0 to the number of stored values");
  const std::int64_t* last = first + rows;
  const std::int64_t* sorted = std::is_sorted_until(first, last + 1);
  require(sorted == last + 1, "offsets must not decrease (row " + std::to_string(sorted - first - 1) + ")");
  const bool inside = std::all_of(indices.data(), indices.data() + indices.size(), [columns](std::int32_t index) {
    return index >= 0 && static_cast<std::size_t>(index) < columns;
  });
  require(inside, "a column index is outside [0, " + std::to_string(columns) + ")");
  view_.rows = rows;
  view_.columns = columns;
  view_.values = values.data();
  view_.offsets = first;
  view_.indices = indices.data();
  owners_ = {offsets, indices, values};
}

void bind_kernel(py::module_& module) {
  py::class_<Matrix>(module, "Matrix", "A float32 data matrix, dense (n, d) or CSR; keeps its arrays alive.")
      .def(py::init<Array<float>>(), py::arg("dense").noconvert())
      .def(py::init<Array<std::int64_t>, Array<std::int32_t>, Array<float>, std::size_t>(),
           py::arg("offsets").noconvert(), py::arg("indices").noconvert(), py::arg("values").noconvert(),
           py::arg("columns"))
      .def_property_readonly("rows", [](const Matrix& self) { return self.view().rows; })
      .def_property_readonly("columns", [](const Matrix& self) { return self.view().columns; })
      .def_property_readonly("stored", [](const Matrix& self) { return self.view().stored(); });

  py::class_<KernelFunction> kernel(module, "KernelFunction", "K(x, z) from <x, z> and the squared norms.");
  py::enum_<KernelFunction::Kind>(kernel, "Kind")
      .value("gaussian", KernelFunction::Kind::gaussian)
      .value("polynomial", KernelFunction::Kind::polynomial)
      .value("linear", KernelFunction::Kind::linear);
  kernel
      .def(py::init([](KernelFunction::Kind kind, double gamma, double coef0, int degree) {
             return KernelFunction{kind, gamma, coef0, degree};
           }),
           py::arg("kind"), py::arg("gamma") = 1.0, py::arg("coef0") = 0.0, py::arg("degree") = 1)
      .def(
          "require_range", [](const KernelFunction& self, double square) { require_range(self, square); },
          py::arg("square"), "Refuses squared norms up to `square` where float32 might not hold the kernel's values.");

  module.def(
      "fill_gram",
      [](const KernelFunction& function, const Matrix& matrix, py::array_t<float, 0> out, unsigned threads,
         const py::object& progress) {
        const auto n = static_cast<py::ssize_t>(matrix.view().rows);
        require(out.ndim() == 2 && out.shape(0) == n && out.shape(1) == n && out.writeable() &&
                    (out.flags() & py::array::c_style) != 0,
                "the Gram matrix is a writable C-contiguous float32 array of n x n");
        float* gram = out.mutable_data();
        unsigned refused = 0;
        interruptible(progress, [&](const Progress& report) {
          refused = fill_gram(function, Points(matrix.view()), gram, threads, report).refused;
        });
        return refused;
      },
      py::arg("kernel"), py::arg("matrix"), py::arg("out").noconvert(), py::arg("threads") = 1,
      py::arg("progress") = py::none());

  module.def(
      "fill_features",
      [](const KernelFunction& function, const Matrix& matrix, const Matrix& basis, const Array<float>& projection,
         py::array_t<float, 0> out, unsigned threads, const py::object& progress) {
        const auto points = static_cast<py::ssize_t>(matrix.view().rows);
        require(projection.ndim() == 2 && projection.shape(1) == static_cast<py::ssize_t>(basis.view().rows),
                "a projection is (features, basis points)");
        require(out.ndim() == 2 && out.shape(0) == points && out.shape(1) == projection.shape(0) && out.writeable() &&
                    (out.flags() & py::array::c_style) != 0,
                "the features are a writable C-contiguous float32 array of points x features");
        const auto rank = static_cast<std::size_t>(projection.shape(0));
        const float* const rows = projection.data();
        float* const features = out.mutable_data();
        FeatureWork done{};
        interruptible(progress, [&](const Progress& report) {
          const Points x(matrix.view());
          const Points z(basis.view());
          done = kernel_features(function, x, z, rows, rank, features, threads, report);
        });
        return py::make_tuple(done.cpu_of_others, done.refused);
      },
      py::arg("kernel"), py::arg("matrix"), py::arg("basis"), py::arg("projection").noconvert(),
      py::arg("out").noconvert(), py::arg("threads") = 1, py::arg("progress") = py::none());

  module.def(
      "expand",
      [](const KernelFunction& function, const Matrix& support, const Matrix& evaluation,
         const Array<double>& coefficients, unsigned threads) {
        const auto rows = static_cast<py::ssize_t>(support.view().rows);
        require(coefficients.ndim() == 2 && coefficients.shape(0) == rows,
                "coefficients are (support points, vectors)");
        const auto vectors = coefficients.shape(1);
        Array<double> out({static_cast<py::ssize_t>(evaluation.view().rows), vectors});
        double* values = out.mutable_data();
        const py::gil_scoped_release released;
        const Points left(support.view());
        const Points right(evaluation.view());
        std::vector<std::uint32_t> all(left.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::uint32_t>(k);
        expand(computed_tiles(function, left, right), all, coefficients.data(), static_cast<std::size_t>(vectors),
               right.size(), values, threads);
        return out;
      },
      py::arg("kernel"), py::arg("support"), py::arg("evaluation"), py::arg("coefficients").noconvert(),
      py::arg("threads") = 1);
}

}  // namespace svm::python
