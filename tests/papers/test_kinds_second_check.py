"""The published numbers of the generic kinds, computed again from the table of the runs by other code."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from svm_cost_curves.experiments import evidence
from svm_cost_curves.experiments.reproduction.published import EVIDENCE


def published(figure: str, claim: str, reading: str, dataset: str) -> dict[str, Any]:
    """Return the first published statistic of a claim's reading on a data set."""
    claims = json.loads((EVIDENCE / f"{figure}.json").read_text(encoding="utf-8"))["verdict"]["claims"]
    readings = next(entry["readings"] for entry in claims if entry["id"] == claim)
    cases = next(entry["rulings"] for entry in readings if entry["id"] == reading)
    return dict(next(case["statistic"] for case in cases if case["dataset"] == dataset))


def runs_of(figure: str, dataset: str, **settings: object) -> list[pd.DataFrame]:
    """Return the curves of some runs by rising seed, without evaluations that lack a test error."""
    table = evidence.load(figure)
    table = table[table["dataset"] == dataset]
    for name, value in settings.items():
        table = table[table[name.replace("__", ".")] == value]
    known = table[table["test_error"].notna()].sort_values(["seed", "iterations"])
    return [run.reset_index(drop=True) for _, run in known.groupby("seed")]


def held(run: pd.DataFrame, cost: str) -> Callable[[np.ndarray], np.ndarray]:
    """Return a run's error as a function of the cost: the last value holds until the next evaluation."""
    costs, errors = run[cost].to_numpy(float), run["test_error"].to_numpy(float)
    return lambda at: errors[np.searchsorted(costs, at, side="right") - 1]


def area(run: pd.DataFrame, cost: str, low: float, high: float) -> float:
    """Return the mean error over the logarithm of the cost, by a fine grid of 200,000 midpoints."""
    edges = np.linspace(np.log(low), np.log(high), 200_001)
    return float(held(run, cost)(np.exp((edges[1:] + edges[:-1]) / 2)).mean())


def test_the_area_between_the_sbp_and_pegasos() -> None:
    """sbp.1, each iteration charged n evaluations."""
    statistic = published("sbp_fig2", "sbp.1", "per_iteration", "adult")
    sbp = runs_of("sbp_fig2", "adult", algo="sbp")
    pegasos = runs_of("sbp_fig2", "adult", algo="pegasos", algo__accounting="on_demand")
    differences = [
        area(one, "iterations", statistic["low"], statistic["high"])
        - area(two, "iterations", statistic["low"], statistic["high"])
        for one, two in zip(sbp, pegasos, strict=True)
    ]
    assert np.mean(differences) == pytest.approx(statistic["interval"]["estimate"], rel=1e-3)
    assert differences == pytest.approx(statistic["differences"], rel=1e-2)


def test_the_difference_of_the_end_and_the_first_epoch() -> None:
    """sbp.improves: the SBP's last error less its error after n iterations."""
    statistic = published("sbp_fig2", "sbp.improves", "own_epoch", "adult")
    runs = runs_of("sbp_fig2", "adult", algo="sbp")
    changes = [run["test_error"].iloc[-1] - run[run["epochs"] >= 1]["test_error"].iloc[0] for run in runs]
    assert changes == pytest.approx(statistic["differences"])
    assert np.mean(changes) == pytest.approx(statistic["interval"]["estimate"])


def test_the_rise_of_the_averaged_perceptron() -> None:
    """sbp.overfits: the slope of the error over log10 of the epochs after the first."""
    statistic = published("sbp_fig2", "sbp.overfits", "averaged", "adult")
    slopes = []
    for run in runs_of("sbp_fig2", "adult", algo="averaged_perceptron"):
        late = run[run["epochs"] >= 1]
        slopes.append(np.polyfit(np.log10(late["epochs"].to_numpy(float)), late["test_error"].to_numpy(float), 1)[0])
    assert np.mean(slopes) == pytest.approx(statistic["rise"]["estimate"])


def test_the_cost_of_fourier_features_over_that_of_the_sbp() -> None:
    """sbp.5: the geometric mean of the ratios of inner products at 50 errors that both mean curves reach."""
    statistic = published("sbp_fig3", "sbp.5", "inner_products", "mnist")
    costs = []
    levels = np.linspace(statistic["low_error"], statistic["high_error"], 50, endpoint=False)
    for algo in ("fourier", "sbp"):
        runs = [run[run["inner_products"] > 0] for run in runs_of("sbp_fig3", "mnist", algo=algo)]
        grid = np.unique(np.concatenate([run["inner_products"].to_numpy(float) for run in runs]))
        grid = grid[grid >= max(float(run["inner_products"].iloc[0]) for run in runs)]
        mean = np.mean([held(run, "inner_products")(grid) for run in runs], axis=0)
        costs.append(np.array([grid[mean <= level * (1 + 1e-9)][0] for level in levels]))
    assert np.exp(np.log(costs[0] / costs[1]).mean()) == pytest.approx(statistic["ratio"]["estimate"])


def test_the_critical_point_of_smo() -> None:
    """sbp.2: the last evaluation at which the error is above the middle of its first and its last."""
    statistic = published("sbp_fig2", "sbp.2", "from_one_iteration", "adult")
    (run,) = runs_of("sbp_fig2", "adult", algo="smo")
    costs, errors = run["kernel_evaluations"].to_numpy(float), run["test_error"].to_numpy(float)
    costs, errors = costs[costs > 0], errors[costs > 0]
    half = costs[errors > (errors[0] + errors[-1]) / 2][-1]
    settled = costs[np.flatnonzero(errors > 1.1 * errors[-1])[-1] + 1]
    assert [half, settled] == [statistic["half"], statistic["settled"]]
    assert np.log10(settled / half) == pytest.approx(statistic["steepness"])


def test_the_support_vectors_at_equal_errors() -> None:
    """sbp.sparsity: medians over the runs at their first evaluation at or below the target."""
    statistic = published("sbp_support", "sbp.sparsity", "smo_at_equal_error", "adult")
    medians = []
    for algo in ("sbp", "smo"):
        runs = runs_of("sbp_support", "adult", algo=algo)
        medians.append(
            np.median(
                [run[run["test_error"] <= statistic["target"] * (1 + 1e-9)]["support_vectors"].iloc[0] for run in runs]
            )
        )
    assert medians[0] / medians[1] == pytest.approx(statistic["ratio"]["estimate"])
