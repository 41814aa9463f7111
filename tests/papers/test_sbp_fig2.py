from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from curve_cases import EPOCH, Error, constant, curves_panel, drop, falling, plus
from evidence_cases import evidence
from hypothesis import given
from hypothesis import strategies as st
from pictures import render

from experiments.papers.panels import COLUMNS
from experiments.papers.sbp.fig2 import make, median_over_log_cost
from experiments.plotting import MeanCurve
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import read_figure
from experiments.reproduction.verdict import Claim

SPEC = read_figure("sbp_fig2")
DATASETS = ("reuters_money_fx", "adult", "mnist")


def perceptron(first: float, after: float, per_decade: float) -> Error:
    """In the first epoch relative to `falling(0.1)`, afterwards a line in the logarithm of the epochs."""

    def error(costs: np.ndarray, seed: int) -> np.ndarray:
        near = falling(0.1)(costs, seed) * first
        later = after + per_decade * np.log10(np.maximum(costs / EPOCH, 1.0))
        return np.where(costs < EPOCH, near, later) + 0.0005 * (seed - 1)

    return error


# what the paper says, and its opposite
AS_SAID: dict[str, Error] = {
    "sbp": falling(0.1),
    "pegasos": plus(falling(0.1), 0.02, 0.003),
    "sdca": plus(falling(0.1), 0.01, 0.003),
    "smo": drop(0.5, 0.1, 1e6),
    "perceptron": perceptron(1.05, 0.2, 0.02),
}


def slow_smo(costs: np.ndarray, _: int) -> np.ndarray:
    """Early and gradual progress, to an error that is not the best."""
    return np.asarray(0.2 + 0.2 * 0.3 ** np.log10(costs / costs[0]))


OPPOSITE: dict[str, Error] = {
    "sbp": plus(falling(0.1), 0.35),
    "pegasos": plus(falling(0.1), 0.33, 0.003),
    "sdca": plus(falling(0.1), 0.34, 0.003),
    "smo": slow_smo,
    "perceptron": lambda costs, seed: (
        1.5 * OPPOSITE["sbp"](np.minimum(costs, EPOCH), seed)
        - 0.2 * (1 + np.log10(np.maximum(costs / EPOCH, 1.0))) * (costs > EPOCH)
        + 0.001 * seed
    ),
}


def claims(panels: list[Panel]) -> dict[str, Claim]:
    made = make(evidence(SPEC, panels))
    assert [claim.id for claim in made.claims] == ["sbp.1", "sbp.2", "sbp.3"]
    assert [claim.paper_says for claim in made.claims] == [spec.says for spec in SPEC.claims]
    return {claim.id: claim for claim in made.claims}


def verdicts(panels: list[Panel]) -> dict[str, str]:
    return {name: claim.verdict for name, claim in claims(panels).items()}


@pytest.fixture(scope="module")
def as_said(tmp_path_factory: pytest.TempPathFactory) -> list[Panel]:
    folder = tmp_path_factory.mktemp("said")
    return [curves_panel(folder, name, AS_SAID) for name in DATASETS]


@pytest.fixture(scope="module")
def opposite(tmp_path_factory: pytest.TempPathFactory) -> list[Panel]:
    folder = tmp_path_factory.mktemp("opposite")
    return [curves_panel(folder, name, OPPOSITE) for name in DATASETS]


def test_claims_hold_on_matching_curves(as_said: list[Panel]) -> None:
    found = claims(as_said)
    assert {claim.verdict for claim in found.values()} == {"reproduced"}
    pegasos = found["sbp.1"].statistic["adult"]["pegasos"]
    assert pegasos["interval"]["estimate"] == pytest.approx(-0.02)
    assert pegasos["differences"] == pytest.approx([-0.017, -0.02, -0.023])
    assert pegasos["share"] == 1.0
    smo = found["sbp.2"].statistic["mnist"]
    assert smo["steep"]["half"] == pytest.approx(630957, rel=1e-3)  # the last evaluation before 1e6
    assert smo["stopped_early"]["until"] == pytest.approx(1e6)
    assert {pair["smo"] for pair in smo["stopped_early"]["medians"].values()} == {0.5}
    assert smo["run_long"]["above_best"] == pytest.approx(0, abs=1e-4)
    adult = found["sbp.3"].statistic["adult"]
    assert adult["first_epoch"]["relative"]["estimate"] == pytest.approx(0.05, abs=1e-3)
    assert adult["end"]["interval"]["estimate"] == pytest.approx(0.2 + 2 * 0.02 - 0.1003, abs=1e-3)
    assert adult["overfitting"]["slope"]["estimate"] == pytest.approx(0.02, rel=0.1)
    assert "overfitting" not in found["sbp.3"].statistic["mnist"]
    assert "Adult: SBP less Pegasos -2.00 [" in found["sbp.1"].measured


def test_the_opposite_curves_give_the_opposite_verdicts(opposite: list[Panel]) -> None:
    assert set(verdicts(opposite).values()) == {"not_reproduced"}


