"use strict";
// Arithmetic on curves {x: costs, y: values}, step functions: between two evaluations the last value holds.

// Values of a curve at increasing costs: the last one known at or before each; NaN before the first.
function valuesAt(curve, costs) {
  let i = -1;
  return costs.map(cost => {
    while (i + 1 < curve.x.length && curve.x[i + 1] <= cost) i++;
    return i < 0 ? NaN : curve.y[i];
  });
}

// The part of a curve that a logarithmic axis can show.
function positive({ x, y }) {
  return { x: x.filter(cost => cost > 0), y: y.filter((_, i) => x[i] > 0) };
}

// At most `most` points of a curve, evenly spread, first and last included.
function sparse(curve, most) {
  const last = curve.x.length - 1;
  if (last < most) return curve;
  const chosen = Array.from({ length: most }, (_, i) => Math.round(i * last / (most - 1)));
  return { ...curve, x: chosen.map(i => curve.x[i]), y: chosen.map(i => curve.y[i]) };
}

function geometric(low, high, count) {
  const shift = low <= 0 ? 1 : 0, ratio = Math.log((high + shift) / (low + shift)) / (count - 1);
  const grid = Array.from({ length: count }, (_, i) => (low + shift) * Math.exp(ratio * i) - shift);
  grid[0] = low;
  grid[count - 1] = high;
  return grid;
}

// All different costs of the evaluations, from where all curves have begun.
function sharedCosts(curves) {
  const begin = Math.max(...curves.map(({ x }) => x[0]));
  return [...new Set(curves.flatMap(({ x }) => x))].filter(cost => cost >= begin).sort((a, b) => a - b);
}

// The value below which a share of the values lies, linear between two of them.
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b), place = share * (sorted.length - 1), low = Math.floor(place);
  const next = sorted[Math.min(low + 1, sorted.length - 1)];
  return place === low || sorted[low] === next ? sorted[low] : sorted[low] + (place - low) * (next - sorted[low]);
}

const median = values => quantile(values, 0.5);

// Mean, and one standard deviation (divisor runs - 1) to either side.
function meanAndSpread(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const sd = values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0;
  return [mean, mean - sd, mean + sd];
}

const STATISTICS = { mean: meanAndSpread, median: values => [0.5, 0.25, 0.75].map(share => quantile(values, share)) };

// Mean or median over runs, and their spread, from the first positive cost on; null if no point is left.
function summary(curves, statistic) {
  const kept = statistic === "median" ? curves.map(positive).filter(curve => curve.x.length) : curves;
  if (!kept.length) return null;
  const grid = sharedCosts(kept), values = kept.map(curve => valuesAt(curve, grid));
  const result = { x: [], y: [], low: [], high: [], runs: kept.length };
  grid.forEach((cost, k) => {
    const own = values.map(row => row[k]);
    if (!(cost > 0) || own.some(Number.isNaN)) return;
    const [middle, low, high] = STATISTICS[statistic](own);
    result.x.push(cost);
    result.y.push(middle);
    result.low.push(low);
    result.high.push(high);
  });
  return result.x.length ? result : null;
}

// The cost of the first evaluation that meets the target, or with `stays` of the first from which all do; else Infinity.
// A value meets a target that it misses by rounding.
function costToReach(curve, target, rises, stays) {
  const misses = value => (rises ? target - value : value - target) > 1e-9 * Math.abs(target);
  const i = stays ? curve.y.findLastIndex(misses) + 1 : curve.y.findIndex(value => !misses(value));
  return i < 0 || i === curve.y.length ? Infinity : curve.x[i];
}

// The vertical range that shows where the curves differ, without their worst beginnings.
function detail(curves) {
  const ends = curves.map(curve => curve.y[curve.y.length - 1]);
  const sampled = curves.map(curve => valuesAt(curve, geometric(curve.x[0], curve.x[curve.x.length - 1], 100)).sort((a, b) => a - b));
  const low = Math.min(...sampled.map(values => values[0])), top = Math.max(...sampled.map(values => values[99]));
  const usual = sampled.map(values => values[89]).sort((a, b) => a - b)[(curves.length - 1) >> 1];
  let high = Math.max(usual, ...ends.filter(end => end - low <= 3 * (usual - low)));
  high += 0.2 * (high - low);
  if (top - low <= 1.5 * (high - low)) high = top;
  const margin = 0.06 * (high - low) || 0.05 * Math.abs(high) || 0.01;
  return [low - margin, high + margin];
}
