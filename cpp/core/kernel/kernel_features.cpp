#include "kernel/kernel_features.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/clock.hpp"
#include "kernel/blas.hpp"

namespace svm {
namespace {

constexpr std::size_t rows_of_block = 512;

}  // namespace

template <typename Value>
FeatureWork kernel_features(const KernelFunction& kernel, const Points& x, const Points& basis, const float* projection,
                            std::size_t rank, Value* out, unsigned threads, const Progress& progress) {
  require_range(kernel, x.largest_square());
  require_range(kernel, basis.largest_square());
  const std::size_t blocks = (x.size() + rows_of_block - 1) / rows_of_block;
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> stopped{false};
  std::atomic<std::size_t> done{0};
  std::vector<double> cpu_of_others(blocks);
  const unsigned refused = parallel_blas(blocks, threads, [&](std::size_t task) {
    if (stopped) return;
    const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    const std::size_t first = task * rows_of_block;
    const std::size_t rows = std::min(rows_of_block, x.size() - first);
    thread_local std::vector<float> values;
    values.resize(rows * basis.size());
    kernel_tile(kernel, x, first, rows, basis, 0, basis.size(), values.data(), basis.size());
    const auto project = [&](float* features) {
      multiply_transposed(values.data(), projection, features, static_cast<int>(rows), static_cast<int>(rank),
                          static_cast<int>(basis.size()), static_cast<int>(rank), 0.0F);
    };
    Value* const features = out + first * rank;
    if constexpr (std::is_same_v<Value, float>) {
      project(features);
    } else {
      thread_local std::vector<float> wide;
      wide.resize(rows * rank);
      project(wide.data());
      std::transform(wide.begin(), wide.end(), features, rounded<Value>);
    }
    const std::size_t finished = ++done;
    if (std::this_thread::get_id() != caller) {
      cpu_of_others[task] = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    } else if (progress && !progress(static_cast<double>(finished) / static_cast<double>(blocks))) {
      stopped = true;
    }
  });
  return {!stopped, std::accumulate(cpu_of_others.begin(), cpu_of_others.end(), 0.0), refused};
}

template FeatureWork kernel_features(const KernelFunction&, const Points&, const Points&, const float*, std::size_t,
                                     float*, unsigned, const Progress&);
template FeatureWork kernel_features(const KernelFunction&, const Points&, const Points&, const float*, std::size_t,
                                     BFloat16*, unsigned, const Progress&);
template FeatureWork kernel_features(const KernelFunction&, const Points&, const Points&, const float*, std::size_t,
                                     Float16*, unsigned, const Progress&);

}  // namespace svm
