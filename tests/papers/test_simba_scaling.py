from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from evidence_cases import evidence, finished_run, panel, rows_of
from readings import claims_of, outcomes

from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.papers.simba.scaling import LENGTH, RIVALS, SHARE, make
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

SPEC = read_figure("simba_scaling")
ITERATIONS = np.unique(np.geomspace(1, 2e4, 80).round())

Iterations = Callable[[str, Any, float, float], float]
"""Iterations to the error, from the method, the data set, delta and B^2."""


@cache
def chosen() -> dict[str, RunSettings]:
    """Settings of all series."""
    words = {series.name: [*series.overrides, *series.by_dataset.get("synthetic", [])] for series in SPEC.curves}
    return {name: settings_of(["dataset=synthetic", *overrides], jobs=1) for name, overrides in words.items()}


def theory(method: str, data: Any, delta: float, norm2: float) -> float:
    """Iterations as the theory counts them: B^2 log n for SIMBA, B^2 / delta for Pegasos."""
    return float(0.2 * norm2 * np.log(data.n) if method == "simba" else 0.2 * norm2 / delta)


def measured(iterations: Iterations = theory, *, spread: float = 0.05, power: float = 1.0) -> Panel:
    """All series; the time of an iteration grows with a power of n + d.

    Runs are a share `spread` apart, in iterations to the error and in the time of an iteration.
    """
    runs: dict[str, list[Any]] = {}
    for name, settings in chosen().items():
        data, method = settings.dataset, name.partition("_")[0].removesuffix("2")
        needed = iterations(method, data, SHARE * data.rare, LENGTH * data.directions)
        seconds = 1e-9 * (data.n + (data.d or 0)) ** power * ITERATIONS
        runs[name] = []
        for seed, apart in enumerate((1 - spread, 1.0, 1 + spread)):
            errors = np.where(needed * apart <= ITERATIONS, 0.0, 0.5)
            rows = rows_of(iterations=ITERATIONS, cpu_seconds=seconds * apart, test_error=errors)
            runs[name].append(finished_run(name=name, algo=method, dataset="synthetic", seed=seed, rows=rows))
    return panel("synthetic", runs, settings=chosen())


def judge(*panels: Panel) -> dict[str, Claim]:
    return claims_of(make(evidence(SPEC, panels)))


@pytest.fixture(scope="module")
def by_theory() -> Panel:
    return measured()


def test_costs_of_the_theory(by_theory: Panel) -> None:
    claims = judge(by_theory)
    assert claims["simba.growth"].verdict == claims["simba.time"].verdict == "reproduced"
    growth = claims["simba.growth"].nearest.statistic["synthetic"]
    for name, exponents in {"1 / delta": (0, 1), "B^2": (1, 1), "d": (0, 0), "n": (0, 0)}.items():
        for method, exponent in zip(("simba", "pegasos"), exponents, strict=True):
            assert growth[f"{method} {name}"]["estimate"] == pytest.approx(exponent, abs=0.12), (method, name)
    assert claims["simba.time"].nearest.statistic["synthetic"]["seconds n + d"]["estimate"] == pytest.approx(1.0)
    gain, size = claims["simba.gain"].readings
    part = gain.statistic["synthetic"]
    # B^2 d / delta over B^2 log n (n + d)
    expected = 4096 / (160**-1 * np.log(1000) * 5096)
    assert part["1 / delta = 160"]["estimate"] == pytest.approx(expected, rel=0.3)
    assert part["1 / delta = 640"]["ruling"] == "holds"
    assert size.outcome == "reproduced"


def test_settings_without_a_promise_are_beside(by_theory: Panel) -> None:
    claim = judge(by_theory)["simba.gain"]
    repeated = [case.note for case in claim.nearest.rulings if case.note.startswith("the same setting")]
    assert repeated == ["the same setting as 1 / delta = 160"] * 3  # on several axes it counts once
    assert claim.nearest.cases == 18 - 3
    assert {sensitivity.constant for sensitivity in claim.sensitivity} == {"far", "near"}
    spec = replace(SPEC, claims=[replace(SPEC.claims[0], constants={"far": 1e6, "near": 1.0}), *SPEC.claims[1:]])
    assert make(evidence(spec, [by_theory])).claims[0].verdict == "not_testable"


def test_a_promised_setting_without_runs_is_missing(by_theory: Panel) -> None:
    last = list(SPEC.members("simba_delta").values())[-1]
    rivals = [list(SPEC.members(f"{method}_delta").values())[-1] for method in RIVALS]
    whole = judge(by_theory)["simba.gain"].nearest
    assert whole.exceptions() == []
    for gone in ([last], [last, *rivals]):
        claims = judge(replace(by_theory, runs={**by_theory.runs, **dict.fromkeys(gone, ())}))
        fewer = claims["simba.gain"].nearest
        assert fewer.exceptions() == ["1 / delta = 640: not run, no runs"]
        assert (fewer.held, fewer.cases) == (whole.held - 1, whole.cases)
        assert "SIMBA, growing 1 / delta: not run, settings without runs" in claims["simba.growth"].nearest.exceptions()


def test_a_method_that_grows_too_fast() -> None:
    def slow(method: str, data: Any, delta: float, norm2: float) -> float:
        return 0.005 / delta * norm2**2 if method == "simba" else 0.1 / delta

    claims = judge(measured(slow, power=1.5))
    assert claims["simba.gain"].verdict == "contradicted"
    rulings = claims["simba.growth"].nearest.statistic["synthetic"]
    assert {name: part["ruling"] for name, part in rulings.items() if name.startswith("simba")} == {
        "simba 1 / delta": "fails",
        "simba B^2": "fails",
        "simba d": "holds",
        "simba n": "holds",
    }
    assert claims["simba.time"].verdict == "contradicted"


def test_runs_far_apart_are_unclear() -> None:
    def equal(method: str, data: Any, delta: float, norm2: float) -> float:
        return 200.0 * ((data.n + data.d) / data.d if method == "pegasos" else 1.0)

    claims = judge(measured(equal, spread=0.9, power=1.2))
    assert claims["simba.gain"].verdict == "unclear"
    assert claims["simba.time"].verdict == "unclear"
    time = claims["simba.time"].nearest.statistic["synthetic"]["seconds n + d"]
    assert time["estimate"] == pytest.approx(1.2)  # the limit is 1.25
    assert time["low"] < 1.2 < 1.25 < time["high"]


def test_an_error_that_is_not_reached() -> None:
    claims = judge(measured(lambda method, *_: 1e9 if method == "simba" else 10.0))
    assert claims["simba.gain"].verdict == "contradicted"
    growth = claims["simba.growth"].nearest
    assert growth.outcome == "not_testable"
    assert "SIMBA, growing d: not run, the error is not reached everywhere" in growth.exceptions()
    neither = judge(measured(lambda *_: 1e9))["simba.gain"]
    assert outcomes(neither) == {"pegasos": "unclear", "size": "contradicted"}
    assert "d = 1024: unclear, neither reaches the error" in neither.nearest.exceptions()


def test_an_exponent_needs_three_settings(by_theory: Panel) -> None:
    others = list(SPEC.members("simba_delta").values())[2:]
    fewer = {name: settings for name, settings in chosen().items() if name not in others}
    growth = judge(replace(by_theory, settings=fewer))["simba.growth"].nearest
    assert growth.exceptions() == ["SIMBA, growing 1 / delta: not run, fewer than 3 settings"]
