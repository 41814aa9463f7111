from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.experiments import curve
from svm_cost_curves.experiments.curve import CurveError

finite = st.floats(-1e6, 1e6)
costs = st.lists(st.integers(1, 10**12), min_size=1, max_size=60).map(sorted)


def make(iterations: list[int], **columns: list[Any]) -> pd.DataFrame:
    rows = [
        {"iterations": count, **{name: values[i] for name, values in columns.items()}}
        for i, count in enumerate(iterations)
    ]
    return curve.from_rows(rows)


@st.composite
def curves(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    cost = draw(costs)
    value = draw(st.lists(finite, min_size=len(cost), max_size=len(cost)))
    return np.array(cost, dtype=float), np.array(value)


def test_columns_and_dtypes_are_fixed_even_without_rows() -> None:
    for frame in (curve.from_rows([]), make([1, 2], test_error=[0.5, None], kernel_evaluations=[None, None])):
        assert tuple(frame.columns) == curve.COLUMNS
        assert [str(dtype) for dtype in frame.dtypes] == ["Int64"] * 6 + ["float64"] * 15


def test_large_counts_are_exact() -> None:
    counts = [2**53 + 1, 2**53 + 2, 2**63 - 1]
    assert make(counts)["iterations"].tolist() == counts


@given(st.lists(st.tuples(st.integers(0, 2**62), finite | st.none()), max_size=20))
def test_parquet_gives_the_curve_back(points: list[tuple[int, float | None]]) -> None:
    import io

    points.sort(key=lambda point: point[0])
    frame = make([count for count, _ in points], test_error=[error for _, error in points])
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    pd.testing.assert_frame_equal(curve.conform(pd.read_parquet(buffer)), frame)


def test_a_measure_that_overflowed_is_missing_but_a_cost_must_be_a_number() -> None:
    frame = make([1, 2, 3], primal=[math.inf, math.nan, 1.0])
    assert frame["primal"].isna().tolist() == [True, True, False]
    with pytest.raises(CurveError, match="cpu_seconds of the curve is infinite in row 1"):
        make([1, 2], cpu_seconds=[0.0, math.inf])
    with pytest.raises(CurveError, match="cpu_seconds is missing in row 1"):
        make([1, 2], cpu_seconds=[0.0, math.nan])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"iterations": 1, "tset_error": 1.0}], "the curve has the unknown column 'tset_error'"),
        ([{"iterations": 2}, {"iterations": 1}], "iterations goes down from 2 to 1 in row 1"),
        ([{"iterations": 2**53 + 1}, {"iterations": 2**53}], "iterations goes down"),
        ([{"iterations": -1}], "iterations is negative in row 0"),
        ([{"iterations": 2**63}], "wrong type"),
        ([{"iterations": 1.5}], "must be an integer"),
        ([{"iterations": 1.0}], "must be an integer"),
        ([{"iterations": True}], "must be an integer"),
        ([{"iterations": np.bool_(True)}], "must be an integer"),
        ([{"iterations": "many"}], "must be an integer"),
        ([{"test_error": 1.0}], "iterations must not be missing|iterations of the curve must not be missing"),
        ([{"iterations": 1, "kernel_evaluations": 1}, {"iterations": 2}], "kernel_evaluations is missing in row 1"),
        ([{"iterations": 1, "wall_seconds": -0.5}], "wall_seconds is negative in row 0"),
    ],
)
def test_what_is_not_a_curve_is_refused(rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(CurveError, match=message):
        curve.from_rows(rows)


def test_validate_looks_at_columns_and_dtypes() -> None:
    frame = make([1, 2])
    with pytest.raises(CurveError, match="a curve has the columns"):
        curve.validate(frame[list(reversed(frame.columns))])
    with pytest.raises(CurveError, match="must be Int64"):
        curve.validate(frame.astype({"iterations": "int64"}))


def test_conform_fills_in_columns_of_later_versions_and_refuses_others() -> None:
    old = make([1, 2], test_error=[0.5, 0.4]).drop(columns=["gap", "presentations"])
    pd.testing.assert_frame_equal(curve.conform(old), make([1, 2], test_error=[0.5, 0.4]))
    with pytest.raises(CurveError, match="unknown column 'x'"):
        curve.conform(old.assign(x=1))
    with pytest.raises(CurveError, match="wrong type"):
        curve.conform(old.assign(test_error=["a", "b"]))


@given(costs, st.integers(2, 40))
def test_thinning_keeps_ends_order_and_limit(iterations: list[int], limit: int) -> None:
    frame = make(iterations, primal=[float(i) for i in range(len(iterations))])
    thinned = curve.thin(frame, limit=limit)
    kept = thinned["primal"].tolist()
    assert len(kept) <= limit
    assert kept == sorted(set(kept))
    assert kept[0] == 0
    assert kept[-1] == len(iterations) - 1
    assert len(frame) > limit or len(thinned) == len(frame)
    curve.validate(thinned)


def test_thinning_is_geometric() -> None:
    iterations = list(range(1, 100_001))
    kept = curve.thin(make(iterations), limit=300)["iterations"].to_numpy(dtype=float)
    decades = np.histogram(np.log10(kept), bins=[2, 3, 4, 5])[0]
    assert 200 < len(kept) <= 300
    assert decades.max() - decades.min() <= 2


def test_thinning_spreads_over_kernel_evaluations_where_they_are_counted() -> None:
    frame = make([1, 2, 3, 4], kernel_evaluations=[1, 2000, 3000, 10**6])
    assert curve.step_cost(frame) == "kernel_evaluations"
    assert curve.thin(frame, limit=3)["iterations"].tolist() == [1, 2, 4]
    assert curve.step_cost(make([1])) == "iterations"


@given(curves(), st.lists(st.floats(0, 1e13), max_size=20))
def test_value_at_is_the_last_value_at_or_before(points: tuple[np.ndarray, np.ndarray], at: list[float]) -> None:
    cost, value = points
    for asked, got in zip(at, curve.value_at(cost, value, at), strict=True):
        before = value[cost <= asked]
        assert math.isnan(got) if not len(before) else got == before[-1]


def test_value_at_skips_missing_and_refuses_disorder() -> None:
    assert curve.value_at([1, 2, 3], [0.5, math.nan, 0.3], [2.5, 3]).tolist() == [0.5, 0.3]
    assert np.isnan(curve.value_at([], [], [1.0])).all()
    with pytest.raises(ValueError, match="non-decreasing"):
        curve.value_at([2, 1], [0, 0], [1])
    with pytest.raises(ValueError, match="one length"):
        curve.value_at([1, 2], [0], [1])


@given(st.lists(finite, max_size=20), st.lists(st.lists(finite, min_size=3, max_size=3), max_size=3), st.booleans())
def test_the_first_value_at_or_below_each_target(
    values: list[float], targets: list[list[float]], settled: bool
) -> None:
    """Targets are any numbers, and the values themselves."""
    asked = np.array([*targets, (values * 3)[:3]] if values else targets).reshape(-1, 3)
    places = curve.first_at_or_below(values, asked, settled=settled)
    assert places.shape == asked.shape
    for place, target in zip(places.ravel(), asked.ravel(), strict=True):
        met = [value <= target + curve.ROUNDING * abs(target) for value in values]
        from_there = [all(met[k:]) if settled else met[k] for k in range(len(met))]
        assert place == (from_there.index(True) if any(from_there) else len(values))
        assert curve.first_at_or_below(values, target, settled=settled) == place


@given(st.lists(st.lists(finite, min_size=4, max_size=4), min_size=1, max_size=4), st.lists(finite), st.booleans())
def test_several_curves_are_searched_one_by_one(curves: list[list[float]], targets: list[float], settled: bool) -> None:
    places = [curve.first_at_or_below(values, targets, settled=settled) for values in curves]
    assert (curve.first_at_or_below(curves, targets, settled=settled) == places).all()
    target_rows = np.array([[*targets, values[2]] for values in curves])
    places = [curve.first_at_or_below(*pair, settled=settled) for pair in zip(curves, target_rows, strict=True)]
    assert (curve.first_at_or_below(curves, target_rows, settled=settled) == places).all()


def test_a_value_above_the_target_in_its_last_bits_is_at_it() -> None:
    total = 0.1 + 0.2
    assert total > 0.3
    for value, target in ((total, 0.3), (-0.3, -total), (0.0, 0.0)):
        assert curve.first_at_or_below([1.0, math.inf, value], target) == 2
    above = 0.3 * (1 + 3e-9)
    assert curve.first_at_or_below([above, 0.3], [0.3, above]).tolist() == [1, 0]
    assert curve.first_at_or_below([1e-300], 0.0) == 1
    assert curve.first_at_or_below([0.1, 0.4, 0.2, total], [0.3, 0.1, 0.4], settled=True).tolist() == [2, 4, 0]


def test_no_values_are_at_or_below_no_target() -> None:
    for settled in (False, True):
        assert curve.first_at_or_below([], 1.0, settled=settled) == 0
        assert curve.first_at_or_below([], np.ones((2, 3)), settled=settled).tolist() == [[0] * 3] * 2
        assert curve.first_at_or_below([2.0], [], settled=settled).shape == (0,)
        assert curve.first_at_or_below([2.0], [math.nan, math.inf], settled=settled).tolist() == [1, 0]


def test_error_area_of_a_known_curve() -> None:
    # 0.4 over the first decade, 0.2 over the second, 0.1 over the third
    assert curve.error_area([1, 10, 100], [0.4, 0.2, 0.1], 1, 1000) == pytest.approx(0.7 / 3)
    assert curve.error_area([1, 10, 100], [0.4, 0.2, 0.1], 10, 100) == pytest.approx(0.2)
    # one and a half decades: half of the first, all of the second
    assert curve.error_area([1, 10, 100], [0.4, 0.2, 0.1], math.sqrt(10), 100) == pytest.approx((0.2 + 0.2) / 1.5)


@given(curves(), st.floats(1.001, 1e6), st.floats(1.001, 1e6), st.floats(0, 100))
def test_error_area_adds_up_and_is_a_mean(
    points: tuple[np.ndarray, np.ndarray], first: float, second: float, shift: float
) -> None:
    cost, value = points
    low = cost[0]
    middle, high = low * first, low * first * second
    whole = curve.error_area(cost, value, low, high)
    parts = [
        curve.error_area(cost, value, *limits) * math.log(limits[1] / limits[0])
        for limits in ((low, middle), (middle, high))
    ]
    assert whole * math.log(high / low) == pytest.approx(sum(parts), rel=1e-9, abs=1e-3)
    assert value.min() - 1e-6 <= whole <= value.max() + 1e-6
    assert curve.error_area(cost, value + shift, low, high) == pytest.approx(whole + shift, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize(("low", "high"), [(0, 10), (10, 10), (10, 5), (5, math.inf), (math.nan, 3)])
def test_error_area_refuses_bad_limits(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="0 < low < high"):
        curve.error_area([1], [0.5], low, high)


def test_error_area_needs_a_value_at_the_lower_limit() -> None:
    with pytest.raises(ValueError, match="begins at cost 10: no error is known at the lower limit 1"):
        curve.error_area([10, 20], [0.5, 0.4], 1, 15)
    with pytest.raises(ValueError, match="is empty"):
        curve.error_area([], [], 1, 15)


def test_mean_over_runs_on_shared_and_on_different_evaluations() -> None:
    frames = [make([1, 10, 100], test_error=errors) for errors in ([0.5, 0.4, 0.3], [0.3, 0.2, 0.1])]
    mean = curve.mean_over_runs(frames, cost="iterations", measure="test_error")
    assert mean["cost"].tolist() == [1, 10, 100]
    assert mean["mean"].tolist() == pytest.approx([0.4, 0.3, 0.2])
    assert mean["sd"].tolist() == pytest.approx([math.sqrt(0.02)] * 3)
    assert mean["runs"].tolist() == [2, 2, 2]
    # on others it begins where all are known, and holds the last value
    frames = [make([1, 4], test_error=[0.5, 0.1]), make([2, 100], test_error=[0.3, 0.1])]
    mean = curve.mean_over_runs(frames, cost="iterations", measure="test_error")
    assert mean["cost"].tolist() == [2, 4, 100]
    assert mean["mean"].tolist() == pytest.approx([0.4, 0.2, 0.1])


def test_mean_over_runs_leaves_out_runs_without_the_measure() -> None:
    frames = [make([1, 2], test_error=[0.5, 0.4]), make([1, 2])]
    mean = curve.mean_over_runs(frames, cost="iterations", measure="test_error")
    assert mean["runs"].tolist() == [1, 1]
    assert mean["sd"].tolist() == [0, 0]
    assert curve.mean_over_runs(frames, cost="kernel_evaluations", measure="test_error").empty
    assert curve.mean_over_runs([], cost="iterations", measure="test_error").empty


@given(st.lists(costs, min_size=1, max_size=4))
def test_shared_costs_are_those_of_all_evaluations_from_where_every_run_is_known(runs: list[list[int]]) -> None:
    shared = curve.shared_costs([(np.array(run, dtype=float), np.zeros(len(run))) for run in runs])
    begin = max(run[0] for run in runs)
    assert shared.tolist() == sorted({cost for run in runs for cost in run if cost >= begin})
