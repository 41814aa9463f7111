// Removal that keeps no order.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace svm {

/// Removes element j; the last one gets its place.
template <typename T, typename Allocator>
void take_away(std::vector<T, Allocator>& elements, std::size_t j) {
  std::swap(elements[j], elements.back());
  elements.pop_back();
}

}  // namespace svm
