#include "kernel/rows.hpp"

#include <chrono>
#include <limits>
#include <numeric>

#include "arrays.hpp"
#include "kernel/gram.hpp"
#include "random/random.hpp"
#include "simd/loops.hpp"
#include "states.hpp"

namespace svm::python {
namespace {

/// A loop for benchmarks: the seconds to read random rows and to add each, scaled, to a float64 vector.
double seconds_of_row_additions(RowSource& rows, std::uint64_t repetitions, std::uint64_t seed) {
  constexpr std::uint64_t between_signals = 1024;  // rows between two checks for Ctrl-C
  require(repetitions <= std::uint64_t{1} << 24, "at most 2^24 rows are added");
  Random random(seed, Purpose::sampling);
  std::vector<double> state(rows.size());
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t k = 0; k < repetitions; ++k) {
    if (k % between_signals == 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
    simd::loops().add(state.data(), rows.row(random.below(rows.size())), 1e-3, rows.size());
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A copy of row i of a source or of a counted view.
template <typename Rows>
Array<float> row_of(Rows& rows, std::size_t i) {
  require_index(i, rows.size(), "row");
  const BusyGuard guard(rows.busy_flag(), rows_in_use);
  return array_of(rows.row(i), rows.size());
}

/// The result of compute(vectors, out), which expands (support, vectors) coefficients to `size` x vectors values.
template <typename Compute>
Array<double> expanded(std::size_t support, const Array<double>& coefficients, std::size_t size, unsigned threads,
                       const Compute& compute) {
  require(coefficients.ndim() == 2 && coefficients.shape(0) == static_cast<py::ssize_t>(support),
          "coefficients are (support points, vectors)");
  require_aligned(coefficients);
  require_threads(threads);
  require(coefficients.shape(1) <= std::numeric_limits<std::int32_t>::max(), "there are too many vectors");
  const auto vectors = static_cast<std::size_t>(coefficients.shape(1));
  Array<double> out({size, vectors});
  double* const values = out.mutable_data();
  const py::gil_scoped_release released;
  compute(vectors, values);
  return out;
}

}  // namespace

void bind_rows(py::module_& module) {
  py::class_<Counters>(module, "Counters", "The exact costs of a run.")
      .def_readonly("iterations", &Counters::iterations, "Iterations of the main loop.")
      .def_readonly("presentations", &Counters::presentations, "Examples presented; an epoch is n of them.")
      .def_readonly("kernel_evaluations", &Counters::kernel_evaluations, "Kernel values K(x_i, x_j).")
      .def_readonly("inner_products", &Counters::inner_products, "Inner products of d-dimensional vectors.")
      .def_readonly("feature_accesses", &Counters::feature_accesses,
                    "Stored coordinates of training vectors that were read.")
      .def_readonly("feature_accesses_dense", &Counters::feature_accesses_dense,
                    "The same, counting d coordinates for every vector.");

  py::class_<RowSource>(module, "RowSource",
                        "Rows of the kernel matrix of the training points, which are ordered by class: the positive "
                        "ones first.\n\nThe constructors of derived classes raise InvalidArgument if one class is "
                        "empty or float32 cannot hold the kernel's values.")
      .def_property_readonly("size", &RowSource::size, "Number of training points, n.")
      .def_property_readonly("positives", &RowSource::positives, "Number of positive training points.")
      .def_property_readonly(
          "diagonal", [](const RowSource& self) { return array_of(self.diagonal()); }, "K(x_i, x_i) for all i, (n,).")
      .def("row", &row_of<RowSource>, py::arg("i"),
           "Return a copy of row i, (n,); not charged.\n\nRaises InvalidArgument if there is no such row, RuntimeError "
           "if another thread uses the rows.");

  py::class_<GramRows, RowSource>(
      module, "GramRows",
      "Rows of a filled (n, n) float32 Gram matrix, whose values must be finite: they are not checked.")
      .def(py::init([](const KernelFunction& kernel, const Matrix& matrix, std::size_t positives,
                       const py::array_t<float, 0>& gram) {
             const std::size_t n = matrix.view().rows;
             require_matrix(gram, n, n, "the Gram matrix is a C-contiguous float32 array of n x n");
             return std::make_unique<GramRows>(kernel, matrix.view(), positives, gram.data());
           }),
           py::arg("kernel"), py::arg("matrix"), py::arg("positives"), py::arg("gram").noconvert(),
           py::keep_alive<1, 3>(), py::keep_alive<1, 5>())
      .def(
          "expand",
          [](const GramRows& self, const Array<std::uint32_t>& support, const Array<double>& coefficients,
             unsigned threads) {
            require(support.ndim() == 1, "support points are a vector");
            require_aligned(support);
            const std::vector<std::uint32_t> rows(support.data(), support.data() + support.size());
            for (const std::uint32_t row : rows) require_index(row, self.size(), "row");
            const auto compute = [&](std::size_t vectors, double* out) {
              expand(gram_tiles(self.gram(), self.size()), rows, coefficients.data(), vectors, self.size(), out,
                     threads);
            };
            return expanded(rows.size(), coefficients, self.size(), threads, compute);
          },
          py::arg("support"), py::arg("coefficients").noconvert(), py::arg("threads") = 1,
          "Return sum_k K(x_support[k], x_j) coefficients[k, :] for all training points x_j, (n, vectors).\n\nsupport: "
          "(s,) training points; coefficients: (s, vectors). Raises InvalidArgument for other shapes or points.");

  py::class_<CachedRows, RowSource>(
      module, "CachedRows", "Rows computed on request; the `capacity` (at least 2) most recently used ones are cached.")
      .def(
          py::init([](const KernelFunction& kernel, const Matrix& matrix, std::size_t positives, std::size_t capacity) {
            return std::make_unique<CachedRows>(kernel, matrix.view(), positives, capacity);
          }),
          py::arg("kernel"), py::arg("matrix"), py::arg("positives"), py::arg("capacity"), py::keep_alive<1, 3>())
      .def_property_readonly("capacity", &CachedRows::capacity, "Number of rows that the cache holds.")
      .def_property_readonly("computed", &CachedRows::computed, "Number of rows computed so far.");

  py::class_<CountedRows> counted(module, "CountedRows",
                                  "Kernel rows for a solver written in Python; counts every row that it hands out.");
  counted.def(py::init<RowSource&>(), py::arg("source"), py::keep_alive<1, 2>())
      .def_property_readonly("size", &CountedRows::size, "Number of training points, n.")
      .def_property_readonly("positives", &CountedRows::positives, "Number of positive training points.")
      .def(
          "diagonal",
          [](const CountedRows& self, std::size_t i) {
            require_index(i, self.size(), "row");
            return self.diagonal(i);
          },
          py::arg("i"), "Return K(x_i, x_i).\n\nRaises InvalidArgument if there is no such point.")
      .def("row", &row_of<CountedRows>, py::arg("i"),
           "Return a copy of row i, (n,), and charge n kernel evaluations.\n\nRaises InvalidArgument if there is no "
           "such row, RuntimeError if another thread uses the rows.");
  bind_counted(counted);

  bind_enum<Accounting>(module, "Accounting",
                        "How a method that reads one response at a time is charged.\n\nkept: all responses are "
                        "kept up to date, n evaluations for each example whose alpha changes; on_demand: one "
                        "evaluation per support vector for each response.",
                        {{"kept", Accounting::kept}, {"on_demand", Accounting::on_demand}});

  module.def(
      "expand",
      [](const KernelFunction& function, const Matrix& support, const Matrix& evaluation,
         const Array<double>& coefficients, unsigned threads) {
        const auto compute = [&](std::size_t vectors, double* out) {
          const Points left(support.view());
          const Points right(evaluation.view());
          std::vector<std::uint32_t> all(left.size());
          std::iota(all.begin(), all.end(), 0U);
          expand(computed_tiles(function, left, right), all, coefficients.data(), vectors, right.size(), out, threads);
        };
        return expanded(support.view().rows, coefficients, evaluation.view().rows, threads, compute);
      },
      py::arg("kernel"), py::arg("support"), py::arg("evaluation"), py::arg("coefficients").noconvert(),
      py::arg("threads") = 1,
      "Return sum_k K(support_k, x_j) coefficients[k, :] for all evaluation points x_j, (m, vectors).\n\ncoefficients: "
      "(support points, vectors). Raises InvalidArgument for other shapes or if float32 cannot hold the kernel's "
      "values.");

  module.def(
      "seconds_of_row_additions", &seconds_of_row_additions, py::arg("rows"), py::arg("repetitions"), py::arg("seed"),
      "Return the seconds to read `repetitions` random rows and to add each, scaled, to a float64 vector.\n\nA loop "
      "for benchmarks. Raises InvalidArgument for more than 2^24 repetitions.");
}

}  // namespace svm::python
