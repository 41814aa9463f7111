// Removal from a vector in O(1), which does not keep the order.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace svm {

/// Moves the last element to position j and removes the one that was there.
template <typename T, typename Allocator>
void swap_remove(std::vector<T, Allocator>& elements, std::size_t j) {
  std::swap(elements[j], elements.back());
  elements.pop_back();
}

}  // namespace svm
