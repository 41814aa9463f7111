from __future__ import annotations

from collections.abc import Sequence

import pytest
from evidence_cases import evidence, finished_run, panel
from minibatch_cases import P_STAR, only, optimum_run, with_spectra
from readings import rulings

from svm_cost_curves.experiments.papers.minibatch import speedup
from svm_cost_curves.experiments.papers.minibatch.fig2 import make
from svm_cost_curves.experiments.papers.minibatch.methods import METHODS
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

SPEC = only(read_figure("minibatch_fig2"), "news20")
CONVERGES = (0.5, 0.01, 1e-4)
FAILS = (0.5, 0.01, 0.4)


def path_panel(gap: float = 1e-9, **above: Sequence[float]) -> Panel:
    """Methods that have this distance from P* after 1, 10, 100, ... iterations with the largest b."""
    known = {**dict.fromkeys(METHODS, CONVERGES), "naive": FAILS, **above}
    runs = {"optimum": [optimum_run(gap)]}
    for method, values in known.items():
        for b, series in SPEC.members(method).items():
            rows = [
                {
                    "iterations": 10**k,
                    "primal": P_STAR + (value if b > 100 else 1e-4),
                    "dual": None if method == "pegasos" else P_STAR - value,
                    "test_error": 0.1 + value / 10,
                }
                for k, value in enumerate(values)
            ]
            runs[series] = [finished_run(name=f"{method} {b} {seed}", rows=rows, seed=seed) for seed in (0, 1)]
    return panel("news20", runs)


def judge(one: Panel) -> Claim:
    (claim,) = make(evidence(SPEC, [one])).claims
    return claim


def test_claims_hold_on_curves_as_in_the_paper() -> None:
    claim = judge(path_panel())
    assert claim.verdict == "reproduced"
    assert set(rulings(claim, "news20")) == {f"{method} b=1024" for method in METHODS}
    dual = claim.readings[1]
    assert (dual.id, dual.outcome, dual.cases) == ("dual", "reproduced", 3)  # Pegasos has no dual objective


@pytest.mark.parametrize(
    ("naive", "ruling"),
    [
        (CONVERGES, "fails"),
        ((0.5, 0.4, 0.3), "fails"),  # slow, but it does not deteriorate
        ((0.5, 0.3, 0.4), "fails"),  # it deteriorates less than twofold
        ((0.5, 1e-5, 5e-4), "fails"),  # it reached the target
        (FAILS, "holds"),
    ],
)
def test_ruling_on_naive_steps(naive: Sequence[float], ruling: str) -> None:
    claim = judge(path_panel(naive=naive))
    assert [rulings(claim, "news20", k)["naive b=1024"] for k in (0, 1)] == [ruling, ruling]


def test_other_methods_that_do_not_converge() -> None:
    outcomes = rulings(judge(path_panel(safe=(0.5, 0.1, 0.05), aggressive=FAILS)), "news20")
    assert outcomes["safe b=1024"] == "unclear"  # on its way
    assert outcomes["aggressive b=1024"] == "fails"


def test_cases_that_leave_the_claim_undecided() -> None:
    assert judge(path_panel(gap=1e-5)).verdict == "not_testable"


def test_times_of_iterations() -> None:
    spec = read_figure("minibatch_speedup")
    runs = {
        member: [
            finished_run(
                name=f"{member} {seed}",
                seed=seed,
                rows=[{"iterations": 100, "wall_seconds": (4.0 + 0.1 * seed) / count**0.5}],
            )
            for seed in (0, 1)
        ]
        for series in spec.series
        for values, member in spec.points(series.name)
        for b, count in [values.values()]
        # with this b there are no runs with one thread
        if not (series.name == "pegasos" and b == 8192 and count == 1)
    }
    made = speedup.make(with_spectra(spec, [panel("rcv1", runs, settings={"x": None})]))
    assert len(made.data) == (3 + 4) * 2  # threads and ranks
    two = made.data[made.data["workers"] == 2]
    assert two["speedup"].to_numpy() == pytest.approx(2**0.5)
    assert two["seconds"].to_numpy() == pytest.approx(0.0405 / 2**0.5)
