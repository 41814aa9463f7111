from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pytest
from minibatch_cases import Iterations, as_claimed, only, power, sweep_panel, with_spectra
from readings import claims_of, outcomes, reading, rulings

from svm_cost_curves.experiments.papers.minibatch.fig1 import make
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

SPEC = only(read_figure("minibatch_fig1"), "rcv1")


def judged(*panels: Panel) -> dict[str, Claim]:
    return claims_of(make(with_spectra(SPEC, panels)), "minibatch.")


def claims_with(**changed: Iterations) -> dict[str, Claim]:
    methods: Mapping[str, Iterations] = {**as_claimed(), **changed}
    return judged(sweep_panel(SPEC, methods))


def cut(method: str, budget: float, beyond: int = 128) -> Iterations:
    """Runs that end at a budget above some size."""
    return {b: runs if b <= beyond else (-budget, -budget) for b, runs in as_claimed()[method].items()}


def test_all_claims_hold_on_iterations_as_in_the_paper() -> None:
    claims = claims_with()
    assert len(claims) == len(SPEC.claims) == 10
    # the fake curves have no dual objective with b = 1 that could fall
    assert {name: set(outcomes(claim).values()) for name, claim in claims.items() if name != "monotone"} == {
        name: {"reproduced"} for name in claims if name != "monotone"
    }
    assert "fails from b = 32 on (8/sigma^2)" in claims["2"].nearest.measured


@pytest.mark.parametrize(
    ("exponent", "ruling"),
    [(0.9, "holds"), (0.4, "fails")],  # at b = 4: 4^0.4 = 1.7 < 2
)
def test_linear_speed_ups(exponent: float, ruling: str) -> None:
    claim = claims_with(pegasos=power(4e6, exponent))["1"]
    assert rulings(claim, "rcv1") == {"pegasos": ruling, "naive": "holds", "safe": "holds", "aggressive": "holds"}
    (constant,) = claim.sensitivity
    assert (constant.constant, constant.value) == ("linear", 0.5)


def test_safe_steps_that_do_not_flatten() -> None:
    steep = claims_with(safe=power(1e6, 0.9))["safe"]
    assert outcomes(steep)["bound"] == "contradicted"
    # as fast as aggressive SDCA: not slower, and not clearly as fast
    assert [rulings(steep, "rcv1", k)["safe"] for k in range(4)] == ["fails", "fails", "fails", "unclear"]


@pytest.mark.parametrize(
    ("slower", "ruling"),
    [
        ({}, "holds"),
        ({512: 1.5, 1024: 2.25, 2048: 2.25}, "fails"),  # less than twice from one size to the next
        ({512: 2.5}, "fails"),  # and the larger sizes recover
    ],
)
def test_steps_that_deteriorate_are_compared_with_the_best_smaller_size(
    slower: Mapping[int, float], ruling: str
) -> None:
    runs = {b: [1e5 * slower.get(b, 1.0)] * 2 for b in as_claimed()["safe"]}
    assert rulings(claims_with(safe=runs)["steady"], "rcv1") == {"safe": ruling}


def test_speed_ups_that_end() -> None:
    flat = claims_with(aggressive=power(1e6, 0.9, flat_from=256))["beyond"]
    # it is clear of the bound and of its beginning, but does not fall all along the curve
    assert {name: rulings(flat, "rcv1", k)["aggressive"] for k, name in enumerate(outcomes(flat))} == {
        "rising": "unclear",
        "bound": "holds",
        "exponent": "holds",
        "gentle": "holds",
        "ends": "holds",
    }
    # a curve that turns is seen although its ends are as claimed
    turned = {b: runs if b < 1024 else (3e4, 3e4) for b, runs in as_claimed()["aggressive"].items()}
    claim = claims_with(aggressive=turned)["beyond"]
    assert [rulings(claim, "rcv1", k)["aggressive"] for k in (1, 0)] == ["fails", "holds"]


