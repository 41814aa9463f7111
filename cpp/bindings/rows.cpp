#include "kernel/rows.hpp"

#include <limits>

#include "kernel/gram.hpp"
#include "arrays.hpp"
#include "states.hpp"

namespace svm::python {
namespace {

void check_row(std::size_t i, std::size_t n) {
  if (i >= n) throw InvalidArgument("there is no row " + std::to_string(i) + " of " + std::to_string(n));
}

}  // namespace

void bind_rows(py::module_& module) {
  py::class_<Counters>(module, "Counters")
      .def_readonly("iterations", &Counters::iterations)
      .def_readonly("presentations", &Counters::presentations)
      .def_readonly("kernel_evaluations", &Counters::kernel_evaluations)
      .def_readonly("inner_products", &Counters::inner_products)
      .def_readonly("feature_accesses", &Counters::feature_accesses)
      .def_readonly("feature_accesses_dense", &Counters::feature_accesses_dense);

  py::class_<RowSource>(module, "RowSource", "Rows of the kernel matrix of class-ordered training points.")
      .def_property_readonly("size", &RowSource::size)
      .def_property_readonly("positives", &RowSource::positives)
      .def_property_readonly("diagonal",
                             [](const RowSource& self) {
                               return Array<float>(static_cast<py::ssize_t>(self.size()), self.diagonal().data());
                             })
      .def(
          "row",
          [](RowSource& self, std::size_t i) {
            check_row(i, self.size());
            const BusyGuard guard(self.busy_flag(), rows_in_use);
            return Array<float>(static_cast<py::ssize_t>(self.size()), self.row(i));
          },
          py::arg("i"), "A copy of row i, (n,) float32; not charged.");

  py::class_<GramRows, RowSource>(module, "GramRows")
      .def(py::init([](const KernelFunction& kernel, const Matrix& matrix, std::size_t positives,
                       const py::array_t<float, 0>& gram) {
             const auto n = static_cast<py::ssize_t>(matrix.view().rows);
             require(gram.ndim() == 2 && gram.shape(0) == n && gram.shape(1) == n &&
                         (gram.flags() & py::array::c_style) != 0,
                     "the Gram matrix is a C-contiguous float32 array of n x n");
             require_aligned(gram);
             return std::make_unique<GramRows>(kernel, matrix.view(), positives, gram.data());
           }),
           py::arg("kernel"), py::arg("matrix"), py::arg("positives"), py::arg("gram").noconvert(),
           py::keep_alive<1, 3>(), py::keep_alive<1, 5>())
      .def(
          "expand",
          [](const GramRows& self, const Array<std::uint32_t>& support, const Array<double>& coefficients,
             unsigned threads) {
            require(support.ndim() == 1 && coefficients.ndim() == 2 && coefficients.shape(0) == support.size(),
                    "coefficients are (support points, vectors)");
            require_threads(threads);
            require(coefficients.shape(1) <= std::numeric_limits<std::int32_t>::max(), "there are too many vectors");
            const std::vector<std::uint32_t> rows(support.data(), support.data() + support.size());
            for (const std::uint32_t row : rows) check_row(row, self.size());
            const auto vectors = coefficients.shape(1);
            Array<double> out({static_cast<py::ssize_t>(self.size()), vectors});
            double* values = out.mutable_data();
            const py::gil_scoped_release released;
            expand(gram_tiles(self.gram(), self.size()), rows, coefficients.data(), static_cast<std::size_t>(vectors),
                   self.size(), values, threads);
            return out;
          },
          py::arg("support"), py::arg("coefficients").noconvert(), py::arg("threads") = 1);

  py::class_<CachedRows, RowSource>(module, "CachedRows")
      .def(
          py::init([](const KernelFunction& kernel, const Matrix& matrix, std::size_t positives, std::size_t capacity) {
            return std::make_unique<CachedRows>(kernel, matrix.view(), positives, capacity);
          }),
          py::arg("kernel"), py::arg("matrix"), py::arg("positives"), py::arg("capacity"), py::keep_alive<1, 3>())
      .def_property_readonly("capacity", &CachedRows::capacity)
      .def_property_readonly("computed", &CachedRows::computed);

  py::class_<CountedRows> counted(module, "CountedRows",
                                  "Kernel rows for a solver written in Python; charges what it hands out.");
  counted.def(py::init<RowSource&>(), py::arg("source"), py::keep_alive<1, 2>())
      .def_property_readonly("size", &CountedRows::size)
      .def_property_readonly("positives", &CountedRows::positives)
      .def(
          "label",
          [](const CountedRows& self, std::size_t i) {
            check_row(i, self.size());
            return self.label(i);
          },
          py::arg("i"))
      .def(
          "diagonal",
          [](const CountedRows& self, std::size_t i) {
            check_row(i, self.size());
            return self.diagonal(i);
          },
          py::arg("i"))
      .def(
          "row",
          [](CountedRows& self, std::size_t i) {
            check_row(i, self.size());
            const BusyGuard guard(self.busy_flag(), rows_in_use);
            return Array<float>(static_cast<py::ssize_t>(self.size()), self.row(i));
          },
          py::arg("i"), "A copy of row i, (n,) float32; n kernel evaluations.")
      .def("present", &present<CountedRows>, py::arg("examples") = 1, present_does)
      .def_property_readonly("counters", [](const CountedRows& self) { return self.counters(); });
  bind_state(counted);

  py::native_enum<Accounting>(module, "Accounting", "enum.Enum")
      .value("kept", Accounting::kept)
      .value("on_demand", Accounting::on_demand)
      .finalize();
}

}  // namespace svm::python
