from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from pictures import render
from PIL import Image

from svm_cost_curves.experiments import curve
from svm_cost_curves.experiments.papers.layout import draw_band
from svm_cost_curves.experiments.plotting import (
    STYLES,
    MeanCurve,
    NothingToDrawError,
    Picture,
    curves_picture,
    draw_panel,
    interesting_range,
    legend_row,
    mean_curves,
    own_settings,
    styles_for,
)
from svm_cost_curves.experiments.plotting.bands import Band, median_band
from svm_cost_curves.experiments.plotting.legend import spread
from svm_cost_curves.experiments.plotting.panel import from_common_start

N = 1000


def run(seed: int, *, level: float = 0.15, per_iteration: int = N, epoch: int = N) -> pd.DataFrame:
    noise = np.random.default_rng(seed).normal(size=40)
    iterations = np.unique(np.geomspace(1, 10 * N, 40).astype(int))
    rows = [
        {
            "iterations": int(count),
            "kernel_evaluations": int(count) * per_iteration,
            "epochs": count / epoch,
            "test_error": level + 0.4 * count**-0.5 + 0.01 * noise[i] * count**-0.3,
            "cpu_seconds": count * 1e-4,
        }
        for i, count in enumerate(iterations)
    ]
    return curve.from_rows(rows)


def draw(path: Path, curves: dict[str, list[pd.DataFrame]], **options: Any) -> bytes:
    arguments: dict[str, Any] = {"title": "Digits", "small_print": "commit abc; python3 run.py algo=sbp", **options}
    curves_picture(curves, **arguments).save(path)
    return path.read_bytes()


def drawn(picture: Picture) -> Figure:
    with own_settings():
        figure = Figure(figsize=picture.size)
        FigureCanvasAgg(figure)
        picture.draw(figure)
    return figure


@pytest.fixture(scope="module")
def five() -> dict[str, list[pd.DataFrame]]:
    names = ("sbp", "pegasos", "sdca", "smo", "perceptron")
    return {name: [run(seed, level=0.14 + 0.01 * i) for seed in range(3)] for i, name in enumerate(names)}


def test_same_curves_same_bytes_whatever_the_user_s_settings(
    tmp_path: Path, five: dict[str, list[pd.DataFrame]]
) -> None:
    first = draw(tmp_path / "new" / "a.png", five)
    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"lines.linewidth": 9, "font.size": 30, "axes.facecolor": "black"}):
        second = draw(tmp_path / "new" / "b.png", five)
    assert first == second
    assert len(first) < 300_000
    assert dict(matplotlib.rcParams) == before
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["a.png", "b.png"]
    with Image.open(tmp_path / "new" / "a.png") as image:
        assert image.width == 1350  # 9 inches of 150 pixels
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []


def test_awkward_input_is_drawn(tmp_path: Path) -> None:
    one_point = curve.from_rows([{"iterations": 5, "kernel_evaluations": 0, "test_error": 0.5}])
    later = curve.from_rows([{"iterations": 5, "kernel_evaluations": 7, "test_error": 0.0}])
    uncounted = run(1).assign(kernel_evaluations=pd.array([None] * len(run(1)), dtype="Int64"))
    curves = {"sbp": [later], "libsvm": [uncounted], "$odd_{label": [run(2)], "smo": []}
    draw(tmp_path / "a.png", curves, title="cost $5, and a % " * 12, small_print="")
    with pytest.raises(NothingToDrawError):
        draw(tmp_path / "b.png", {"libsvm": [uncounted], "sbp": [one_point]})
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_coloured_curves_are_before_pale_ones_and_have_the_only_band(five: dict[str, list[pd.DataFrame]]) -> None:
    made = curves_picture(five, title="", small_print="", coloured=["sbp"], sentence="SBP is first.", level=0.16)
    figure = drawn(made)
    (axes,) = figure.axes
    middles = {line.get_color(): line for line in axes.lines if len(line.get_xdata()) > 30}
    assert set(middles) == {STYLES["sbp"].color, *(STYLES[name].pale.color for name in five if name != "sbp")}
    assert list(middles)[-1] == STYLES["sbp"].color
    values = 100 * np.array([frame["test_error"] for frame in five["sbp"]])
    np.testing.assert_allclose(middles[STYLES["sbp"].color].get_ydata(), values.mean(axis=0))
    assert len(axes.collections) == 1
    assert [16.0, 16.0] in [list(line.get_ydata()) for line in axes.lines]
    said = [text.get_text() for text in figure.texts]
    assert said == ["SBP is first.", "Mean of 3 runs, band of SBP: one standard deviation"]