def test_budgets_that_end_runs() -> None:
    # from 256 on it takes longer than with 128: this is known, and that it does not go on
    worse = claims_with(aggressive=cut("aggressive", 5e5))
    assert rulings(worse["beyond"], "rcv1", 1)["aggressive"] == "fails"
    # nothing is known
    short = claims_with(aggressive=cut("aggressive", 50))
    assert rulings(short["beyond"], "rcv1", 1)["aggressive"] == "unclear"
    assert rulings(short["2"], "rcv1")["improves"] == "unclear"
    assert rulings(short["throughout"], "rcv1")["aggressive b=16384"] == "unclear"
    none = claims_with(**{name: cut(name, 50) for name in ("pegasos", "aggressive")})
    assert none["throughout"].nearest.outcome == "unclear"
    assert "both miss the target" in " ".join(none["throughout"].nearest.exceptions())


def test_speed_ups_of_the_two_methods() -> None:
    apart = claims_with(aggressive=power(1e6, 0.9, flat_from=64))["speedups"]
    # 150-fold at the largest b; the two are equal as long as naive SDCA works
    assert outcomes(apart) == {
        "tenth": "contradicted",
        "tail": "contradicted",
        "beyond": "contradicted",
        "largest": "contradicted",
        "before": "reproduced",
    }


def test_naive_steps() -> None:
    works = claims_with(naive=power(1e6, 1.0))
    assert works["2"].nearest.outcome == "contradicted"  # with the premise the second half fails too
    assert "does not fail up to b = 16,384" in works["2"].nearest.measured
    undecided = {b: runs if b <= 16 else (-100.0, -100.0) for b, runs in power(1e6, 1.0).items()}
    assert "small budgets" in claims_with(naive=undecided)["2"].nearest.exceptions()[0]
    slow = {b: runs if b <= 16 else (1e6, 1e6) for b, runs in power(1e6, 1.0).items()}
    assert claims_with(naive=slow)["2"].verdict == "reproduced"
    little = {b: runs if b <= 16 else (9e4, 9e4) for b, runs in power(1e6, 1.0).items()}  # 62,500 with b = 16
    assert rulings(claims_with(naive=little)["2"], "rcv1")["fails"] == "fails"
    early = {b: runs if b == 1 else (3e6, 3e6) for b, runs in power(1e6, 1.0).items()}  # below 1 / sigma^2
    assert rulings(claims_with(naive=early)["2"], "rcv1")["fails"] == "fails"


def test_aggressive_steps_that_do_not_improve_where_naive_ones_fail() -> None:
    claim = claims_with(aggressive=power(1e6, 0.9, flat_from=16))["2"]
    assert rulings(claim, "rcv1")["improves"] == "unclear"
    bump = {b: runs if b < 16384 else (2e3, 2e3) for b, runs in power(1e5, 0.9, flat_from=8).items()}
    ends = claims_with(aggressive=bump)["2"]
    assert [rulings(ends, "rcv1", k)["improves"] for k in (0, 1)] == ["unclear", "holds"]


@pytest.mark.parametrize(
    ("rising", "failures", "one"),
    [
        ({(1, 0), (1, 1), (8, 0), (8, 1), (16, 0)}, "holds", "holds"),  # naive SDCA works there
        ({(1, 0), (64, 1)}, "fails", "fails"),  # one run
        ({(16384, 0), (16384, 1)}, "fails", "fails"),  # one size
    ],
)
def test_the_dual_objective_falls_in_every_run_with_every_failing_size(
    rising: set[tuple[int, int]], failures: str, one: str
) -> None:
    panel = sweep_panel(SPEC, as_claimed())
    for b, name in SPEC.members("naive").items():
        for seed, run in enumerate(panel.runs[name]):
            dual = [0.1, 0.2, 0.25 if (int(b), seed) in rising else 0.15]
            frame = run.curve.iloc[[0, 1, 1]].reset_index(drop=True)
            object.__setattr__(run, "curve", frame.assign(dual=dual))
    claim = judged(panel)["monotone"]
    assert [rulings(claim, "rcv1", k) for k in (0, 1)] == [{"failures": failures}, {"b=1": one}]


