// Compiled once per instruction set, like loops.cpp: the inner loops of sequential minimal optimisation.
#include <cfloat>

#include "simd/vectors.hpp"

namespace svm::simd::SVM_SIMD_NAME {
namespace {

// The largest score of each lane and its block, the first one of several.
struct Leader {
  Wide score;
  Wide block_number;

  void offer(const Wide& scores, std::size_t number) {
    const Mask better = score < scores;
    score = choose(better, scores, score);
    block_number = choose(better, all(static_cast<double>(number)), block_number);
  }
  Best best(double violation) const {
    double scores[lanes];
    double numbers[lanes];
    store(scores, score);
    store(numbers, block_number);
    std::size_t k = 0;
    for (std::size_t l = 1; l < lanes; ++l) {
      if (scores[l] > scores[k] || (scores[l] == scores[k] && numbers[l] < numbers[k])) k = l;
    }
    return {scores[k], violation, static_cast<std::size_t>(numbers[k])};
  }
};

// Offers the largest score of each block of a row x: score(begin, end).
template <typename Score>
inline void lead_by_blocks(Leader& leader, const float* x, std::size_t n, const Score& score) {
  std::size_t j = 0;
  for (; j + block <= n; j += block) {
    prefetch_ahead(x + j);
    leader.offer(score(j, j + block), j / block);
  }
  if (j < n) leader.offer(score(j, n), j / block);
}

// A smaller curvature counts as zero.
constexpr double flat = 1e-100;

// Gain of the dual by the step of one coordinate to its maximum, clipped to [0, C]. A point of zero curvature (a zero
// row with the linear kernel) moves to the bound in the direction of its gradient.
double gain(double response, double alpha, double diagonal, double C) {
  const double gradient = 1.0 - response;
  const double curvature = diagonal > flat ? diagonal : flat;
  const double free = alpha + gradient / curvature;
  const double step = (free < 0.0 ? 0.0 : (free > C ? C : free)) - alpha;
  return step * (gradient - 0.5 * step * diagonal);
}

inline double violation_of(double response, double alpha, double C) {
  const double gradient = 1.0 - response;
  const double up = alpha < C ? gradient : 0.0;
  const double down = alpha > 0.0 ? -gradient : 0.0;
  return up > down ? up : down;
}

// `unit`: all diagonal values are 1, so nothing is divided by them.
template <bool unit>
inline Best best_gain(const DualRange& range, const float* x, double a) {
  const Wide scale = all(a);
  const Wide one = all(1.0);
  const Wide half = all(0.5);
  const Wide zero = all(0.0);
  const Wide nothing = all(-1.0);
  const Wide box = all(range.C);
  const Wide tiny = all(flat);
  Wide violation = zero;
  Leader leader{nothing, zero};
  lead_by_blocks(leader, x, range.size, [&](std::size_t j, std::size_t end) {
    Wide top = nothing;
    for (; j + lanes <= end; j += lanes) {
      const Wide response = load(range.responses + j) + scale * load(x + j);
      store(range.responses + j, response);
      const Wide alpha = load(range.alpha + j);
      const Wide gradient = one - response;
      if constexpr (unit) {
        const Wide step = larger(smaller(alpha + gradient, box), zero) - alpha;
        top = larger(top, step * (gradient - half * step));
      } else {
        const Wide diagonal = load(range.diagonal + j);
        const Wide step = larger(smaller(alpha + gradient / larger(diagonal, tiny), box), zero) - alpha;
        top = larger(top, step * (gradient - half * step * diagonal));
      }
      violation =
          larger(violation, larger(choose(alpha < box, gradient, zero), choose(zero < alpha, zero - gradient, zero)));
    }
    for (; j < end; ++j) {
      const double response = range.responses[j] += a * static_cast<double>(x[j]);
      const double diagonal = unit ? 1.0 : static_cast<double>(range.diagonal[j]);
      top = larger(top, all(gain(response, range.alpha[j], diagonal, range.C)));
      violation = larger(violation, all(violation_of(response, range.alpha[j], range.C)));
    }
    return top;
  });
  return leader.best(largest(violation));
}

Best add_and_best_gain(const DualRange& range, const float* x, double a) {
  return range.diagonal == nullptr ? best_gain<true>(range, x, a) : best_gain<false>(range, x, a);
}

// The larger alpha may rise, and the smaller one fall, for the positive class; else the other way round.
template <bool positive>
inline Best best_up(const DualRange& range, const float* x, double a, const float* z, double b) {
  const Wide first = all(a);
  const Wide second = all(b);
  const Wide one = all(1.0);
  const Wide zero = all(0.0);
  const Wide box = all(range.C);
  const Wide nothing = all(-DBL_MAX);
  Wide fall = nothing;  // the largest negated low-candidate
  Leader leader{nothing, zero};
  lead_by_blocks(leader, z, range.size, [&](std::size_t j, std::size_t end) {
    Wide top = nothing;
    for (; j + lanes <= end; j += lanes) {
      const Wide response = load(range.responses + j) + (first * load(x + j) + second * load(z + j));
      store(range.responses + j, response);
      const Wide alpha = load(range.alpha + j);
      const Wide value = positive ? one - response : response - one;
      const Mask below_box = alpha < box;
      const Mask above_zero = zero < alpha;
      top = larger(top, choose(positive ? below_box : above_zero, value, nothing));
      fall = larger(fall, choose(positive ? above_zero : below_box, zero - value, nothing));
    }
    for (; j < end; ++j) {
      const double response = range.responses[j] += a * static_cast<double>(x[j]) + b * static_cast<double>(z[j]);
      const double value = positive ? 1.0 - response : response - 1.0;
      const bool below_box = range.alpha[j] < range.C;
      const bool above_zero = range.alpha[j] > 0.0;
      if (positive ? below_box : above_zero) top = larger(top, all(value));
      if (positive ? above_zero : below_box) fall = larger(fall, all(-value));
    }
    return top;
  });
  return leader.best(-largest(fall));
}

Best add_two_and_best_up(const DualRange& range, const float* x, double a, const float* z, double b, double sign) {
  return sign > 0.0 ? best_up<true>(range, x, a, z, b) : best_up<false>(range, x, a, z, b);
}

// LIBSVM's constant for a direction of zero curvature.
constexpr double tau = 1e-12;

double partner_score(double response, double alpha, double diagonal, double entry, double C, double sign, double top,
                     double top_diagonal) {
  const bool low = sign > 0.0 ? alpha > 0.0 : alpha < C;
  const double descent = top - sign * (1.0 - response);
  if (!low || descent <= 0.0) return -1.0;
  const double curvature = top_diagonal + diagonal - 2.0 * entry;
  return descent * descent / (curvature > 0.0 ? curvature : tau);
}

// Within a block ratios are compared by cross-multiplication. Scores that differ only by rounding may change places.
template <bool unit, bool positive>
inline Best best_partner_of(const DualRange& range, const float* x, double top, double diagonal) {
  const Wide one = all(1.0);
  const Wide two = all(2.0);
  const Wide zero = all(0.0);
  const Wide box = all(range.C);
  const Wide tops = all(top);
  const Wide diagonals = all(unit ? diagonal + 1.0 : diagonal);
  const Wide nothing = all(-1.0);
  const Wide taus = all(tau);
  Leader leader{nothing, zero};
  lead_by_blocks(leader, x, range.size, [&](std::size_t j, std::size_t end) {
    Wide squares = nothing;
    Wide curvatures = one;
    for (; j + lanes <= end; j += lanes) {
      const Wide alpha = load(range.alpha + j);
      const Wide value = positive ? one - load(range.responses + j) : load(range.responses + j) - one;
      const Wide descent = tops - value;
      Wide curvature = diagonals;
      if constexpr (!unit) curvature += load(range.diagonal + j);
      curvature = curvature - two * load(x + j);
      curvature = choose(zero < curvature, curvature, taus);
      const Mask low = (positive ? zero < alpha : alpha < box) & (zero < descent);
      const Wide square = descent * descent;
      const Mask better = low & (squares * curvature < square * curvatures);
      squares = choose(better, square, squares);
      curvatures = choose(better, curvature, curvatures);
    }
    Wide score = squares / curvatures;
    for (; j < end; ++j) {
      const double other = unit ? 1.0 : static_cast<double>(range.diagonal[j]);
      score = larger(score, all(partner_score(range.responses[j], range.alpha[j], other, static_cast<double>(x[j]),
                                              range.C, positive ? 1.0 : -1.0, top, diagonal)));
    }
    return score;
  });
  return leader.best(0.0);
}

Best best_partner(const DualRange& range, const float* x, double sign, double top, double diagonal) {
  if (range.diagonal == nullptr) {
    return sign > 0.0 ? best_partner_of<true, true>(range, x, top, diagonal)
                      : best_partner_of<true, false>(range, x, top, diagonal);
  }
  return sign > 0.0 ? best_partner_of<false, true>(range, x, top, diagonal)
                    : best_partner_of<false, false>(range, x, top, diagonal);
}

ViolatingPair violating_pair(const double* gradients, const double* alpha, const double* low, double C, std::size_t n) {
  const Wide box = all(C);
  const Wide zero = all(0.0);
  const Wide nothing = all(-DBL_MAX);
  const Wide nowhere = all(static_cast<double>(n));
  Leader rising{nothing, nowhere};  // a block is a vector here
  Leader falling{nothing, nowhere};
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    const Wide gradient = load(gradients + j);
    const Wide value = load(alpha + j);
    const Wide bound = load(low + j);
    rising.offer(choose(value < bound + box, gradient, nothing), j);
    falling.offer(choose(bound < value, zero - gradient, nothing), j);
  }
  ViolatingPair pair = {-DBL_MAX, DBL_MAX, n, n};
  const auto first = [](const Leader& leader, double& best, std::size_t& index) {
    double scores[lanes];
    double numbers[lanes];
    store(scores, leader.score);
    store(numbers, leader.block_number);
    for (std::size_t l = 0; l < lanes; ++l) {
      const auto place = static_cast<std::size_t>(numbers[l]) + l;
      if (scores[l] > best || (scores[l] == best && place < index)) {
        best = scores[l];
        index = place;
      }
    }
  };
  double steepest = -DBL_MAX;
  first(rising, pair.top, pair.rising);
  first(falling, steepest, pair.falling);
  pair.bottom = -steepest;
  for (; j < n; ++j) {
    if (gradients[j] > pair.top && alpha[j] < low[j] + C) {
      pair.top = gradients[j];
      pair.rising = j;
    }
    if (gradients[j] < pair.bottom && alpha[j] > low[j]) {
      pair.bottom = gradients[j];
      pair.falling = j;
    }
  }
  return pair;
}

}  // namespace

void set_dual_loops(Loops& table) {
  table.add_and_best_gain = add_and_best_gain;
  table.gain = gain;
  table.add_two_and_best_up = add_two_and_best_up;
  table.best_partner = best_partner;
  table.partner_score = partner_score;
  table.violating_pair = violating_pair;
}

}  // namespace svm::simd::SVM_SIMD_NAME
