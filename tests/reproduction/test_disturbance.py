"""Timed runs that other processes disturbed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from evidence_cases import MadeUp, evidence, finished_run, panel

from svm_cost_curves.experiments.reproduction.build import small_print, verdict_of
from svm_cost_curves.experiments.reproduction.disturbance import disturbance, disturbed_runs, make_undisturbed
from svm_cost_curves.experiments.reproduction.evidence import FigureResult
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.store import recorder

SPEC = read_figure("sbp_libsvm")
EMPTY = FigureResult(None, lambda _: None)  # type: ignore[arg-type]


def run(share: float, load: float | None, seed: int = 0) -> MadeUp:
    """A run of 10 seconds on two cores."""
    facts = {"wall_seconds": 10.0, "cpu_seconds": 10.0 * share, "provenance": {"load": load, "cores": 2}}
    return finished_run(seed=seed, rows=[{"iterations": 1}], **facts)


@pytest.mark.parametrize(
    ("share", "load", "disturbed"),
    [(0.99, 0.5, False), (0.91, 2.0, False), (0.89, 0.5, True), (0.99, 2.1, True), (0.99, None, False), (1.9, 3, True)],
)
def test_a_run_is_disturbed_if_it_did_not_have_its_core(share: float, load: float | None, disturbed: bool) -> None:
    result = run(share, load).result
    assert (disturbance(result) is not None) == disturbed
    if load is None or load <= 2:  # a run too short for the clock
        assert disturbance(result | {"wall_seconds": 0.0, "cpu_seconds": 0.0}) is None


def test_disturbed_runs_are_named_in_verdict_and_picture() -> None:
    runs = [run(share, load, seed) for seed, (share, load) in enumerate([(0.99, 1), (0.6, 1), (0.95, 5)])]
    # two series that share a run
    given = evidence(SPEC, [panel("adult", {"sbp": runs, "libsvm": runs[:1]})])
    expected = "2 of 3 runs: CPU time at least 0.60 of wall time, load at most 2.5 a core"
    assert disturbed_runs(given) == {"adult": expected}
    verdict = verdict_of(given, EMPTY, "")
    assert verdict.disturbed == {"adult": expected}
    assert "1 data set with disturbed timed runs" in small_print(verdict, given)[1]
    assert disturbed_runs(replace(given, spec=replace(SPEC, timed=False))) == {}


def test_runs_made_beside_others_are_named() -> None:
    runs = [run(0.99, 1, seed) for seed in range(3)]
    for record, jobs in zip(runs, (1, 2, None), strict=True):
        record.result["provenance"] |= {} if jobs is None else {"jobs": jobs}
    given = evidence(SPEC, [panel("adult", {"sbp": runs})])
    assert disturbed_runs(given) == {"adult": "1 of 3 runs were made 2 at a time"}
    (_, counts) = small_print(verdict_of(given, EMPTY, ""), given)
    assert "3 runs, 1 machine, 1 build, up to 2 runs at a time" in counts


@pytest.mark.parametrize(
    ("server", "made"), [(None, [["a", "b", "c"], ["b", "c"], ["c"]]), ("http://host:1", [["a", "b", "c"]])]
)
def test_disturbed_runs_are_made_again_a_few_times(
    server: str | None, made: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = {"a": [0.99], "b": [0.5, 0.99], "c": [0.5] * 9}
    runs: dict[str, MadeUp] = {}
    calls: list[list[str]] = []

    def make(planned: Sequence[Any]) -> dict[str, Any]:
        calls.append([planned_run.key for planned_run in planned])
        for key in calls[-1]:
            assert key not in runs
            runs[key] = replace(run(shares[key].pop(0), 0.0), key=key)
        return dict.fromkeys(calls[-1])

    monkeypatch.setattr(recorder, "delete", lambda _, again: [runs.pop(record.key) for record in again])
    store: Any = SimpleNamespace(server=server, find_all_finished=lambda keys: {key: runs[key] for key in keys})
    outcomes = make_undisturbed([SimpleNamespace(key=key) for key in "abc"], store, make)  # type: ignore[misc]
    assert calls == made
    assert set(runs) == set(outcomes) == set("abc")
