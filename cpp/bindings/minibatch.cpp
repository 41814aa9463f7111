#include "solvers/minibatch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "arrays.hpp"

namespace svm::python {
namespace {

/// An exchange that calls a Python function with a copy of the values, so that one who keeps the array keeps no address in
/// the solver; what it raises ends advance(). The function lives as long as the solver, which is destroyed with the
/// interpreter's lock held.
Exchange calling(const py::object& function) {
  if (function.is_none()) return {};
  return [function](double* values, std::size_t size) {
    const py::gil_scoped_acquire lock;
    const Array<double> shared(static_cast<py::ssize_t>(size), values);
    function(shared);
    std::copy_n(shared.data(), size, values);
  };
}

}  // namespace

void bind_minibatch(py::module_& module) {
  py::native_enum<Averaging>(module, "Averaging", "enum.Enum")
      .value("last", Averaging::last)
      .value("tail", Averaging::tail)
      .value("decaying", Averaging::decaying)
      .finalize();
  py::native_enum<SdcaVariant>(module, "SdcaVariant", "enum.Enum")
      .value("naive", SdcaVariant::naive)
      .value("safe", SdcaVariant::safe)
      .value("aggressive", SdcaVariant::aggressive)
      .finalize();

  py::class_<RandomSubsets>(module, "RandomSubsets")
      .def(py::init([](std::size_t size, std::size_t count, std::uint64_t seed) {
             require(size <= std::numeric_limits<std::uint32_t>::max(), "a set has fewer than 2^32 elements");
             require(count >= 1 && count <= size, "a subset has from 1 to all elements");
             return std::make_unique<RandomSubsets>(size, count, seed);
           }),
           py::arg("size"), py::arg("count"), py::arg("seed"))
      .def("next", [](RandomSubsets& self) {
        return Array<std::uint32_t>(static_cast<py::ssize_t>(self.count()), self.next());
      });

  py::class_<Shard>(module, "Shard")
      .def(py::init([](std::size_t rank, std::size_t ranks, std::size_t size, double largest_norm) {
             require(rank < ranks && ranks <= size, "there is no rank " + std::to_string(rank) + " of " +
                                                        std::to_string(ranks) + " for " + std::to_string(size) +
                                                        " rows");
             require(std::isfinite(largest_norm) && largest_norm >= 0.0,
                     "the largest norm must be finite and not negative");
             return Shard{rank, ranks, size, largest_norm};
           }),
           py::arg("rank"), py::arg("ranks"), py::arg("size"), py::arg("largest_norm"));

  py::class_<MiniBatchSolver, LinearSolver>(module, "MiniBatchSolver")
      .def_property_readonly("threads", &MiniBatchSolver::threads);

  py::class_<MiniBatchPegasos, MiniBatchSolver>(module, "MiniBatchPegasos")
      .def(py::init([](const FeatureMatrix& features, double lambda, std::size_t batch_size, Averaging average,
                       unsigned threads, std::uint64_t seed, const Shard* shard, const py::object& exchange) {
             require_threads(threads);
             return std::make_unique<MiniBatchPegasos>(features,
                                                       MiniBatchSettings{lambda, batch_size, average, threads}, seed,
                                                       shard != nullptr ? *shard : Shard{}, calling(exchange));
           }),
           py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("batch_size"),
           py::arg("average") = Averaging::last, py::arg("threads") = 1, py::arg("seed"), py::arg("shard") = nullptr,
           py::arg("exchange") = py::none(), py::keep_alive<1, 2>());

  py::class_<MiniBatchSdca, MiniBatchSolver>(module, "MiniBatchSdca")
      .def(py::init([](const FeatureMatrix& features, double lambda, std::size_t batch_size, SdcaVariant variant,
                       double beta, double gamma, Averaging average, unsigned threads, std::uint64_t seed,
                       const Shard* shard, const py::object& exchange) {
             require_threads(threads);
             return std::make_unique<MiniBatchSdca>(features, MiniBatchSettings{lambda, batch_size, average, threads},
                                                    MiniBatchSdcaSettings{variant, beta, gamma}, seed,
                                                    shard != nullptr ? *shard : Shard{}, calling(exchange));
           }),
           py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("batch_size"), py::arg("variant"),
           py::arg("beta") = 1.0, py::arg("gamma") = 0.95, py::arg("average") = Averaging::last, py::arg("threads") = 1,
           py::arg("seed"), py::arg("shard") = nullptr, py::arg("exchange") = py::none(), py::keep_alive<1, 2>())
      .def("alpha",
           [](const MiniBatchSdca& self) {
             const BusyGuard guard = self.lock();
             return Array<double>(static_cast<py::ssize_t>(self.alpha().size()), self.alpha().data());
           })
      .def("lower_bound_of", py::overload_cast<double>(&MiniBatchSdca::lower_bound, py::const_),
           py::arg("sum_of_alpha"))
      .def_property_readonly("beta", &MiniBatchSdca::beta)
      .def_property_readonly("refused", &MiniBatchSdca::refused);
}

}  // namespace svm::python
