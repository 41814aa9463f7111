#include "../core/minibatch.hpp"

#include "../core/error.hpp"
#include "arrays.hpp"

namespace svm::python {

void bind_minibatch(py::module_& module) {
  py::enum_<Averaging>(module, "Averaging")
      .value("last", Averaging::last)
      .value("tail", Averaging::tail)
      .value("decaying", Averaging::decaying);
  py::enum_<SdcaVariant>(module, "SdcaVariant")
      .value("naive", SdcaVariant::naive)
      .value("safe", SdcaVariant::safe)
      .value("aggressive", SdcaVariant::aggressive);

  py::class_<RandomSubsets>(module, "RandomSubsets")
      .def(py::init([](std::size_t size, std::size_t count, std::uint64_t seed) {
             require(count >= 1 && count <= size, "a subset has from 1 to all elements");
             return std::make_unique<RandomSubsets>(size, count, seed);
           }),
           py::arg("size"), py::arg("count"), py::arg("seed"))
      .def("next", [](RandomSubsets& self) {
        return Array<std::uint32_t>(static_cast<py::ssize_t>(self.count()), self.next());
      });

  py::class_<MiniBatchPegasos, LinearSolver>(module, "MiniBatchPegasos")
      .def(py::init([](const FeatureMatrix& features, double lambda, std::size_t batch_size, Averaging average,
                       unsigned threads, std::uint64_t seed) {
             return std::make_unique<MiniBatchPegasos>(features,
                                                       MiniBatchSettings{lambda, batch_size, average, threads}, seed);
           }),
           py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("batch_size"),
           py::arg("average") = Averaging::last, py::arg("threads") = 1, py::arg("seed"), py::keep_alive<1, 2>());

  py::class_<MiniBatchSdca, LinearSolver>(module, "MiniBatchSdca")
      .def(py::init([](const FeatureMatrix& features, double lambda, std::size_t batch_size, SdcaVariant variant,
                       double beta, double gamma, Averaging average, unsigned threads, std::uint64_t seed) {
             return std::make_unique<MiniBatchSdca>(features, MiniBatchSettings{lambda, batch_size, average, threads},
                                                    MiniBatchSdcaSettings{variant, beta, gamma}, seed);
           }),
           py::arg("features"), py::kw_only(), py::arg("lambda_"), py::arg("batch_size"), py::arg("variant"),
           py::arg("beta") = 1.0, py::arg("gamma") = 0.95, py::arg("average") = Averaging::last, py::arg("threads") = 1,
           py::arg("seed"), py::keep_alive<1, 2>())
      .def("alpha",
           [](const MiniBatchSdca& self) {
             return Array<double>(static_cast<py::ssize_t>(self.alpha().size()), self.alpha().data());
           })
      .def_property_readonly("beta", &MiniBatchSdca::beta)
      .def_property_readonly("refused", &MiniBatchSdca::refused);
}

}  // namespace svm::python