def test_data_sets_that_disagree_give_partly(as_said: list[Panel], opposite: list[Panel]) -> None:
    assert set(verdicts([as_said[0], opposite[1], as_said[2]]).values()) == {"partly"}


def test_seeds_that_disagree_give_partly(tmp_path: Path) -> None:
    crossing = {**AS_SAID, "pegasos": plus(falling(0.1), 0.0, 0.02), "perceptron": plus(falling(0.1), 0.0, 0.05)}
    found = claims([curves_panel(tmp_path, "adult", crossing)])
    assert found["sbp.1"].statistic["adult"]["pegasos"]["ruling"] == "partly"
    assert found["sbp.1"].verdict == "partly"
    assert {part["ruling"] for part in found["sbp.3"].statistic["adult"].values()} >= {"partly"}


def test_equal_curves_count_as_at_or_below(tmp_path: Path) -> None:
    same = {**AS_SAID, "pegasos": falling(0.1), "sdca": falling(0.1)}
    assert verdicts([curves_panel(tmp_path, "mnist", same)])["sbp.1"] == "reproduced"


def test_smo_that_never_drops_is_not_reproduced(tmp_path: Path) -> None:
    found = claims([curves_panel(tmp_path, "mnist", {**AS_SAID, "smo": constant(0.3)})])["sbp.2"]
    assert found.verdict == "not_reproduced"
    assert found.statistic["mnist"]["steep"]["half"] is None


def test_smo_s_excess_over_the_best_may_be_a_tenth_of_a_point(tmp_path: Path) -> None:
    best = float(falling(0.1)(np.array([1e3, 1e8]), 1)[-1])
    near, far = (
        claims([curves_panel(tmp_path / name, "mnist", {**AS_SAID, "smo": drop(0.5, best + excess, 1e6)})])["sbp.2"]
        for name, excess in (("near", 0.0009), ("far", 0.0011))
    )
    assert near.verdict == "reproduced"
    assert far.statistic["mnist"]["run_long"]["ruling"] == "not_reproduced"
    assert far.verdict == "partly"


def test_one_seed_is_judged_with_a_note(tmp_path: Path) -> None:
    found = claims([curves_panel(tmp_path, name, AS_SAID, seeds=1) for name in DATASETS])
    assert {claim.verdict for claim in found.values()} == {"reproduced"}
    interval = found["sbp.1"].statistic["mnist"]["sdca"]["interval"]
    assert interval["low"] == interval["high"]
    assert "one run only" in found["sbp.1"].why
    assert "one run only" in found["sbp.3"].why


def test_seeds_are_paired_by_their_number(tmp_path: Path) -> None:
    whole = curves_panel(tmp_path, "mnist", AS_SAID)
    runs = dict(whole.runs)
    runs["sbp"], runs["pegasos"] = runs["sbp"][1:], runs["pegasos"][:2]  # seeds 1, 2 and 0, 1
    found = claims([replace(whole, runs=runs)])["sbp.1"].statistic["mnist"]
    assert found["pegasos"]["differences"] == pytest.approx([-0.02])
    assert found["sdca"]["differences"] == pytest.approx([-0.01, -0.013])
    runs["sbp"], runs["pegasos"] = runs["sbp"][:0], runs["pegasos"]
    assert verdicts([replace(whole, runs=runs)])["sbp.1"] == "not_applicable"


def test_a_stand_in_is_measured_but_not_counted(as_said: list[Panel], opposite: list[Panel]) -> None:
    stand_in = replace(opposite[2], dataset="digits", stand_in="MNIST cannot be had")
    found = claims([*as_said[:2], stand_in])
    assert {claim.verdict for claim in found.values()} == {"reproduced"}
    for claim in found.values():
        assert "Digits (stand-in for MNIST, 8 against the rest): measured, not judged." in claim.why
        assert claim.statistic["mnist"]
    alone = verdicts([stand_in])
    assert set(alone.values()) == {"not_applicable"}


@pytest.mark.parametrize(
    "panels",
    [[], [Panel("adult", "adult")], [Panel("mnist", "mnist", runs=dict.fromkeys(AS_SAID, ()))]],
    ids=["no panel", "no series", "no runs"],
)
def test_without_runs_claims_are_undecided(panels: list[Panel]) -> None:
    made = make(evidence(SPEC, panels))
    assert {claim.verdict for claim in made.claims} == {"not_applicable"}
    assert all(claim.why.endswith(".") for claim in made.claims)
    assert list(made.data.columns) == list(COLUMNS)
    assert made.data.empty
    render(made)


@pytest.mark.parametrize("gone", sorted(AS_SAID))
def test_a_missing_series_leaves_only_its_claims_undecided(as_said: list[Panel], gone: str) -> None:
    panel = replace(as_said[1], runs={**as_said[1].runs, gone: ()})
    found = claims([panel])
    needs = {"sbp.1": {"sbp"}, "sbp.2": set(AS_SAID), "sbp.3": {"sbp", "perceptron"}}
    for name, claim in found.items():
        assert claim.verdict == ("not_applicable" if gone in needs[name] else "reproduced")
    if gone in ("pegasos", "sdca"):
        assert f"no finished runs of {'Pegasos' if gone == 'pegasos' else 'SDCA'}" in found["sbp.1"].why


