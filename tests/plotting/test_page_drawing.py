"""Drawings and counts of an interactive page, in a real browser."""

from __future__ import annotations

import statistics
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_cases import HOSTILE, LINES, SEEDS, curve, curves, opened_page

from svm_cost_curves.experiments.curve import column, cost_to_reach, cost_to_stay, known_points, mean_over_runs
from svm_cost_curves.experiments.plotting import Style, styles_for
from svm_cost_curves.experiments.plotting.bands import band
from svm_cost_curves.experiments.plotting.interactive import Curves, RunCurve, Swept


@pytest.mark.parametrize("cost", ["kernel_evaluations", "cpu_seconds"])
def test_means_and_medians_are_those_of_the_static_picture(page: Any, cost: str) -> None:
    page.select_option("#cost", cost)
    for k, name in enumerate(("sbp", "pegasos", HOSTILE)):
        mean = page.evaluate("k => summary(shown().all[k].curves, 'mean')", k)
        exact = mean_over_runs(curves("adult", name), cost=cost, measure="test_error")
        np.testing.assert_allclose(mean["x"], np.unique([float(f"{place:.5g}") for place in exact["cost"]]), rtol=1e-12)
        # the page has costs of five digits: beyond the rounding an evaluation counts on both sides
        expected = exact.iloc[np.searchsorted(exact["cost"], np.multiply(mean["x"], 1 + 5e-5), side="right") - 1]
        assert np.isclose(mean["y"], expected["mean"], rtol=1e-3).mean() > 0.9
        assert np.isclose(np.subtract(mean["high"], mean["y"]), expected["sd"], atol=3e-5).mean() > 0.9
        drawn = page.evaluate(f"k => {LINES}[k].y", k)
        np.testing.assert_allclose(drawn, 100 * np.array(mean["y"]), rtol=1e-12)
        median = page.evaluate("k => summary(shown().all[k].curves, 'median')", k)
        quartiles = band([known_points(run, cost, "test_error") for run in curves("adult", name)], tail=0.25)
        rows = np.searchsorted(quartiles.cost, np.multiply(median["x"], 1 + 5e-5), side="right") - 1
        for key, wanted in (("y", quartiles.middle), ("low", quartiles.low), ("high", quartiles.high)):
            assert np.isclose(median[key], wanted[rows], rtol=1e-3).mean() > 0.9


def test_arithmetic(page: Any) -> None:
    step = "({x: [1, 10, 100, 1000], y: [3, 2, 3, 1]})"
    assert page.evaluate(f"valuesAt({step}, [0.5, 1, 9, 10, 1e9]).slice(1)") == [3, 3, 2, 1]
    assert page.evaluate(f"Number.isNaN(valuesAt({step}, [0.5])[0])")
    first = [f"costToReach({step}, {target}, {rises})" for target, rises in ((2, "false"), (2.5, "false"), (3, "true"))]
    stays = [f"costToReach({step}, {target}, false, true)" for target in (2, 3, 1)]
    assert page.evaluate(f"[{', '.join(first + stays)}]") == [10, 10, 1, 1000, 1, 1000]
    assert page.evaluate(
        f"[false, true].map(stays => costToReach({step}, 0.5, false, stays)).every(c => c === Infinity)"
    )
    assert page.evaluate(f"costToReach({step}, 1, true, true) === 1 && costToReach({step}, 2, true, true) === Infinity")
    assert page.evaluate("[median([3, 1, 2]), median([4, 1, 3, 2]), quantile([1, 2, 3], 0.25)]") == [2, 2.5, 1.5]
    assert page.evaluate(
        "median([1, Infinity, Infinity]) === Infinity && median([1, 1, Infinity, Infinity]) === Infinity"
    )
    assert page.evaluate("sparse({x: [1, 2, 3, 4, 5], y: [5, 4, 3, 2, 1]}, 3)") == {"x": [1, 3, 5], "y": [5, 3, 1]}


def test_the_spread_is_that_of_the_solver_that_is_pointed_at(page: Any) -> None:
    bands = "at('plot').data.filter(trace => !trace.series && trace.x.length).map(trace => trace.y)"
    assert page.evaluate(bands) == []
    page.hover("#solvers li:nth-child(2)")
    low, high = page.evaluate(bands)
    mean = page.evaluate("summary(shown().all[1].curves, 'mean')")
    np.testing.assert_allclose([low, high], 100 * np.array([mean["low"], mean["high"]]))
    page.check("#bands")
    assert len(page.evaluate(bands)) == 6


