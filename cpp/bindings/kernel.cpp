#include "kernel/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "arrays.hpp"
#include "kernel/gram.hpp"

namespace svm::python {

namespace {

constexpr auto most_columns = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());

/// Whether neither the array nor an array that it is a view of is writable.
bool is_fixed(py::object array) {
  while (py::isinstance<py::array>(array)) {
    if (py::reinterpret_borrow<py::array>(array).writeable()) return false;
    array = array.attr("base");
  }
  return true;
}

/// The array, or a copy if it is writable.
template <typename T>
Array<T> fixed(const Array<T>& array) {
  return is_fixed(array) ? array : Array<T>(array.size(), array.data());
}

KernelFunction kernel_function(KernelFunction::Kind kind, double gamma, double coef0, int degree) {
  const KernelFunction kernel{kind, gamma, coef0, degree};
  require_parameters(kernel);
  return kernel;
}

/// Refuses a matrix for results: like require_matrix, and writable.
void require_result(const py::array& out, std::size_t rows, std::size_t columns, const char* message) {
  require(out.writeable(), message);
  require_matrix(out, rows, columns, message);
}

using Reports = py::typing::Optional<py::typing::Callable<py::object(double)>>;

/// Calls work(report) without the GIL; it stops where report(fraction done) returns false, at Ctrl-C. `progress` is a
/// Python function of the fraction done, or None.
template <typename Work>
void interruptible(const Reports& progress, const Work& work) {
  bool stopped = false;
  const Progress report = [&](double done) {
    const py::gil_scoped_acquire held;
    stopped = stopped || PyErr_CheckSignals() != 0;
    if (!stopped && !progress.is_none()) progress(done);
    return !stopped;
  };
  {
    const py::gil_scoped_release released;
    work(report);
  }
  if (stopped) throw py::error_already_set();
}

}  // namespace

Matrix::Matrix(Array<float> dense) {
  require(dense.ndim() == 2, "a dense matrix has two dimensions, got " + std::to_string(dense.ndim()));
  view_.rows = static_cast<std::size_t>(dense.shape(0));
  view_.columns = static_cast<std::size_t>(dense.shape(1));
  view_.values = dense.data();
  require_aligned(dense);
  view_ = checked(view_);
  owners_ = {dense};
}

Matrix::Matrix(Array<std::int64_t> offsets, Array<std::int32_t> indices, Array<float> values, std::size_t columns) {
  require(offsets.ndim() == 1 && indices.ndim() == 1 && values.ndim() == 1, "offsets, indices and values are vectors");
  for (const py::array& array : {py::array(offsets), py::array(indices), py::array(values)}) require_aligned(array);
  offsets = fixed(offsets);
  indices = fixed(indices);
  view_ = csr_view(offsets, indices, values, columns);
  owners_ = {offsets, indices, values};
}