@given(st.lists(st.text(max_size=5) | st.sampled_from(sorted(STYLES)), unique=True, max_size=8))
def test_styles_differ_and_do_not_depend_on_order(labels: list[str]) -> None:
    styles = styles_for(labels)
    assert styles == styles_for(reversed(labels))
    assert set(styles) == set(labels)
    assert len({style.color for style in styles.values()}) == len(labels)
    assert len({style.marker for style in styles.values()}) == len(labels)
    for label in labels:
        if label in STYLES:
            assert styles[label] == STYLES[label]


def test_styles_differ_in_grey() -> None:
    assert len({style.marker for style in STYLES.values()}) == len(STYLES)
    assert styles_for(["fourier 64"])["fourier 64"].color == STYLES["fourier"].color
    assert styles_for(["fourier 64"])["fourier 64"].name == "fourier 64"


@given(st.lists(st.floats(0, 1), max_size=15), st.floats(0.001, 0.3))
def test_spread_keeps_order_gap_and_limits(positions: list[float], gap: float) -> None:
    moved = spread(positions, gap, 0.0, 1.0)
    room = min(gap, 1 / max(len(positions) - 1, 1))
    order = np.argsort(positions, kind="stable")
    assert (np.diff(np.array(moved)[order]) >= room - 1e-9).all()
    assert all(-1e-9 <= value <= 1 + 1e-9 for value in moved)


def test_the_range_is_cut_only_where_a_curve_is_bad_for_a_while() -> None:
    cost = np.geomspace(1, 1e6, 60)
    good = 0.15 + 0.1 * np.exp(-np.arange(60) / 15)
    low, _ = interesting_range([(cost, good)])
    assert low < good.min()
    bad = np.where(np.arange(60) < 8, 0.9, good)
    low_cut, high_cut = interesting_range([(cost, good), (cost, bad)])
    assert high_cut < 0.5
    assert high_cut > 0.2
    assert low_cut < 0.15 + 0.1 * np.exp(-59 / 15)
    flat_low, flat_high = interesting_range([(cost, np.full(60, 0.2))])
    assert flat_low < 0.2 < flat_high


@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=30), min_size=1, max_size=4))
def test_the_range_holds_the_best_value_and_is_never_empty(series: list[list[float]]) -> None:
    pairs = [(np.geomspace(1, 10.0 ** len(values), len(values)), np.array(values)) for values in series]
    low, high = interesting_range(pairs)
    assert low < high
    assert low <= min(min(values) for values in series)


def test_a_mean_curve_is_the_mean_of_the_runs_and_knows_their_first_epoch() -> None:
    runs = [run(seed, epoch=500 * (seed + 1)) for seed in range(2)]
    curve_of = mean_curves({"perceptron": runs, "smo": []}, cost="kernel_evaluations")
    assert list(curve_of) == ["perceptron"]
    mean = curve_of["perceptron"]
    errors = np.array([frame["test_error"] for frame in runs])
    assert mean.mean == pytest.approx(errors.mean(axis=0))
    assert mean.sd == pytest.approx(errors.std(axis=0, ddof=1))
    assert mean.runs == 2
    iterations = runs[0]["iterations"].to_numpy()
    ends = [iterations[iterations >= 500][0] * N, iterations[iterations >= 1000][0] * N]
    assert mean.first_epoch == pytest.approx(np.mean(ends))
    band = mean.band.times(100).costing(2)
    assert band.cost == pytest.approx(2 * mean.cost)
    assert band.middle == pytest.approx(100 * mean.mean)
    assert band.middle - band.low == pytest.approx(100 * mean.sd)
    assert band.high - band.middle == pytest.approx(100 * mean.sd)
    assert band.first_epoch == pytest.approx(2 * np.mean(ends))


