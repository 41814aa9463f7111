// Loops with which benchmarks compare the solvers; nothing else uses them.
#include <chrono>

#include "arrays.hpp"
#include "kernel/rows.hpp"
#include "random/random.hpp"
#include "simd/loops.hpp"

namespace svm::python {
namespace {

constexpr std::uint64_t most_repetitions = std::uint64_t{1} << 24;
constexpr std::uint64_t between_signals = 1024;  // rows between two checks for Ctrl-C

}  // namespace

void bind_bench(py::module_& module) {
  module.def(
      "seconds_of_row_additions",
      [](RowSource& rows, std::uint64_t repetitions, std::uint64_t seed) {
        require(repetitions <= most_repetitions, "at most 2^24 rows are added");
        Random random(seed, Purpose::sampling);
        std::vector<double> state(rows.size());
        const auto start = std::chrono::steady_clock::now();
        for (std::uint64_t k = 0; k < repetitions; ++k) {
          if (k % between_signals == 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
          simd::loops().add(state.data(), rows.row(random.below(rows.size())), 1e-3, rows.size());
        }
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      },
      py::arg("rows"), py::arg("repetitions"), py::arg("seed"),
      "Return the seconds to read `repetitions` random rows and to add each, scaled, to a float64 vector.\n\nA loop "
      "for benchmarks. Raises InvalidArgument for more than 2^24 repetitions.");
}

}  // namespace svm::python
