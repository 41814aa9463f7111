// The random generator Philox, in a namespace named after the instruction set; `loops.hpp` describes it.
#pragma once

#include <cstdint>

namespace svm::simd::SVM_SIMD_NAME {

void philox(std::uint32_t* words, std::uint32_t low_key, std::uint32_t high_key);

}  // namespace svm::simd::SVM_SIMD_NAME