void bind_kernel(py::module_& module) {
  py::class_<Matrix>(
      module, "Matrix",
      "A float32 data matrix, dense (n, d) or CSR with rising column indices in each row; keeps its arrays "
      "alive.\n\nAll values are finite. They are not copied: changing them later changes results. Offsets and indices "
      "are copied if they are writable. Raises InvalidArgument for other shapes, indices or values.")
      .def(py::init<Array<float>>(), py::arg("dense").noconvert())
      .def(py::init<Array<std::int64_t>, Array<std::int32_t>, Array<float>, std::size_t>(),
           py::arg("offsets").noconvert(), py::arg("indices").noconvert(), py::arg("values").noconvert(),
           py::arg("columns"))
      .def_property_readonly(
          "rows", [](const Matrix& self) { return self.view().rows; }, "Number of rows, n.")
      .def_property_readonly(
          "columns", [](const Matrix& self) { return self.view().columns; }, "Number of columns, d.")
      .def_property_readonly(
          "stored", [](const Matrix& self) { return self.view().stored(); }, "Number of stored values; n d if dense.");

  py::class_<KernelFunction> kernel(
      module, "KernelFunction",
      "A kernel K(x, z), computed from <x, z> and the squared norms.\n\ngaussian: exp(-gamma |x - z|^2); polynomial: "
      "(gamma <x, z> + coef0)^degree; linear: <x, z>. Raises InvalidArgument unless gamma is finite and positive, "
      "coef0 finite, and degree from 1 to 100.");
  bind_enum<KernelFunction::Kind>(kernel, "Kind", "The kinds of kernel functions.",
                                  {{"gaussian", KernelFunction::Kind::gaussian},
                                   {"polynomial", KernelFunction::Kind::polynomial},
                                   {"linear", KernelFunction::Kind::linear}});
  kernel
      .def(py::init(&kernel_function), py::arg("kind"), py::arg("gamma") = 1.0, py::arg("coef0") = 0.0,
           py::arg("degree") = 1)
      .def(
          "require_range", [](const KernelFunction& self, double square) { require_range(self, square); },
          py::arg("square"),
          "Raise InvalidArgument if float32 might not hold the kernel's values of points with |x|^2 up to `square`.")
      .def(
          "require_resolution", [](const KernelFunction& self, double square) { require_resolution(self, square); },
          py::arg("square"),
          "Raise InvalidArgument if the kernel's values of training points might be 0 in float32.\n\nsquare: the "
          "largest "
          "|x|^2 of them; if it is 0, nothing is raised.");

  module.def(
      "fill_gram",
      [](const KernelFunction& function, const Matrix& matrix, py::array_t<float, 0> out, unsigned threads,
         const Reports& progress) {
        const std::size_t n = matrix.view().rows;
        require_result(out, n, n, "the Gram matrix is a writable C-contiguous float32 array of n x n");
        require_threads(threads);
        float* gram = out.mutable_data();
        unsigned refused = 0;
        interruptible(progress, [&](const Progress& report) {
          refused = fill_gram(function, Points(matrix.view()), gram, threads, report).refused;
        });
        return refused;
      },
      py::arg("kernel"), py::arg("matrix"), py::arg("out").noconvert(), py::arg("threads") = 1,
      py::arg("progress") = py::none(),
      "Fill `out`, (n, n) float32, with the Gram matrix; return the number of threads that the system did not "
      "start.\n\nThe other threads do their work. `progress` is called with the fraction done. Raises InvalidArgument "
      "if `out` has another shape or float32 cannot hold the kernel's values.");

  module.def(
      "fill_features",
      [](const KernelFunction& function, const Matrix& matrix, const Matrix& basis, const Array<float>& projection,
         py::array_t<float, 0> out, unsigned threads, const Reports& progress) {
        require(projection.ndim() == 2 && projection.shape(1) == static_cast<py::ssize_t>(basis.view().rows),
                "a projection is (features, basis points)");
        const auto rank = static_cast<std::size_t>(projection.shape(0));
        require_result(out, matrix.view().rows, rank,
                       "the features are a writable C-contiguous array of points x features");
        require_aligned(projection);
        require_threads(threads);
        require(rank <= most_columns, "there are too many features");
        const float* const rows = projection.data();
        float* const features = out.mutable_data();
        Work done{};
        interruptible(progress, [&](const Progress& report) {
          const Points x(matrix.view());
          const Points z(basis.view());
          done = kernel_features(function, x, z, rows, rank, features, threads, report);
        });
        return std::tuple(done.cpu_of_others, done.refused);
      },
      py::arg("kernel"), py::arg("matrix"), py::arg("basis"), py::arg("projection").noconvert(),
      py::arg("out").noconvert(), py::arg("threads") = 1, py::arg("progress") = py::none(),
      "Fill `out`, (n, features) float32, with out[i, r] = sum_k K(x_i, basis_k) projection[r, k], computed in "
      "float32.\n\nprojection: (features, basis points). `progress` is called with the fraction done. Returns the CPU "
      "seconds of threads other than the calling one, and the number of threads that the system did not start. Raises "
      "InvalidArgument for other shapes or if float32 cannot hold the kernel's values.");
}

}  // namespace svm::python
