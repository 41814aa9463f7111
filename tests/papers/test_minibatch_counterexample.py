from __future__ import annotations

import numpy as np
import pytest
from evidence_cases import evidence
from pictures import render

from experiments.papers.minibatch import counterexample
from experiments.papers.minibatch.counterexample import VARIANTS, Path, make, path
from experiments.reproduction.spec import read_figure

SPEC = read_figure("minibatch_counterexample")
TURNS = np.arange(6) % 2.0


def test_the_solvers_do_what_the_paper_says() -> None:
    made = make(evidence(SPEC, []))
    (claim,) = made.claims
    assert claim.verdict == "reproduced"
    assert {name: found["ruling"] for name, found in claim.statistic["two equal examples"].items()} == dict.fromkeys(
        VARIANTS, "reproduced"
    )
    render(made)
    assert set(made.data["series"]) == set(VARIANTS)


def test_the_first_steps() -> None:
    naive = path("naive", 3)
    np.testing.assert_array_equal(naive.alpha, [[0, 0], [1, 1], [0, 0], [1, 1]])
    np.testing.assert_allclose(naive.dual, 0.0, atol=1e-15)
    for variant in ("safe", "aggressive"):
        np.testing.assert_allclose(path(variant, 2).alpha, [[0, 0], [0.5, 0.5], [0.5, 0.5]], rtol=1e-9)


@pytest.mark.parametrize(
    ("alpha", "dual"),
    [
        (np.stack([TURNS, TURNS], axis=1), np.full(6, 0.25)),  # not the paper's objective
        (np.stack([TURNS, 1 - TURNS], axis=1), np.zeros(6)),  # not both at once
        (np.zeros((6, 2)), np.zeros(6)),  # it does not move
    ],
)
def test_paths_that_do_not_alternate(alpha: np.ndarray, dual: np.ndarray) -> None:
    assert not Path(alpha, dual).alternates
    assert not Path(alpha, dual).arrives


def test_a_variant_that_behaves_differently_is_not_reproduced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counterexample, "path", lambda _, steps: path("naive", min(steps, 10)))
    (claim,) = make(evidence(SPEC, [])).claims
    assert claim.verdict == "partly"
    monkeypatch.setattr(counterexample, "path", lambda _, steps: path("safe", min(steps, 10)))
    (claim,) = make(evidence(SPEC, [])).claims
    assert claim.statistic["two equal examples"]["naive"]["ruling"] == "not_reproduced"
