"""Timed runs that other processes disturbed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from evidence_cases import MadeUp, evidence, finished_run, panel

from svm_cost_curves.experiments.reproduction.build import small_print, verdict_of
from svm_cost_curves.experiments.reproduction.disturbance import REPEATS, disturbance, disturbed_runs, make_undisturbed
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.spec import read_figure

SPEC = read_figure("sbp_libsvm")


def run(share: float, load: float | None, seed: int = 0) -> MadeUp:
    """A run of 10 seconds on two cores."""
    facts = {"wall_seconds": 10.0, "cpu_seconds": 10.0 * share, "provenance": {"load": load, "cores": 2}}
    return finished_run(seed=seed, rows=[{"iterations": 1}], **facts)


@pytest.mark.parametrize(
    ("share", "load", "disturbed"),
    [(0.99, 0.5, False), (0.91, 2.0, False), (0.89, 0.5, True), (0.99, 2.1, True), (0.99, None, False), (1.9, 3, True)],
)
def test_a_run_is_disturbed_if_it_did_not_have_its_core(share: float, load: float | None, disturbed: bool) -> None:
    assert (disturbance(run(share, load).result) is not None) == disturbed


def test_a_run_too_short_for_the_clock_is_not_disturbed() -> None:
    assert disturbance({"wall_seconds": 0.0, "cpu_seconds": 0.0, "provenance": {"cores": 1, "load": 0.1}}) is None


def test_disturbed_runs_are_named_in_verdict_and_picture() -> None:
    runs = [run(share, load, seed) for seed, (share, load) in enumerate([(0.99, 1), (0.6, 1), (0.95, 5)])]
    # two series that share a run
    given = evidence(SPEC, [panel("adult", {"sbp": runs, "libsvm": runs[:1]})])
    expected = "2 of 3 runs: CPU time at least 0.60 of wall time, load at most 2.5 a core"
    assert disturbed_runs(given) == {"adult": expected}
    verdict = verdict_of(given, FigureResult(None, lambda _: None), "")  # type: ignore[arg-type]
    assert verdict.disturbed == {"adult": expected}
    assert "1 data set with disturbed timed runs" in small_print(verdict, given)[1]
    assert disturbed_runs(replace(given, spec=replace(SPEC, timed=False))) == {}


def test_runs_made_beside_others_are_named() -> None:
    runs = [run(0.99, 1, seed) for seed in range(3)]
    for each, jobs in zip(runs, (1, 2, None), strict=True):
        each.result["provenance"] |= {} if jobs is None else {"jobs": jobs}
    given = evidence(SPEC, [panel("adult", {"sbp": runs})])
    assert disturbed_runs(given) == {"adult": "1 of 3 runs were made 2 at a time"}
    assert [each.alone for each in runs] == [True, False, False]
    verdict = verdict_of(given, FigureResult(None, lambda _: None), "")  # type: ignore[arg-type]
    assert any("3 runs, 1 machine, 1 build, up to 2 runs at a time" in line for line in small_print(verdict, given))


class FakeStore:
    """Runs whose shares of CPU time are given, one for each time that a run is made."""

    def __init__(self, folder: Path, shares: dict[str, list[float]], server: str | None = None) -> None:
        self.root, self.shares, self.server = folder, shares, server
        self.runs: dict[str, MadeUp] = {}
        self.made: list[list[str]] = []

    def make(self, runs: Sequence[Any]) -> dict[str, Any]:
        self.made.append([each.key for each in runs])
        for each in runs:
            assert each.key not in self.runs
            self.runs[each.key] = replace(run(self.shares[each.key].pop(0), 0.0), key=each.key)
        return {each.key: len(self.made) for each in runs}

    def find_all_finished(self, keys: Sequence[str]) -> dict[str, MadeUp]:
        return {key: self.runs[key] for key in keys if key in self.runs}

    def delete(self, runs: Sequence[MadeUp]) -> None:
        for each in runs:
            del self.runs[each.key]


@pytest.mark.parametrize(
    ("server", "made"), [(None, [["a", "b", "c"], ["b", "c"], ["c"]]), ("http://host:1", [["a", "b", "c"]])]
)
def test_disturbed_runs_are_made_again_a_few_times(tmp_path: Path, server: str | None, made: list[list[str]]) -> None:
    shares = {"a": [0.99], "b": [0.5, 0.99], "c": [0.5] * 9}
    store = FakeStore(tmp_path, shares, server)
    outcomes = make_undisturbed([SimpleNamespace(key=key) for key in "abc"], store, store.make)  # type: ignore[arg-type]
    assert store.made == made
    assert len(made) <= 1 + REPEATS
    assert set(store.runs) == set(outcomes) == set("abc")
