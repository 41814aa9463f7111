"""The kinds of statistics for any figure's curves, against values computed by hand, and how a claim names them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from evidence_cases import N, evidence, finished_run, panel, rows_of

from svm_cost_curves.experiments.papers import kinds
from svm_cost_curves.experiments.papers.cases import Case, Statistic
from svm_cost_curves.experiments.papers.kinds import Limits
from svm_cost_curves.experiments.papers.kinds.errors import CurvePoint
from svm_cost_curves.experiments.reproduction.claim_spec import ClaimSpec, ReadingSpec, check_statistic, statistic_of
from svm_cost_curves.experiments.reproduction.evidence import Panel, Run
from svm_cost_curves.experiments.reproduction.series_spec import SeriesSpec
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics.interval import Interval
from svm_cost_curves.experiments.reproduction.statistics.ratio import Ratio

SERIES = [SeriesSpec("sbp"), SeriesSpec("smo"), SeriesSpec("own", label="Our own")]
SPEC = FigureSpec(id="sbp_x", maker="svm_cost_curves.experiments.papers.curves", datasets=["adult"], series=SERIES)
STEPS = (1, 10, 100)


def run(errors: Sequence[float], seed: int = 0, iterations: Sequence[int] = STEPS, **columns: Any) -> Run:
    """A run with these errors, n evaluations in each iteration; epochs are a tenth of the iterations."""
    evaluations, epochs = [N * steps for steps in iterations], [steps / 10 for steps in iterations]
    given = {"iterations": iterations, "kernel_evaluations": evaluations, "epochs": epochs, "test_error": errors}
    return finished_run(seed=seed, name=str(columns), rows=rows_of(**{**given, **columns}))


def case_of(statistic: Statistic, runs: Mapping[str, Sequence[Run]]) -> Case:
    """The case of a statistic on one data set with these runs."""
    return cases_of(statistic, panel("adult", runs))[0]


def cases_of(statistic: Statistic, case: Panel) -> Sequence[Case]:
    return statistic.findings(None, evidence(SPEC, [case])).cases


FALLING, LEVEL = (0.4, 0.2, 0.1), (0.3, 0.3, 0.3)


@pytest.mark.parametrize(
    ("options", "low", "high", "difference"),
    [
        ({}, 1, 100, 0.0),  # 0.4 over one decade, 0.2 over the other
        ({"start": 10}, 10, 100, -0.1),
        ({"start": 10, "cost": "kernel_evaluations"}, 10 * N, 100 * N, -0.1),
        ({"to_epoch_of": "sbp"}, 1, 10, 0.1),
    ],
)
def test_the_area_between_two_curves(options: dict[str, Any], low: float, high: float, difference: float) -> None:
    area = kinds.Area(**{"first": "sbp", "others": ["own"], "cost": "iterations", "at_most": -0.05, **options})
    case = case_of(area, {"sbp": [run(FALLING)], "own": [run(LEVEL)]})
    assert (case.statistic["low"], case.statistic["high"]) == (low, high)
    assert case.statistic["interval"]["estimate"] == pytest.approx(difference)
    assert case.ruling == ("holds" if difference < -0.05 else "fails")
    assert case.measured == f"SBP less Our own {100 * difference:+.2f} points".replace("-0.00", "+0.00")


def test_a_relative_area_and_what_is_missing() -> None:
    area = kinds.Area(first="sbp", others=["own", "smo"], cost="iterations", start=10, relative=True, within=0.5)
    runs = {"sbp": [run(FALLING)], "own": [run(LEVEL)], "smo": []}
    known, gone = cases_of(area, panel("adult", runs))
    assert known.statistic["relative"]["estimate"] == pytest.approx(-1 / 3)
    assert (known.ruling, known.measured) == ("holds", "SBP less Our own -33.3 %")
    assert (gone.ruling, gone.note) == ("missing", "no finished runs of SMO")
    late = case_of(area, {"sbp": [run(FALLING)], "own": [run(LEVEL, iterations=(100, 200, 300))]})
    assert (late.ruling, late.note) == ("missing", "the curves share no range of cost")
    perfect = case_of(area, {"sbp": [run(FALLING)], "own": [run([0, 0, 0])]})
    assert perfect.note == "the other mean is 0: there is no relative difference"


def test_areas_are_paired_by_seed() -> None:
    """Seed 1 is common."""
    runs = {"sbp": [run([0.1 * seed] * 3, seed) for seed in (1, 2)], "own": [run([0.4] * 3, 0), run([0.5] * 3, 1)]}
    case = case_of(kinds.Area(first="sbp", others=["own"], cost="iterations", below=0), runs)
    assert case.statistic["differences"] == pytest.approx([0.1 - 0.5])


@pytest.mark.parametrize(
    ("second", "difference", "name"),
    [
        (CurvePoint(series="own"), -0.2, "Our own at its end"),
        (CurvePoint(series="sbp", epoch_of="sbp"), -0.1, "SBP after the first epoch"),
        (CurvePoint(series="own", epoch_of="sbp"), -0.25, "Our own after the first epoch of SBP"),
    ],
)
def test_the_difference_between_two_places(second: CurvePoint, difference: float, name: str) -> None:
    runs = {"sbp": [run(FALLING)], "own": [run((0.9, 0.35, 0.3))]}
    case = case_of(kinds.Difference(first=CurvePoint(series="sbp"), second=second, below=0), runs)
    assert case.statistic["interval"]["estimate"] == pytest.approx(difference)
    assert (case.ruling, case.measured) == ("holds", f"SBP at its end less {name} {100 * difference:+.2f} points")
    relative = kinds.Difference(first=second, second=CurvePoint(series="sbp"), relative=True, above=0.5)
    assert case_of(relative, runs).statistic["relative"]["estimate"] == pytest.approx(-difference / 0.1)


def test_places_are_paired_by_seed() -> None:
    """Seeds 1 and 2 are common; a single run is paired with all; a run without a first epoch has no pair."""
    runs = {
        "sbp": [run((1, 0.1 * seed, 0), seed) for seed in range(3)],
        "own": [run((1, 0, 0.01 * seed), seed) for seed in (1, 2)],
        "smo": [run((1, 0, 0.5))],
    }
    epoch = CurvePoint(series="sbp", epoch_of="sbp")

    def differences(other: str, by_series: Mapping[str, Sequence[Run]]) -> list[float]:
        case = case_of(kinds.Difference(first=epoch, second=CurvePoint(series=other), above=0), by_series)
        values: list[float] = case.statistic["differences"]
        return values

    assert differences("own", runs) == pytest.approx([0.1 - 0.01, 0.2 - 0.02])
    assert differences("smo", runs) == pytest.approx([-0.5, -0.4, -0.3])
    short = [*runs["sbp"][:2], run((1, 1, 1), 2, epochs=[0, 0, 0])]
    assert differences("own", {**runs, "sbp": short}) == pytest.approx([0.1 - 0.01])
    none = case_of(kinds.Difference(first=epoch, second=CurvePoint(series="own"), above=0), {**runs, "sbp": short[2:]})
    assert (none.ruling, none.note) == ("missing", "no run has an evaluation at the end of its first epoch")


def test_the_rise_after_the_first_epoch() -> None:
    rising = [0.9, *(0.1 + 0.02 * math.log10(epochs) for epochs in (1, 10, 100))]
    case = case_of(kinds.Rise(series="sbp", above=0), {"sbp": [run(rising, iterations=(1, 10, 100, 1000))]})
    assert case.statistic["rise"]["estimate"] == pytest.approx(0.02)
    assert (case.ruling, case.measured) == ("holds", "SBP for tenfold further epochs +2.00 points")
    short = case_of(kinds.Rise(series="sbp", above=0), {"sbp": [run((0.3, 0.2), iterations=(1, 9))]})
    assert (short.ruling, short.note) == ("missing", "no run goes beyond its first epoch")


def test_costs_for_equal_errors() -> None:
    """The other takes twice the cost for errors from 0.2 on, and eight times the cost below."""
    errors = (0.45, 0.3, 0.2, 0.1)
    runs = {
        "sbp": [run(errors, iterations=(1, 2, 4, 8))],
        "own": [run(errors, iterations=(2, 4, 8, 64))],
    }
    ratio = kinds.CostOverErrors(first="own", second="sbp", cost="iterations", above=1)
    case = case_of(ratio, runs)
    # 50 errors from 0.1 below 0.45, 0.007 apart: 15 are below 0.2, where only the last evaluation is good enough
    assert case.statistic["ratio"]["estimate"] == pytest.approx(2 * 4 ** (15 / 50))
    assert (case.statistic["low_error"], case.statistic["at_best"], case.ruling) == (0.1, 8, "holds")
    low = kinds.CostOverErrors(first="own", second="sbp", cost="iterations", up_to=1.9, above=9)
    assert case_of(low, runs).statistic["ratio"]["estimate"] == pytest.approx(8)
    assert case_of(low, runs).ruling == "fails"
    apart = case_of(ratio, {"sbp": [run(LEVEL)], "own": [run((0.2, 0.2, 0.2))]})
    assert (apart.ruling, apart.note) == ("missing", "the two reach no error in common")


def test_the_ratio_of_the_costs_to_a_target() -> None:
    """Medians of 20 and 5 iterations; an evaluation after each, so that the costs are exact."""
    steps = range(1, 31)

    def reaching(*iterations: int, ends: float = 0.1) -> list[Run]:
        return [
            run([0.5 if step < first else ends for step in steps], seed, steps) for seed, first in enumerate(iterations)
        ]

    runs = {"sbp": reaching(5, 5, 5), "own": reaching(10, 20, 25), "smo": reaching(40)}
    ratio = kinds.CostRatioToTarget(first="own", second="sbp", cost="iterations", target=0.2, above=1)
    case = case_of(ratio, runs)
    assert (case.statistic["ratio"]["estimate"], case.statistic["target"], case.ruling) == (4, 0.2, "holds")
    assert case.measured == "Our own over SBP, to 0.2: 4 (range 2 to 5) times"
    multiple = kinds.CostRatioToTarget(first="own", second="sbp", cost="iterations", target=1.5, of_last="sbp", above=5)
    assert case_of(multiple, runs).statistic["target"] == pytest.approx(0.15)
    assert case_of(multiple, runs).ruling == "fails"
    missed = case_of(ratio, {**runs, "own": runs["smo"]})
    assert (missed.statistic["ratio"]["bound"], missed.ruling) == ("at least", "holds")
    both = case_of(ratio, {"sbp": runs["smo"], "own": runs["smo"]})
    assert (both.ruling, both.statistic["ratio"]) == ("unclear", None)


def test_the_ratio_of_two_counts() -> None:
    runs = [run(LEVEL, seed, inner_products=[10, 100, total]) for seed, total in enumerate((500, 700))]
    ratio = kinds.CountRatio(series=["sbp", "own"], count="inner_products", at_most=5)
    known, gone = cases_of(ratio, panel("adult", {"sbp": runs}))
    assert [known.statistic["ratio"][name] for name in ("estimate", "low", "high")] == [6, 5, 7]
    assert known.ruling == "unclear"
    assert gone.note == "no finished runs of Our own"
    per_n = kinds.CountRatio(series=["sbp"], count="kernel_evaluations", over_n=True, between=(1, 1))
    assert case_of(per_n, {"sbp": runs}).ruling == "holds"


@pytest.mark.parametrize(
    ("limit", "rulings"),
    [
        ({"above": 2}, ("fails", "unclear", "holds")),
        ({"at_most": 2}, ("holds", "unclear", "fails")),
        ({"below": 2}, ("holds", "unclear", "fails")),
        ({"between": (-9, 2)}, ("holds", "unclear", "fails")),
        ({"within": 2}, ("holds", "unclear", "fails")),
    ],
)
def test_limits_of_intervals(limit: dict[str, Any], rulings: tuple[str, ...]) -> None:
    intervals = [Interval(middle, middle - 0.5, middle + 0.5, 5) for middle in (1.0, 2.2, 3.0)]
    assert tuple(Limits(**limit).decide(interval).ruling for interval in intervals) == rulings
    assert tuple(Limits(**limit).decide(Ratio(interval)).ruling for interval in intervals) == rulings


def test_limits_that_an_interval_touches() -> None:
    touching = Interval(1.5, 1.0, 2.0, 5)
    assert (Limits(at_most=2).decide(touching).ruling, Limits(below=2).decide(touching).ruling) == ("holds", "unclear")
    assert Limits(above=1).decide(touching).ruling == "unclear"


@pytest.mark.parametrize("name", ["at_most", "below"])
def test_a_bound_decides_in_its_own_direction_only(name: str) -> None:
    low, high = Interval(1.0, 0.5, 1.5, 5), Interval(3.0, 2.5, 3.5, 5)
    limits, above = Limits(**{name: 2.0}), Limits(above=2.0)
    for interval, bound, ruling, ruling_above in [
        (low, "at least", "unclear", "unclear"),
        (low, "at most", "holds", "fails"),
        (high, "at least", "fails", "holds"),
        (high, "at most", "unclear", "unclear"),
    ]:
        ratio = Ratio(interval, bound=bound)  # type: ignore[arg-type]
        assert (limits.decide(ratio).ruling, above.decide(ratio).ruling) == (ruling, ruling_above)
        assert limits.decide(ratio).more_runs is None


def claim(**statistic: Any) -> ClaimSpec:
    return ClaimSpec("sbp.1", statistic=statistic)


AREA = {"kind": "area", "first": "sbp", "others": ["smo"], "cost": "iterations", "at_most": 0}


def test_a_claim_names_its_statistic_and_readings_change_it() -> None:
    spec = ClaimSpec("sbp.1", statistic={**AREA, "start": "begin"}, constants={"begin": 2.0, "unknown": 1.0})
    first = kinds.Area(first="sbp", others=["smo"], cost="iterations", at_most=0, start=2.0)
    assert statistic_of(SPEC.maker, spec, ReadingSpec()) == first
    later = ReadingSpec("later", changes={"cost": "epochs"}, constants={"begin": 3.0})
    assert statistic_of(SPEC.maker, spec, later).cost == "epochs"
    assert statistic_of(SPEC.maker, spec, later).start == 3.0
    other = ReadingSpec("other", changes={"kind": "rise", "series": "sbp", "above": 0})
    assert statistic_of(SPEC.maker, spec, other) == kinds.Rise(series="sbp", above=0)


def test_a_constant_is_the_argument_of_its_name_and_may_be_a_limit() -> None:
    by_name = ClaimSpec("sbp.1", statistic=AREA, constants={"start": 4.0})
    assert statistic_of(SPEC.maker, by_name, ReadingSpec()).start == 4.0
    limit = ClaimSpec("sbp.1", statistic={**AREA, "at_most": "margin"}, constants={"margin": 0.1})
    assert statistic_of(SPEC.maker, limit, ReadingSpec()).at_most == 0.1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (claim(kind="aera"), "claim 'sbp.1': there is no statistic 'aera'; did you mean area. known: "),
        (claim(**AREA, strat=1), "claim 'sbp.1': strat: there is no such name.*did you mean start"),
        (claim(**AREA, start="soon"), "start: input should be a valid number"),
        (claim(**{**AREA, "others": "smo"}), "others: input should be a valid list"),
        (claim(**AREA, above=1), "one of above, at_most, below, between, within must be given, got above, at_most"),
        (claim(kind="rise", series="sbp"), "must be given, got none"),
        (claim(kind="rise", above=0), "series: field required"),
        (ClaimSpec("sbp.1", statistic=AREA, constants={"near": 1.0}), "its statistic does not use the constant near"),
        (
            ClaimSpec("sbp.1", statistic=AREA, readings=[ReadingSpec("late", changes={"cots": "epochs"})]),
            "claim 'sbp.1', reading 'late': cots: there is no such name.*did you mean cost",
        ),
    ],
)
def test_faults_of_a_statistic_are_named(spec: ClaimSpec, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_statistic(spec, SPEC.maker)


def test_statistics_without_faults() -> None:
    check_statistic(ClaimSpec("sbp.1", constants={"near": 1.0}), SPEC.maker)  # a claim that nothing judges
    used = ReadingSpec("other", changes={"kind": "rise", "series": "sbp", "above": "near"})
    check_statistic(ClaimSpec("sbp.1", statistic=AREA, constants={"near": 1.0}, readings=[used]), SPEC.maker)
