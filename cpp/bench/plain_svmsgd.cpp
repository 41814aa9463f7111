// The updates of SVMSGD as a plain loop in float32: the rival in a benchmark, which compiles this file on request.
#include <cstddef>
#include <cstdint>
#include <ctime>

namespace {

constexpr float largest_divisor = 1e5F;  // as in Bottou's program

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

/// Presents rows order[0], ..., order[steps - 1] of a CSR matrix with labels +1 and -1. Writes the weights to w (d values,
/// 0 at the beginning) and returns the CPU seconds.
extern "C" double plain_svmsgd(const std::int64_t* offsets, const std::int32_t* columns, const float* values,
                               const float* labels, const std::uint32_t* order, std::size_t steps, std::size_t d,
                               double lambda, double t0, float* w) {
  const double start = cpu_seconds();
  float divisor = 1.0F;
  double time = t0;
  for (std::size_t step = 0; step < steps; ++step) {
    const std::uint32_t i = order[step];
    const std::int64_t begin = offsets[i];
    const std::int64_t end = offsets[i + 1];
    float dot = 0.0F;
    for (std::int64_t p = begin; p < end; ++p) dot += w[columns[p]] * values[p];
    const bool violated = labels[i] * dot < divisor;
    divisor *= static_cast<float>((time + 1.0) / time);
    time += 1.0;
    if (divisor > largest_divisor) {
      for (std::size_t j = 0; j < d; ++j) w[j] /= divisor;
      divisor = 1.0F;
    }
    if (!violated) continue;
    const float amount = labels[i] * divisor / static_cast<float>(lambda * time);
    for (std::int64_t p = begin; p < end; ++p) w[columns[p]] += amount * values[p];
  }
  for (std::size_t j = 0; j < d; ++j) w[j] /= divisor;
  return cpu_seconds() - start;
}