@given(st.lists(st.lists(st.floats(0, 1), min_size=5, max_size=5), min_size=1, max_size=9))
def test_a_quarter_of_the_runs_is_below_the_band_of_a_median_and_a_quarter_above(errors: list[list[float]]) -> None:
    frames = [
        curve.from_rows([{"iterations": k + 1, "test_error": error} for k, error in enumerate(run)]) for run in errors
    ]
    band = median_band(frames, cost="iterations", measure="test_error")
    values = np.array(errors)
    for share, limit in ((0.25, band.low), (0.5, band.middle), (0.75, band.high)):  # between two runs: one more
        assert (np.sum(values < limit - 1e-12, axis=0) <= share * (len(errors) - 1) + 1).all()
        assert (np.sum(values > limit + 1e-12, axis=0) <= (1 - share) * (len(errors) - 1) + 1).all()
    assert median_band([], cost="iterations", measure="test_error") is None


def test_the_common_start_is_the_last_first_cost_or_the_middle_of_all_costs() -> None:
    early = (np.array([1.0, 10.0, 100.0, 1e4]), np.array([9.0, 8.0, 7.0, 6.0]))
    late = (np.array([50.0, 500.0]), np.array([5.0, 4.0]))
    cut = from_common_start([early, late])
    assert cut[0][0].tolist() == [50.0, 100.0, 1e4]
    assert cut[0][1].tolist() == [8.0, 7.0, 6.0]
    assert cut[1][0].tolist() == [50.0, 500.0]
    very_late = (np.array([9e3]), np.array([1.0]))
    cut = from_common_start([early, very_late])
    assert cut[0][0].tolist() == [100.0, 1e4]  # the middle of 1 and 10,000
    assert cut[1] == very_late
    over = (np.array([1.0, 2.0]), np.array([3.0, 2.5]))
    assert from_common_start([over, late])[0][1].tolist() == [2.5]


def mean(cost: list[float], values: list[float], sd: float = 0.0) -> Band:
    return MeanCurve(np.array(cost), np.array(values), np.full(len(cost), sd), 2, None).band


def test_a_panel_for_comparison_shows_where_all_curves_are() -> None:
    costs = list(np.geomspace(1, 1e8, 81))
    cheap = mean(costs, [0.9 if cost < 1e3 else 0.2 + 0.01 * (cost < 1e5) for cost in costs])
    dear = mean(costs[60:], [0.25 - 0.002 * i for i in range(21)])
    means = {"pegasos": cheap, "sbp": dear}
    styles = styles_for(means)
    plain, compared = (Figure().add_subplot() for _ in range(2))
    full = draw_panel(plain, means, styles, cost="kernel_evaluations", measure="test_error")
    drawn = draw_panel(compared, means, styles, cost="kernel_evaluations", measure="test_error", compared=True)
    assert plain.get_xlim()[0] < 1
    assert compared.get_xlim()[0] == pytest.approx(1e3 / 1.15)
    assert compared.get_ylim()[1] < 30
    assert drawn.bands["sbp"].middle == pytest.approx(100 * dear.middle)
    assert drawn.cut == "axis cut: curves go up to 90 %"
    assert set(full.bands) == set(means)


def test_a_curve_that_leaves_a_compared_panel_has_a_gap() -> None:
    """The first descent into the panel is drawn; a later excursion is not."""
    values = [0.9, 0.9, 0.2, 0.9, 0.2, 0.2, 0.2, 0.2, 0.2, 0.19]
    means = {"sbp": mean([10.0**k for k in range(10)], values), "smo": mean([1e2, 1e9], [0.25, 0.2])}
    for compared, gaps in ((True, [3]), (False, [])):
        drawn = np.asarray(panel(means, compared=compared).get_lines()[0].get_ydata(), dtype=float)
        assert np.flatnonzero(np.isnan(drawn)).tolist() == gaps


def panel(curves: dict[str, Band], **options: bool) -> Axes:
    axes = Figure().add_subplot()
    draw_panel(axes, curves, styles_for(curves), cost="kernel_evaluations", measure="test_error", **options)
    return axes


def test_only_the_perceptron_is_dashed_after_its_first_epoch() -> None:
    for label, end, dashed in (("perceptron", 10.0, [10, 100]), ("perceptron", None, [100]), ("sbp", 10.0, [100])):
        curve = replace(mean([1, 10, 100], [0.3, 0.2, 0.1]), first_epoch=end)
        lines = panel({label: curve}).get_lines()
        assert [list(line.get_xdata()) for line in lines if line.is_dashed()] == [dashed]