def test_a_missing_series_leaves_the_others_drawn(as_said: list[Panel]) -> None:
    gone = replace(as_said[1], runs={**as_said[1].runs, "smo": ()})
    made = make(evidence(SPEC, [as_said[0], gone]))
    assert set(made.data.loc[made.data["panel"] == "adult", "series"]) == set(AS_SAID) - {"smo"}
    render(made)


def test_every_point_is_in_the_table(as_said: list[Panel]) -> None:
    data = make(evidence(SPEC, as_said)).data
    assert list(data.columns) == list(COLUMNS)
    assert set(data["cost"]) == {"kernel_evaluations", "cpu_seconds"}
    part = data[(data["panel"] == "adult") & (data["cost"] == "kernel_evaluations") & (data["series"] == "pegasos")]
    costs = part["x"].to_numpy()
    assert part["mean"].to_numpy() == pytest.approx(AS_SAID["pegasos"](costs, 1))
    assert part["sd"].to_numpy() == pytest.approx(0.003)
    assert set(part["seeds"]) == {"0 1 2"}
    assert set(data[data["series"] == "smo"]["seeds"]) == {"0"}


def test_picture_shows_all_series(as_said: list[Panel], opposite: list[Panel]) -> None:
    def bytes_of(found: Evidence) -> bytes:
        return render(make(found)).tobytes()

    picture = bytes_of(evidence(SPEC, as_said))
    assert picture != bytes_of(evidence(SPEC, [*as_said[:2], opposite[2]]))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.data())
def test_median_over_log_cost_equals_median_of_even_samples(values: list[float], data: st.DataObject) -> None:
    costs = np.geomspace(1, 2 ** len(values), len(values) + 1)[:-1]
    curve = MeanCurve(costs, np.array(values), np.zeros(len(values)), 1, None)
    low = data.draw(st.floats(1, float(costs[-1])))
    high = low * data.draw(st.floats(1.5, 100))
    samples = np.exp(np.linspace(np.log(low), np.log(high), 4001)[:-1])
    sampled = curve.mean[np.searchsorted(costs, samples, side="right") - 1]
    median = median_over_log_cost(curve, low, high)
    assert median in values
    assert np.mean(sampled <= median) >= 0.5 - 1e-2
    assert np.mean(sampled >= median) >= 0.5 - 1e-2


def test_the_other_accounting_is_measured_but_not_counted(as_said: list[Panel], opposite: list[Panel]) -> None:
    kept = {f"{rival}_kept": as_said[0].runs[rival] for rival in ("pegasos", "sdca")}
    both = [replace(panel, runs={**panel.runs, **kept}) for panel in opposite]
    sbp_below = [replace(panel, runs={**panel.runs, "sbp": as_said[0].runs["sbp"]}) for panel in both]
    for panels in (both, sbp_below):
        claim = claims(panels)["sbp.1"]
        statistic = claim.statistic["adult"]
        assert statistic["pegasos_kept"]["ruling"] == "not_applicable"
        assert statistic["pegasos_kept"]["by_itself"] in ("reproduced", "not_reproduced")
        assert claim.verdict == statistic["pegasos"]["ruling"] == statistic["sdca"]["ruling"]
        assert "Pegasos with responses kept" in claim.measured
    made = make(evidence(SPEC, both))
    assert {"pegasos", "pegasos_kept", "sdca_kept"} <= set(made.data["series"])
    render(made)


def test_the_comparison_without_the_beginning(as_said: list[Panel]) -> None:
    found = claims(as_said)["sbp.1"].statistic["adult"]["pegasos"]
    assert found["low"] < found["later"]["low"] == 100 * (as_said[1].n or 0) < found["high"] == found["later"]["high"]
    assert found["later"]["interval"]["estimate"] < 0


def test_the_averaged_perceptron_is_measured_but_not_counted(as_said: list[Panel], opposite: list[Panel]) -> None:
    for judged, measured, word in ((opposite, as_said, "reproduced"), (as_said, opposite, "not_reproduced")):
        panels = [
            replace(panel, runs={**panel.runs, "averaged": other.runs["perceptron"], "sbp": as_said[0].runs["sbp"]})
            for panel, other in zip(judged, measured, strict=True)
        ]
        alone = [replace(panel, runs={**panel.runs, "averaged": ()}) for panel in panels]
        both, plain = claims(panels)["sbp.3"], claims(alone)["sbp.3"]
        assert both.verdict == plain.verdict
        statistic = both.statistic["adult"]["averaged_overfitting"]
        assert (statistic["ruling"], statistic["by_itself"]) == ("not_applicable", word)
        assert "averaged, in the Perceptron's first epoch" in both.measured
