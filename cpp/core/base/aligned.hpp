// Arrays aligned to 128 bytes: the processor fetches cache lines in pairs (16 float64). Arrays of 2 MiB and more ask
// for huge pages, which saves page-table walks when elements are read in random order.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <new>
#include <vector>

namespace svm {

template <typename T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::size_t pair_of_lines = 128;
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}

  static std::align_val_t alignment(std::size_t count) noexcept {
    return std::align_val_t{count * sizeof(T) >= huge_page ? huge_page : pair_of_lines};
  }

  T* allocate(std::size_t count) {
    void* memory = ::operator new(count * sizeof(T), alignment(count));
#ifdef MADV_HUGEPAGE
    // Only advice: if the system ignores it, the array is slower and otherwise the same.
    if (count * sizeof(T) >= huge_page) madvise(memory, count * sizeof(T) / huge_page * huge_page, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* pointer, std::size_t count) noexcept { ::operator delete(pointer, alignment(count)); }
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