def test_curves_and_bands_are_steps() -> None:
    """Between two evaluations the earlier value holds: at cost 9 of a curve that falls at 10, nothing has fallen."""
    means = {"sbp": mean([1, 10, 100], [0.3, 0.2, 0.1], sd=0.01)}
    axes = panel(means)
    lines = [line for line in axes.get_lines() if line.get_linestyle() != "None"]
    assert {line.get_drawstyle() for line in lines} == {"steps-post"}
    (band,) = axes.collections
    corners = {(round(x, 9), round(y, 9)) for x, y in band.get_paths()[0].vertices}
    assert {(1, 31), (10, 31), (10, 21), (100, 21), (1, 29), (10, 29), (10, 19), (100, 19)} <= corners
    assert list(panel(means, bands=False).collections) == []


def test_a_papers_curves_against_cost_are_steps_and_those_against_sizes_are_not() -> None:
    values = np.array([0.3, 0.2])
    band = Band(np.array([1.0, 10.0]), values, values - 0.1, values + 0.1, 3)
    for steps, style, corners in ((True, "steps-post", {(10.0, 0.4)}), (False, "default", set())):
        axes = Figure().add_subplot()
        draw_band(axes, band, STYLES["sbp"], steps=steps)
        assert axes.get_lines()[0].get_drawstyle() == style
        (area,) = axes.collections
        assert {(x, round(y, 9)) for x, y in area.get_paths()[0].vertices} & {(10.0, 0.4)} == corners


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("count", [2, 5, 20])
def test_names_are_inside_the_picture_and_do_not_overlap(in_order: bool, count: int) -> None:
    """`render` fails on texts that overlap or are cut."""
    settings = ("variant=aggressive batch_size=1024 lambda=0.000123456789", "x" * 60, "a $ of money")
    names = [f"method {i} {settings[i % 3]}" for i in range(count)]
    curves = {name: [run(i, level=0.1 + 0.001 * (7 * i % 5)).assign(gap=0.1)] for i, name in enumerate(names)}
    picture = curves_picture(curves, measure="gap", title="", small_print="", in_order=in_order)
    render(picture)
    (axes,) = drawn(picture).axes
    names_of = {re.sub(r"\s", "", text.get_text()): text for text in axes.texts if text.get_text()}
    assert set(names_of) == {name.replace(" ", "") for name in names}
    heights = [names_of[name.replace(" ", "")].get_position()[1] for name in names]
    assert not in_order or heights == sorted(heights, reverse=True)
    assert axes.get_position().width > 0.5


def test_one_row_of_names_serves_several_panels() -> None:
    figure = Figure()
    for dashed, name in ((True, "Perceptron (dashed after its first epoch)"), (False, "Perceptron")):
        legend = legend_row(figure, [STYLES["perceptron"], STYLES["sbp"]], (0.1, 1.0), dashed=dashed)
        assert [text.get_text() for text in legend.get_texts()] == [name, "SBP"]
    assert legend_row(Figure(), [], (0.0, 1.0)).get_texts() == []


def names_of_costs(first: float, last: float) -> list[str]:
    """Labels below an axis for costs from the first to the last, of ticks between them."""
    axes = panel({"sbp": mean([first, last], [0.2, 0.1])})
    axes.get_figure().draw_without_rendering()
    ticks = [*axes.xaxis.get_major_ticks(), *axes.xaxis.get_minor_ticks()]
    shown = [tick.label1.get_text() for tick in ticks if first <= tick.get_loc() <= last]
    return [name for name in shown if name]


def test_tick_labels_of_many_and_of_few_decades() -> None:
    assert names_of_costs(1.0, 1e6) == ["10⁰", "10¹", "10²", "10³", "10⁴", "10⁵", "10⁶"]
    assert names_of_costs(2e-12, 3e-9) == ["10⁻¹¹", "10⁻¹⁰", "10⁻⁹"]
    assert names_of_costs(1.0, 1e9) == ["10⁰", "10²", "10⁴", "10⁶", "10⁸"]
    assert len(names_of_costs(3.1e8, 5.2e8)) >= 2
