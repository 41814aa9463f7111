#include "solvers/minibatch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "base/error.hpp"
#include "constructors.hpp"

namespace svm::python {
namespace {

using SumInPlace = py::typing::Optional<py::typing::Callable<void(Array<double>)>>;

/// An AllReduce that calls a Python function with a copy of the values, so that one who keeps the array keeps no address
/// in the solver; what it raises ends advance(). The function lives as long as the solver, which is destroyed with the
/// interpreter's lock held.
AllReduce calling(const SumInPlace& function) {
  if (function.is_none()) return {};
  return [function](double* values, std::size_t size) {
    const py::gil_scoped_acquire lock;
    const Array<double> shared(static_cast<py::ssize_t>(size), values);
    function(shared);
    std::copy_n(shared.data(), size, values);
  };
}

template <typename Class, typename Settings>
auto bind(py::module_& module, const char* name, const char* text) {
  py::class_<Class, MiniBatchSolver> type(module, name, text);
  def_made<Settings, const FeatureMatrix&, std::uint64_t, const Shard*, const SumInPlace&>(
      type,
      [](const Settings& settings, const FeatureMatrix& features, std::uint64_t seed, const Shard* shard,
         const SumInPlace& all_reduce) {
        require_threads(settings.threads);
        return std::make_unique<Class>(features, settings, seed, shard != nullptr ? *shard : Shard{},
                                       calling(all_reduce));
      },
      py::arg("features"), py::kw_only(), py::arg("seed"), py::arg("shard") = nullptr,
      py::arg("all_reduce") = py::none(), py::keep_alive<1, 2>());
  return type;
}

}  // namespace

void bind_minibatch(py::module_& module) {
  bind_enum<Averaging>(module, "Averaging",
                       "The predictor of a method on mini-batches.\n\nlast: the last iterate; tail: the mean of "
                       "about the second half of the iterates; decaying: m <- 0.9 m + 0.1 w.",
                       {{"last", Averaging::last}, {"tail", Averaging::tail}, {"decaying", Averaging::decaying}});
  bind_enum<SdcaVariant>(
      module, "SdcaVariant",
      "The divisor of mini-batch SDCA's steps.\n\nnaive: the example's squared norm; safe: "
      "the largest squared norm times beta_b; aggressive: times an estimate made on the way.",
      {{"naive", SdcaVariant::naive}, {"safe", SdcaVariant::safe}, {"aggressive", SdcaVariant::aggressive}});

  py::class_<RandomSubsets>(module, "RandomSubsets",
                            "Random subsets of {0, ..., size - 1} with `count` elements, without replacement.")
      .def(py::init([](std::size_t size, std::size_t count, std::uint64_t seed) {
             require(size <= std::numeric_limits<std::uint32_t>::max(), "a set has fewer than 2^32 elements");
             require(count >= 1 && count <= size, "a subset has from 1 to all elements");
             return std::make_unique<RandomSubsets>(size, count, seed);
           }),
           py::arg("size"), py::arg("count"), py::arg("seed"))
      .def(
          "next", [](RandomSubsets& self) { return array_of(self.next(), self.count()); },
          "Return the next subset, (count,).");

  py::class_<Shard> shards(
      module, "Shard",
      "The examples of one process: of `size` examples those with numbers rank, rank + ranks, "
      "...\n\nlargest_norm: of all examples. Raises InvalidArgument if it is not finite or is negative.");
  def_made<Shard>(shards, [](const Shard& shard) {
    require(shard.rank < shard.ranks && shard.ranks <= shard.size, "there is no rank " + std::to_string(shard.rank) +
                                                                       " of " + std::to_string(shard.ranks) + " for " +
                                                                       std::to_string(shard.size) + " rows");
    require_not_negative(shard.largest_norm, "the largest norm");
    return std::make_unique<Shard>(shard);
  });

  py::class_<MiniBatchSolver, LinearSolver>(
      module, "MiniBatchSolver",
      "A method on mini-batches; the same bits for any number of threads.\n\nIf processes share the examples, "
      "`features` are the rows of the shard, and `all_reduce` replaces a float64 array in place by its sum over all "
      "processes, the same bits in each. `alpha` in a state holds the dual variables of the shard's examples.")
      .def_property_readonly(
          "threads", &MiniBatchSolver::threads,
          "Threads in use, the calling one included: fewer than requested if the system did not start all.");

  bind<MiniBatchPegasos, MiniBatchSettings>(
      module, "MiniBatchPegasos", "Pegasos on mini-batches (Takac, Bijral, Richtarik, Srebro 2013, Algorithm 1).");

  auto sdca = bind<MiniBatchSdca, MiniBatchSdcaSettings>(
      module, "MiniBatchSdca",
      "SDCA on mini-batches (Takac, Bijral, Richtarik, Srebro 2013, Algorithm 2 and equation 15).\n\nbeta: beta_b, of "
      "rows divided by the largest norm if that is above 1; gamma: weight of the past in the aggressive variant's "
      "beta.");
  sdca.def("alpha", claimed_vector<MiniBatchSdca>(&MiniBatchSdca::alpha),
           "Return the dual variables of this process's examples, in [0, 1], (n,).")
      .def("lower_bound_of", py::overload_cast<double>(&MiniBatchSdca::lower_bound, py::const_),
           py::arg("sum_of_alpha"), "Return the dual objective, given the sum of all dual variables.")
      .def_property_readonly("beta", &MiniBatchSdca::beta, "Divisor of the next aggressive step.")
      .def_property_readonly("refused", &MiniBatchSdca::refused,
                             "Aggressive steps that were undone because they did not raise the dual objective.");
}

}  // namespace svm::python
