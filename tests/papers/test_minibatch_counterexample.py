from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from evidence_cases import evidence

from svm_cost_curves.experiments.papers.minibatch import counterexample
from svm_cost_curves.experiments.papers.minibatch.counterexample import VARIANTS, make, path
from svm_cost_curves.experiments.reproduction.evidence import Evidence, FigureResult
from svm_cost_curves.experiments.reproduction.spec import read_figure

SPEC = read_figure("minibatch_counterexample")
TURNS = np.arange(6) % 2.0


def made(paths: dict[str, pd.DataFrame] | None = None) -> FigureResult:
    """The figure of the solvers' own paths, or of others."""
    computed = counterexample.compute(evidence(SPEC, []))
    if paths is not None:
        plain = {name: path.to_numpy() for name, path in paths.items()}
        computed = {"paths": {name: {"alpha": rows[:, :2], "dual": rows[:, 2]} for name, rows in plain.items()}}
    return make(Evidence(SPEC, "paper", (), {}, computed))


def rulings(paths: dict[str, pd.DataFrame] | None = None) -> dict[str, str]:
    (claim,) = made(paths).claims
    return {name: case["ruling"] for name, case in claim.nearest.statistic[""].items()}


def test_the_solvers_do_what_the_paper_says() -> None:
    assert rulings() == dict.fromkeys(VARIANTS, "holds")
    figure = made()
    assert all(number.agrees for number in figure.numbers)
    assert len(figure.numbers) == 5
    assert list(figure.data.columns) == ["series", "iteration", *counterexample.COLUMNS]
    assert figure.data.groupby("series")["iteration"].max().to_dict() == dict.fromkeys(VARIANTS, 12)


def test_the_first_steps() -> None:
    naive = path("naive", 3).to_numpy()
    np.testing.assert_array_equal(naive[:, :2], [[0, 0], [1, 1], [0, 0], [1, 1]])
    np.testing.assert_allclose(naive[:, 2], 0.0, atol=1e-15)
    for variant in ("safe", "aggressive"):
        steps = path(variant, 2).to_numpy()[:, :2]
        np.testing.assert_allclose(steps, [[0, 0], [0.5, 0.5], [0.5, 0.5]], rtol=1e-9)


@pytest.mark.parametrize(
    "iterates",
    [
        [TURNS, TURNS, np.full(6, 0.25)],  # not the paper's objective
        [TURNS, 1 - TURNS, np.zeros(6)],  # not both at once
        [np.zeros(6)] * 3,  # it does not move
    ],
)
def test_paths_that_do_not_alternate(iterates: list[np.ndarray]) -> None:
    wrong = pd.DataFrame(np.transpose(iterates), columns=list(counterexample.COLUMNS))
    assert not counterexample.alternates(wrong)
    assert not counterexample.arrives(wrong)


def test_a_variant_that_behaves_differently_fails() -> None:
    naive, safe = path("naive", 10), path("safe", 10)
    assert rulings(dict.fromkeys(VARIANTS, naive)) == {"naive": "holds", "safe": "fails", "aggressive": "fails"}
    assert rulings(dict.fromkeys(VARIANTS, safe)) == {"naive": "fails", "safe": "holds", "aggressive": "holds"}


def test_without_paths_nothing_is_decided() -> None:
    empty = make(evidence(SPEC, []))
    assert [claim.verdict for claim in empty.claims] == ["not_testable"]
    assert all(number.measured is None for number in empty.numbers)
