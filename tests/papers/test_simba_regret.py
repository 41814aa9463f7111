from __future__ import annotations

import numpy as np
import pytest
from evidence_cases import evidence
from hypothesis import given, settings
from hypothesis import strategies as st

from svm_cost_curves.experiments.papers.simba import regret
from svm_cost_curves.experiments.papers.simba.regret import ETA, ROUNDS, SEQUENCES, N, make, variance_mw
from svm_cost_curves.experiments.reproduction.spec import read_figure

SPEC = read_figure("simba_regret")


def test_the_lemma_holds_on_all_sequences() -> None:
    made = make(evidence(SPEC, []))
    (claim,) = made.claims
    assert claim.nearest.text == f"holds ({len(SEQUENCES)} of {len(SEQUENCES)})"
    assert set(made.data["sequence"]) == set(SEQUENCES)
    assert (made.data["loss"] <= made.data["bound"]).all()


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 99), st.floats(0.1, 5.0))
def test_the_sums_are_those_of_the_definition(seed: int, scale: float) -> None:
    drawn: list[np.ndarray] = []

    def losses(p: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        drawn.append(scale * generator.normal(size=len(p)))
        return drawn[-1]

    sides = variance_mw(losses, seed)
    w, loss, variance = np.ones(N), 0.0, 0.0
    for v in drawn[:50]:  # more rounds would underflow
        p = w / w.sum()
        loss, variance = loss + p @ v, variance + p @ v**2
        w = w * (1 - ETA * v + ETA**2 * v**2)
    assert sides.loc[49, ["loss", "variance"]].tolist() == pytest.approx([loss, ETA * variance])
    assert sides["best"].iloc[-1] == pytest.approx(np.maximum(drawn, -1 / ETA).sum(axis=0).min())
    assert len(drawn) == len(sides) == ROUNDS
    assert (sides["loss"] <= sides["bound"]).all()


def test_a_larger_regret_contradicts(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = variance_mw(SEQUENCES["uniform"])
    monkeypatch.setattr(regret, "variance_mw", lambda _: honest.assign(loss=honest["loss"] + 1e3))
    assert make(evidence(SPEC, [])).claims[0].verdict == "contradicted"
