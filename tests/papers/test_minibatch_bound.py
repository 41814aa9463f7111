from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from evidence_cases import evidence
from minibatch_cases import SPECTRUM, Iterations, as_claimed, power, sweep_panel
from pictures import drawn_with_table

from experiments.papers.minibatch import bound, data
from experiments.papers.minibatch.bound import make
from experiments.reproduction.evidence import Panel
from experiments.reproduction.spec import read_figure
from experiments.reproduction.verdict import Claim

SPEC = read_figure("minibatch_bound")


@pytest.fixture(autouse=True)
def known_spectrum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "spectrum_of", lambda _: SPECTRUM)


def claim_of(folder: Path, gap: float = 1e-9, **methods: Iterations) -> Claim:
    known = {name: as_claimed()[name] for name in ("safe", "pegasos_tail")}
    (claim,) = make(evidence(SPEC, [sweep_panel(folder, SPEC, {**known, **methods}, gap=gap)])).claims
    return claim


def test_the_theorems_by_hand() -> None:
    # n = 20,000, lambda = 1e-4: b = 1 has beta = 1
    assert bound.pegasos_bound(SPECTRUM, 1, 1e-3) == pytest.approx(3e8)
    t0 = math.ceil(20_000 * math.log(4.0))
    assert bound.safe_bound(SPECTRUM, 1, 1e-3) == pytest.approx(t0 + 4e7 - 4e4 + 1e7)
    # where beta is large nothing is left of the logarithm
    b, beta = 1000, SPECTRUM.beta(1000)
    assert beta > 4
    assert bound.safe_bound(SPECTRUM, b, 1e-3) == pytest.approx(beta / b * (4e7 - 4e4 / beta) + beta / b * 1e7)
    # with a coarse accuracy a pass over the data is what is left
    assert bound.safe_bound(SPECTRUM, 2, 100.0) == pytest.approx(
        math.ceil(10_000 * math.log(4 / SPECTRUM.beta(2))) + 10_000
    )


def test_iterations_within_the_bounds(tmp_path: Path) -> None:
    claim = claim_of(tmp_path)
    assert claim.verdict == "reproduced"
    assert "within the bound in 12 of 12 cases" in claim.measured


def test_one_run_beyond_a_bound(tmp_path: Path) -> None:
    limit = bound.safe_bound(SPECTRUM, 1, 1e-3)
    claim = claim_of(tmp_path, safe={**power(1e6, 0.9), 1: (1e6, 1.1 * limit)})
    assert claim.verdict == "partly"
    assert claim.statistic["rcv1"]["safe b=1"]["ruling"] == "not_reproduced"


def test_budgets_below_a_bound_decide_nothing(tmp_path: Path) -> None:
    limit = bound.safe_bound(SPECTRUM, 1, 1e-3)
    below = claim_of(tmp_path / "a", safe={**power(1e6, 0.9), 1: (-1e6, 1e6)})
    assert below.statistic["rcv1"]["safe b=1"]["ruling"] == "not_applicable"
    above = claim_of(tmp_path / "b", safe={**power(1e6, 0.9), 1: (-1.1 * limit, 1e6)})
    assert above.statistic["rcv1"]["safe b=1"]["ruling"] == "not_reproduced"


def test_unknown_optimum_and_stand_ins(tmp_path: Path) -> None:
    assert claim_of(tmp_path / "a", gap=1e-5).verdict == "not_applicable"
    one = sweep_panel(tmp_path / "b", SPEC, {"safe": power(1e6, 0.9)})
    other = replace(one, paper_dataset="digits", dataset="digits", stand_in="chosen by name")
    (claim,) = make(evidence(SPEC, [other])).claims
    assert claim.verdict == "not_applicable"


def test_picture_and_table(tmp_path: Path) -> None:
    known = {name: as_claimed()[name] for name in ("safe", "pegasos_tail")}
    panels = [sweep_panel(tmp_path, SPEC, known, name) for name in ("covtype", "rcv1", "news20")]
    made = drawn_with_table(make(evidence(SPEC, panels)))
    assert len(made.data) == 3 * (12 + 6)
    for none in ([], [Panel("rcv1", "rcv1")]):
        empty = drawn_with_table(make(evidence(SPEC, none)))
        assert [claim.verdict for claim in empty.claims] == ["not_applicable"]