def test_pegasos_that_is_better_somewhere() -> None:
    claims = claims_with(pegasos=power(4e6, 1.2))
    assert claims["3"].verdict == "reproduced"
    verdicts = rulings(claims["throughout"], "rcv1")
    assert (verdicts["aggressive b=2"], verdicts["aggressive b=16384"]) == ("holds", "fails")
    assert outcomes(claims["throughout"]) == {"decaying": "mixed", "tail": "reproduced"}
    assert claims_with(pegasos=power(4e5, 0.9))["3"].verdict == "contradicted"


@pytest.mark.parametrize(
    "changed",
    [
        {"pegasos": (8e5, 1.6e6)},  # SDCA takes 1,000,000 and 1,020,001
        {"pegasos": (-5e5, -5e5)},  # the budget ends below the iterations of SDCA
        {"pegasos": (-5e5, -5e5), "aggressive": (-5e5, -5e5)},
    ],
)
def test_runs_that_do_not_decide_between_pegasos_and_sdca_are_unclear(
    changed: Mapping[str, tuple[float, float]],
) -> None:
    runs = {name: {**as_claimed()[name], 1: costs} for name, costs in changed.items()}
    claim = claims_with(**runs)["3"]
    assert (claim.verdict, claim.nearest.cases) == ("unclear", 1)


def test_aggressive_steps_that_are_not_faster_than_safe_ones() -> None:
    slow = claims_with(aggressive=power(4e8, 0.9))["often"]
    assert slow.verdict == "contradicted"
    near = {b: runs if b > 512 else as_claimed()["safe"][b] for b, runs in as_claimed()["aggressive"].items()}
    assert claims_with(aggressive=near)["often"].verdict == "unclear"


def test_unknown_optimum_missing_data_and_sizes() -> None:
    unknown = judged(sweep_panel(SPEC, as_claimed(), gap=1e-5))
    assert {claim.verdict for claim in unknown.values()} == {"not_testable"}
    assert all("P* is known to 1e-05 only" in claim.nearest.exceptions()[0] for claim in unknown.values())
    # a size that is left out counts
    gap = {b: runs for b, runs in as_claimed()["safe"].items() if b != 1024}
    nearest = claims_with(safe=gap)["safe"].nearest
    assert (nearest.held, nearest.run, nearest.cases, nearest.outcome) == (1, 1, 2, "reproduced")
    assert "safe SDCA with b = 1,024 on RCV1: not run" in nearest.exceptions()[0]


@pytest.mark.parametrize("flat_from", [64.0, 1e9])
def test_the_statistic_of_minibatch_speedups_from_data_csv(tmp_path: Path, flat_from: float) -> None:
    """A second check with pandas alone: speed-up of Pegasos over that of aggressive SDCA, beyond b = 1 / sigma^2."""
    made = make(
        with_spectra(SPEC, [sweep_panel(SPEC, as_claimed() | {"aggressive": power(1e6, 0.9, flat_from=flat_from)})])
    )
    made.data.to_csv(tmp_path / "data.csv", index=False)
    points = pd.read_csv(tmp_path / "data.csv")
    known = points[2 * points["reached"] > points["runs"]]
    table = known.pivot_table(index=["b", "inverse_sigma2"], columns="series", values="iterations").reset_index(level=1)
    speed_ups = table.loc[1, ["pegasos", "aggressive"]] / table[["pegasos", "aggressive"]]
    ratios = (speed_ups["pegasos"] / speed_ups["aggressive"])[table.index > table["inverse_sigma2"]]
    (claim,) = (one for one in made.claims if one.id == "minibatch.speedups")
    beyond = reading(claim, "beyond")
    pairs = beyond.statistic["rcv1"]["aggressive"]["pairs"]
    assert {name: pair["estimate"] for name, pair in pairs.items()} == {
        f"Pegasos, b = 1 to {b:,}": pytest.approx(ratio) for b, ratio in ratios.items()
    }
    assert beyond.outcome == ("reproduced" if ratios.between(0.5, 2.0).all() else "contradicted")