def test_a_line_is_dashed_after_the_first_epoch(browser: Any, tmp_path: Path) -> None:
    epochs = [curve(0, seed).assign(epochs=lambda table: table["iterations"] / 100) for seed in range(2)]
    runs = [RunCurve("adult", "perceptron", seed, table) for seed, table in enumerate(epochs)]
    page = opened_page(browser, tmp_path, Curves("t", runs, styles_for(["perceptron"])))
    first, later = page.evaluate(f"{LINES}.map(trace => [trace.x, trace.line.dash])")
    end = column(epochs[0], "kernel_evaluations")[column(epochs[0], "epochs") >= 1][0]
    assert (first[0][-1], later[0][0], first[1]) == (pytest.approx(end, rel=1e-3), first[0][-1], "solid")
    assert later[1] != "solid"
    page.close()


def test_a_sweep_over_a_number_is_drawn_against_it(browser: Any, tmp_path: Path) -> None:
    places = {f"eta={2**k}": (0, float(2**k)) for k in range(3)}
    runs = [RunCurve("adult", name, seed, curve(k, seed)) for k, name in enumerate(places) for seed in range(2)]
    styles = {name: replace(style, name=name) for name, style in styles_for(places).items()}
    family: Style = styles_for(["sbp"])["sbp"]
    page = opened_page(browser, tmp_path, Curves("t", runs, styles, swept=Swept("eta", [family], places)))
    (line,) = page.evaluate(f"{LINES}.map(trace => [trace.x, trace.y])")
    ends = [np.mean([100 * run.curve["test_error"].iloc[-1] for run in runs if run.series == name]) for name in places]
    assert line[0] == [1, 2, 4]
    np.testing.assert_allclose(line[1], ends, rtol=1e-4)
    page.select_option("#view", "cost")
    (line,) = page.evaluate(f"{LINES}.map(trace => [trace.x, trace.y])")
    costs = dict(page.evaluate("costRows(shown().drawn).map(row => [row.series.name, row.cost])"))
    assert line[1] == [None if costs[name] == np.inf else costs[name] for name in places]
    page.close()


def test_data_set_cost_measure_and_axes(page: Any) -> None:
    page.select_option("#dataset", "web")
    page.select_option("#cost", "iterations")
    page.select_option("#measure", "primal")
    page.check("#ylog")
    page.uncheck("#xlog")
    expected = mean_over_runs(curves("web", "sbp"), cost="iterations", measure="primal")
    np.testing.assert_allclose(page.evaluate(f"{LINES}[0].x"), expected["cost"])
    np.testing.assert_allclose(page.evaluate(f"{LINES}[0].y"), expected["mean"], rtol=1e-4)
    assert page.evaluate("[at('plot').layout.xaxis.type, at('plot').layout.yaxis.type]") == ["linear", "log"]
    assert "Primal objective against Iterations on web" in page.get_attribute("#plot", "aria-label")


def test_the_target_is_within_the_range_and_a_single_evaluation_is_a_point(page: Any) -> None:
    low, high = page.evaluate("at('plot').layout.yaxis.range")
    assert low < page.evaluate("at('plot').layout.shapes[0].y0") < high
    modes = "[[1], [1, 2]].map(x => traceOf(data.series[0], { x, y: x }, []).mode)"
    assert page.evaluate(modes) == ["markers", "lines"]
    assert page.evaluate("['Kernel evaluations', 'CPU seconds'].map(inSentence)") == [
        "kernel evaluations",
        "CPU seconds",
    ]


def test_a_cut_axis_says_how_far_the_curves_go(browser: Any, tmp_path: Path) -> None:
    steep = curve(0, 0).assign(test_error=lambda table: 0.1 + 0.8 / table["iterations"])
    page = opened_page(browser, tmp_path, Curves("t", [RunCurve("adult", "sbp", 0, steep)], styles_for(["sbp"])))
    assert page.evaluate("at('plot').layout.yaxis.range[1]") < 90
    assert page.locator("#plot .annotation").text_content() == "axis cut: curves go up to 90 %"
    page.check("#whole")
    assert page.locator("#plot .annotation").count() == 0
    page.close()


@pytest.mark.parametrize("reach", ["stays", "first"])
def test_the_table_of_costs(page: Any, reach: str) -> None:
    page.select_option("#reach", reach)
    target = page.evaluate("state.target")
    least = min(
        mean_over_runs(curves("adult", name), cost="kernel_evaluations", measure="test_error")["mean"].min()
        for name in ("sbp", "pegasos", HOSTILE)
    )
    assert target == pytest.approx(1.1 * least, rel=5e-3)
    for row in page.evaluate(
        "costRows(shown().drawn).map(row => [row.series.name, row.cost === Infinity ? null : row.cost, row.there])"
    ):
        runs = [(column(run, "kernel_evaluations"), column(run, "test_error")) for run in curves("adult", row[0])]
        costs = [cost_to_stay([run], target) if reach == "stays" else cost_to_reach(*run, target) for run in runs]
        known = [cost for cost in costs if cost is not None]
        cost = (
            cost_to_stay(runs, target)
            if reach == "stays"
            else statistics.median(known)
            if len(known) == SEEDS
            else None
        )
        assert row[2] == len(known)
        assert row[1] == (None if cost is None else pytest.approx(cost, rel=1e-4))
