// Arrays that begin where a pair of the processor's cache lines does: those sixteen float64 are fetched together.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace svm {

template <typename T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{128};

  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
  void deallocate(T* pointer, std::size_t) noexcept { ::operator delete(pointer, alignment); }
  template <typename U>
  bool operator==(const AlignedAllocator<U>&) const noexcept {
    return true;
  }
  template <typename U>
  bool operator!=(const AlignedAllocator<U>&) const noexcept {
    return false;
  }
};

template <typename T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace svm
