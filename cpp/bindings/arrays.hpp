// Conversion of numpy arrays: they are checked once here, and the core gets plain views.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/native_enum.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/matrix.hpp"

namespace svm::python {

namespace py = pybind11;

template <typename T>
using Array = py::array_t<T, py::array::c_style>;

/// A data matrix of finite values that keeps its numpy arrays alive. Values are not copied: changing them later changes
/// results. Offsets and indices are used as addresses, so writable arrays of them are copied.
class Matrix {
 public:
  explicit Matrix(Array<float> dense);
  Matrix(Array<std::int64_t> offsets, Array<std::int32_t> indices, Array<float> values, std::size_t columns);

  const MatrixView& view() const noexcept { return view_; }

 private:
  std::vector<py::array> owners_;
  MatrixView view_;
};

/// Refuses an array that is not aligned for its element type.
inline void require_aligned(const py::array& array) {
  require(reinterpret_cast<std::uintptr_t>(array.data()) % static_cast<std::size_t>(array.itemsize()) == 0,
          "an array does not begin at a multiple of its elements' size");
}

/// Refuses a number of threads outside 1 to 1024.
inline void require_threads(unsigned threads) {
  constexpr unsigned most_threads = 1024;
  require(threads >= 1 && threads <= most_threads, "threads must be from 1 to 1024, got " + std::to_string(threads));
}

/// Refuses a vector with NaN or infinity; `what` begins the message.
inline void require_finite(const Array<double>& values, const char* what) {
  for (py::ssize_t k = 0; k < values.size(); ++k) {
    if (std::isfinite(values.data()[k])) continue;
    throw InvalidArgument(std::string(what) + " are finite numbers; element " + std::to_string(k) + " is not");
  }
}

/// Refuses an index of `size` rows, columns or other things; `name` says of which.
inline void require_index(std::size_t index, std::size_t size, const char* name) {
  if (index < size) return;
  throw InvalidArgument("there is no " + std::string(name) + " " + std::to_string(index) + " of " +
                        std::to_string(size));
}

/// Refuses an array that is not `rows` x `columns` in row-major order and aligned; `message` says what it must be.
inline void require_matrix(const py::array& array, std::size_t rows, std::size_t columns, const char* message) {
  require(array.ndim() == 2 && array.shape(0) == static_cast<py::ssize_t>(rows) &&
              array.shape(1) == static_cast<py::ssize_t>(columns) && (array.flags() & py::array::c_style) != 0,
          message);
  require_aligned(array);
}

/// Binds an enumeration as a Python enum.Enum.
template <typename Enum>
void bind_enum(py::handle scope, const char* name, const char* text,
               std::initializer_list<std::pair<const char*, Enum>> values) {
  py::native_enum<Enum> type(scope, name, "enum.Enum", text);
  for (const auto& [value_name, value] : values) type.value(value_name, value);
  type.finalize();
}

/// A new array with a copy of `size` values.
template <typename T>
Array<T> array_of(const T* values, std::size_t size) {
  return Array<T>(static_cast<py::ssize_t>(size), values);
}
template <typename T>
Array<T> array_of(const std::vector<T>& values) {
  return array_of(values.data(), values.size());
}

/// A new array of `size` float64, filled by write(pointer).
template <typename Write>
Array<double> written(std::size_t size, const Write& write) {
  Array<double> out(static_cast<py::ssize_t>(size));
  write(out.mutable_data());
  return out;
}

void bind_asset(py::module_& module);
void bind_build(py::module_& module);
void bind_cutting_planes(py::module_& module);
void bind_elastic_deformation(py::module_& module);
void bind_features(py::module_& module);
void bind_kernel(py::module_& module);
void bind_linear_solvers(py::module_& module);
void bind_minibatch(py::module_& module);
void bind_random(py::module_& module);
void bind_rows(py::module_& module);
void bind_solvers(py::module_& module);
void bind_water_level(py::module_& module);

}  // namespace svm::python
