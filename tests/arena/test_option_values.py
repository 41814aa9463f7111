"""The options algos=, cost= and target=."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves import solvers
from svm_cost_curves.experiments.arena.entrants import Entrant, read_entrants
from svm_cost_curves.experiments.arena.targets import COSTS, Targets, read_costs, read_targets
from svm_cost_curves.experiments.reproduction.spec import FigureError


def test_entrants() -> None:
    assert read_entrants("sbp,sdca") == (Entrant("sbp"), Entrant("sdca"))
    assert read_entrants("[sbp, sdca]") == read_entrants("sbp,sdca")
    (kept,) = read_entrants("sdca:accounting=kept")
    assert kept.name == "sdca accounting=kept"
    assert kept.words == ["algo=sdca", "algo.accounting=kept"]
    assert [entrant.algo for entrant in read_entrants("all")] == solvers.names()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sbp,sdka", "unknown algorithm 'sdka'.*did you mean sdca"),
        ("sbp,", "unknown algorithm ''"),
        ("sbp,sdca,sbp", "names sbp twice"),
        ("sdca:accounting", "is written sdca:name=value"),
        ("sdca:acounting=kept", "unknown setting 'acounting' of sdca in algos=; .*did you mean accounting"),
        ("perceptron:x=1", "unknown setting 'x' of perceptron in algos=; it has no settings$"),
    ],
)
def test_wrong_entrants(text: str, message: str) -> None:
    with pytest.raises(FigureError, match=message):
        read_entrants(text)


def test_targets() -> None:
    assert read_targets("gap") == Targets("gap", (0.1, 0.01, 0.001))
    assert read_targets("gap:0.01,0.1,0.1") == Targets("gap", (0.1, 0.01))
    assert read_targets("error:0.155").text(0.155) == "error 15.5 %"
    assert read_targets("best:0.02").text(0.02) == "best + 2 %"
    assert read_targets("gap").measure == "primal"
    assert read_targets("best").measure == "test_error"
    assert read_targets("gap:0.1", "first") == Targets("gap", (0.1,), stays=False)
    with pytest.raises(FigureError, match="reach is stays or first, got 'firts'; did you mean first"):
        read_targets("gap", "firts")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gapp", "did you mean gap"),
        ("0.01", "gap:E, error:E or best:E"),
        ("error", "needs a number: target=error:0.15"),
        ("error:15", "a fraction between 0 and 1, got '15'"),
        ("gap:0", "a number > 0, got '0'"),
        ("gap:", "a number > 0, got ''"),
        ("gap:nan", "a number > 0"),
        ("gap:inf", "a number > 0"),
    ],
)
def test_wrong_targets(text: str, message: str) -> None:
    with pytest.raises(FigureError, match=message):
        read_targets(text)


@given(st.text(max_size=12))
def test_any_target_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(FigureError):
        levels = read_targets(text).levels
        assert levels == tuple(sorted(set(levels), reverse=True))
        assert all(level > 0 for level in levels)


def test_costs() -> None:
    assert read_costs("all") == COSTS
    assert read_costs("auto") == ()
    assert read_costs("[iterations,cpu_seconds]") == ("iterations", "cpu_seconds")
    with pytest.raises(FigureError, match="did you mean kernel_evaluations"):
        read_costs("kernel_evals")
