from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from evidence_cases import evidence, finished_run, panel, rows_of
from readings import claims_of, without

from svm_cost_curves.experiments.papers.sbp.regime import EXAMPLES, make, sizes_of
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

SPEC = read_figure("sbp_regime")
AS_BOUNDED = {"sbp": 1.0, "smo": 2.0, "pegasos": 3.0}


def sized_panel(exponents: Mapping[str, float] = AS_BOUNDED, spread: float = 0.0, seeds: int = 2) -> Panel:
    """Runs that reach the error 40/n after (n/40)^a evaluations, times 1e6; runs' exponents lie `spread` apart."""
    runs = {}
    for method, exponent in exponents.items():
        for value, name in SPEC.members(method).items():
            n = int(value)
            per_seed = []
            for seed in range(1 if method == "smo" else seeds):
                reach = 1e6 * (n / EXAMPLES) ** (exponent + spread * (seed - (seeds - 1) / 2)) / n  # iterations
                costs = np.array([1, 0.5 * reach, reach, 1e12]).round()
                errors = (0.9, 0.8, EXAMPLES / n, 0.0)
                rows = rows_of(iterations=costs, kernel_evaluations=costs * n, test_error=errors)
                per_seed.append(finished_run(algo=method, dataset="synthetic", seed=seed, rows=rows, n=n, name=name))
            runs[name] = per_seed
    return panel("synthetic", runs)


def names_of(method: str) -> list[str]:
    """The series of a method, by rising size."""
    return list(SPEC.members(method).values())


def judged(case: Panel) -> Claim:
    return claims_of(make(evidence(SPEC, [case])))["sbp.regime"]


def test_growth_as_in_table_1() -> None:
    claim = judged(sized_panel())
    assert claim.nearest.text == "reproduced on our own data (5 of 5)"
    statistic = claim.nearest.statistic["synthetic"]
    assert statistic["Pegasos within its bound"]["exponent"]["estimate"] == pytest.approx(3.0, abs=1e-3)
    assert statistic["SBP less SMO"]["exponent"]["estimate"] == pytest.approx(-1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("exponents", "held"),
    [
        ({"sbp": 1.2, "smo": 2.2, "pegasos": 3.2}, 5),  # log factors
        ({"sbp": 4.0, "smo": 2.0, "pegasos": 3.0}, 2),
        ({"sbp": 4.0, "smo": 3.5, "pegasos": 3.9}, 0),
    ],
)
def test_other_growth(exponents: dict[str, float], held: int) -> None:
    assert judged(sized_panel(exponents)).nearest.held == held


def test_runs_that_disagree_are_unclear() -> None:
    case = sized_panel({"sbp": 1.3, "pegasos": 1.3}, spread=0.3, seeds=5)
    (few,) = without([case], *(name for method in ("sbp", "pegasos") for name in names_of(method)[:2]))
    difference = judged(few).nearest.statistic["synthetic"]["SBP less Pegasos"]
    assert difference["ruling"] == "unclear"
    assert difference["exponent"]["low"] < 0 < difference["exponent"]["high"]
    assert difference["exponent"]["method"] == "95 % bootstrap"


def test_errors_that_are_not_reached_are_left_out() -> None:
    case = sized_panel()
    sizes = sizes_of(evidence(SPEC, [case]), case, "sbp")
    targets = {n: size.targets.tolist() for n, size in sizes.items()}
    assert targets == {200: [0.2], 400: [0.1], 800: [0.05], 1600: [0.025], 3200: [0.0125]}
    (few,) = without([case], *names_of("smo")[:3])
    claim = judged(few)
    assert sum("too few" in text for text in claim.nearest.exceptions()) == 2
    assert claim.nearest.held == 3


def test_a_difference_is_that_over_the_sizes_which_both_have() -> None:
    """Each has four sizes; 200, 1600 and 3200 are common."""
    (some,) = without([sized_panel()], names_of("sbp")[1], names_of("smo")[2])
    exponent = judged(some).nearest.statistic["synthetic"]["SBP less SMO"]["exponent"]
    assert [exponent[name] for name in ("estimate", "low", "high")] == pytest.approx([-1.0] * 3, abs=1e-3)
    (apart,) = without([sized_panel()], *names_of("sbp")[3:], *names_of("smo")[:2])
    assert "SBP less SMO: not run, too few of the wanted errors are reached" in judged(apart).nearest.exceptions()


def test_the_settings_follow_from_the_sizes() -> None:
    """lambda = epsilon / ‖u‖^2 with ‖u‖ = 7.1 / 0.2 (Appendix D.2)."""
    for series in SPEC.series[1:]:
        values = series.paired_with["dataset.n"]["problem.lambda_"]["synthetic"]
        expected = [EXAMPLES / n / 35.5**2 for n in series.grid["dataset.n"]]
        assert values == pytest.approx(expected, rel=1e-3)
