from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from asset_cases import like, run
from evidence_cases import MadeUp, evidence, panel
from matplotlib.figure import Figure
from readings import claims_of, reading, rulings

from svm_cost_curves.experiments.papers.asset.race import TO_TARGET, entries_of
from svm_cost_curves.experiments.papers.asset.table2 import DROPPED, make, printed_in
from svm_cost_curves.experiments.papers.times import BETWEEN_STARTS
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

SPEC = read_figure("asset_table2")
N = {"adult": 32561, "mnist": 58100, "ijcnn1": 113352}


def timed_panel(
    dataset: str = "adult",
    *,
    reach: Sequence[float] = (1.0, 1.1, 1.2),
    star: Sequence[float] = (1.05, 1.1, 1.2),
    end: float = 15.0,
    star_end: float = 15.0,
    cpny: Sequence[float] = (10.0, 10.5, 11.0),
    cpsp: float = 60.0,
    cpsp_error: float = 14.9,
    without: Sequence[str] = (),
    **fields: Any,
) -> Panel:
    """ASSET and ASSET* come to CPNY's 15.1 % after these seconds (negative: never); all others take a minute.

    With s = 1024 all with an s take twice as long.
    """
    model = like(dataset, n=N.get(dataset, 1000))
    times: dict[str, Sequence[float]] = {"asset": reach, "asset_star": star, "cpny": cpny, "cpsp": (cpsp,)}
    ends = {"asset": end, "asset_star": star_end, "cpny": 15.1, "cpsp": cpsp_error, DROPPED: 17.0}
    runs = {}
    for series in SPEC.series:
        for s, name in (SPEC.members(series.name) if series.grid else {0.0: series.name}).items():
            factor = 2.0 if s == 1024 else 1.0
            runs[name] = [
                run(model, f"{name} {seed}", seed, _rows(series.name, factor * seconds, ends.get(series.name, 14.9)))
                for seed, seconds in enumerate(() if series.name in without else times.get(series.name, (60.0,)))
            ]
    return panel(dataset, runs, **fields)


def _rows(name: str, seconds: float, end: float) -> list[dict[str, Any]]:
    there = 15.05 if seconds > 0 else 16.0
    to_target = name in TO_TARGET
    at = abs(seconds)
    # an iteration takes a hundredth of the time
    rows = [(50, 20.0), (98, 19.0), (100, there if to_target else end)]
    rows += [(500, 16.0 if seconds < 0 else end)] if to_target else []
    return [
        {"iterations": k, "epochs": k / 50, "cpu_seconds": k / 100 * at, "test_error": error / 100} for k, error in rows
    ]


def judged(*panels: Panel) -> dict[str, Claim]:
    return claims_of(make(evidence(SPEC, panels)))


def five(**changes: dict[str, Any]) -> list[Panel]:
    """All data sets as in the paper: on CCAT CPSP's error is far below, on Adult CPNY is slow."""
    by_dataset: dict[str, dict[str, Any]] = {name: {} for name in SPEC.datasets}
    by_dataset["rcv1_ccat"] = {"cpsp_error": 13.0}
    by_dataset["adult"] = {"cpny": (100.0, 101.0, 103.0)}
    return [timed_panel(name, **{**fields, **changes.get(name, {})}) for name, fields in by_dataset.items()]


def test_claims_hold_on_times_and_errors_as_in_the_paper() -> None:
    claims = judged(*five())
    verdicts = {name: claim.verdict for name, claim in claims.items()}
    assert verdicts == dict.fromkeys(claims, "reproduced") | {"asset.cpny": "not_testable"}  # about a program
    assert set(claims) == {"asset.1", "asset.fastest", "asset.cpsp", "asset.cpny", "asset.2"}
    first = claims["asset.1"].nearest
    assert first.cases == 10  # times and errors of five data sets
    # CPSP with half of the s: a minute over twice 1.1 s
    over = first.statistic["adult"]["time of cpsp s=1024"]["ratio"]
    assert over["estimate"] == pytest.approx(60 / 2.2)
    assert over["low"] == pytest.approx(60 / 2.4 / BETWEEN_STARTS)
    assert over["high"] == pytest.approx(60 / 2.0 / 0.99 * BETWEEN_STARTS)  # it was missed after 98 of 100 iterations
    assert claims["asset.1"].agreement == "holds under 4 of 4 readings"
    equal = claims["asset.2"].nearest.statistic["adult"]
    assert equal["time of asset_star s=1024"]["ratio"]["estimate"] == pytest.approx(1.0)
    ends = reading(claims["asset.2"], "end").statistic["adult"]
    assert ends["error s=1024"]["estimate"] == pytest.approx(0.0)
    # the medians on Adult and on the other data sets
    abnormal = claims["asset.cpny"].nearest.statistic["adult"]["time s=512"]["ratio"]
    assert abnormal["estimate"] == pytest.approx(101.0 / 10.5)


@pytest.mark.parametrize(
    ("changes", "claim", "reading", "case", "ruling"),
    [
        ({"cpsp": 2.0}, "asset.1", 0, "time of cpsp s=1024", "fails"),
        ({"cpsp": 200.0}, "asset.1", 0, "time of cpsp s=1024", "fails"),  # more than forty
        ({"cpsp": 200.0}, "asset.1", 2, "time of cpsp s=1024", "holds"),
        ({"cpsp": 4.4}, "asset.1", 0, "time of cpsp s=1024", "unclear"),
        ({"cpsp": 100.0, "reach": (-1.0, -1.0, 1.2)}, "asset.1", 0, "time of cpsp s=1024", "fails"),  # the premise
        ({"cpsp_error": 14.0}, "asset.1", 0, "error s=1024", "fails"),
        ({"end": 16.0}, "asset.1", 0, "error s=1024", "holds"),
        ({"end": 16.0}, "asset.1", 1, "error s=1024", "fails"),  # at the end of the runs
        ({"cpny": (1.0, 1.1, 1.2)}, "asset.1", 3, "time of cpny s=512", "fails"),
        ({"cpny": (0.5, 0.5, 0.5)}, "asset.fastest", 0, "time of asset s=512", "fails"),
        ({"cpny": (0.7, 0.75, 0.8)}, "asset.fastest", 1, "time of asset s=512", "unclear"),
        ({"reach": (-1.0, -1.0, -1.0)}, "asset.fastest", 0, "time of asset s=512", "fails"),  # the premise
        ({"cpsp_error": 15.3}, "asset.cpsp", 0, "error s=512", "fails"),
        ({"cpsp": 1.5}, "asset.cpsp", 0, "time of cpsp s=512", "fails"),
        ({"star": (3.0, 3.1, 3.2)}, "asset.2", 0, "time of asset_star s=512", "fails"),
        ({"star": (1.0, 1.6, 2.2)}, "asset.2", 0, "time of asset_star s=512", "unclear"),
        ({"star": (-3.0, -3.1, -3.2)}, "asset.2", 0, "time of asset_star s=512", "fails"),  # over its budget
        ({"star": (-0.2, -0.2, -0.2)}, "asset.2", 0, "time of asset_star s=512", "unclear"),  # as far as is known
        ({"star_end": 15.6}, "asset.2", 2, "error s=512", "holds"),
        ({"star_end": 15.6}, "asset.2", 1, "error s=512", "fails"),
        ({"star_end": 14.4}, "asset.2", 1, "error s=512", "fails"),
        ({"star": (0.56, 0.57, 0.58)}, "asset.2", 0, "time of asset_star s=512", "fails"),  # 1 / 1.5 is 0.67
        ({"reach": (1.0, 1.1, -5.0, -5.0)}, "asset.2", 0, "time of asset_star s=512", "fails"),  # half of the runs miss
    ],
)
def test_one_case(changes: dict[str, Any], claim: str, reading: int, case: str, ruling: str) -> None:
    assert rulings(judged(timed_panel(**changes))[claim], "adult", reading)[case] == ruling


def test_neither_method_reaches_the_target() -> None:
    claim = judged(timed_panel(reach=(-1, -1, -1), star=(-1, -1, -1)))["asset.2"]
    assert "Adult, s = 512: fails, neither reaches CPNY's error" in claim.nearest.exceptions()


@pytest.mark.parametrize(("ccat_error", "ruling"), [(13.0, "holds"), (14.9, "fails")])
def test_ccat_is_the_exception(ccat_error: float, ruling: str) -> None:
    claim = judged(timed_panel("rcv1_ccat", cpsp_error=ccat_error))["asset.1"]
    assert rulings(claim, "rcv1_ccat")["error s=1024"] == ruling


def test_cpny_on_adult_is_compared_with_its_longest_time_elsewhere() -> None:
    usual = judged(*five(adult={"cpny": (10.0, 10.5, 11.0)}))["asset.cpny"].nearest
    assert usual.decided_by == "Adult, s = 512: time, CPNY over its longest time elsewhere, 1 (range 0.826 to 1.21)"
    assert judged(timed_panel())["asset.cpny"].nearest.decided_by == ""


def test_data_that_the_table_does_not_have_are_beside() -> None:
    other = judged(timed_panel("digits", stand_in="chosen by name"))
    assert {claim.verdict for claim in other.values()} == {"not_testable"}


@pytest.mark.parametrize(("series", "compared"), [(SPEC.members("asset")[1024.0], True), (DROPPED, False)])
def test_other_clocks_are_not_compared(series: str, compared: bool) -> None:
    """LASVM without its smallest coefficients is no method of the table."""
    one = timed_panel()
    first, *rest = one.runs[series]
    elsewhere = {**first.result["provenance"], "cpu": "another"}
    slow = run(first, "elsewhere", 0, _rows("asset", 1.0, 15.0), provenance=elsewhere)  # type: ignore[arg-type]
    made = make(evidence(SPEC, [replace(one, runs={**one.runs, series: (slow, *rest)})]))
    mismatches = [why for claim in made.claims for why in claim.nearest.exceptions() if "different processors" in why]
    assert bool(mismatches) == compared
    assert DROPPED not in set(made.data["series"])


def test_numbers() -> None:
    panels = [
        timed_panel("adult"),
        timed_panel("covtype_subset", paper_dataset="covtype", stand_in="a part", reach=(-1.0, -1.0)),
    ]
    numbers = {number.name: number for number in make(evidence(SPEC, panels)).numbers}
    assert len(numbers) == 100 + 50
    error = numbers["asset error on adult, s = 512"]
    assert error.outcome == "too few runs"  # 15.05 % in three runs, printed 15.06 %
    assert error.note == "15.00 % at the end of the runs: too few runs"
    assert error.limit == pytest.approx(100 * 1.96 * (0.1506 * 0.8494 / 500) ** 0.5)  # a test set of 500 rows
    assert numbers["asset error on covtype, s = 512"].agrees is None
    assert numbers["asset error on mnist, s = 512"].measured is None
    time = numbers["cpny time on adult, s = 512"]
    assert (time.unit, time.agrees) == ("h", None)
    assert time.measured == pytest.approx(10.5 / 3600)
    ratio = numbers["time of cpny over asset on adult, s = 512"]
    assert ratio.paper == pytest.approx(8.2 * 3600 / 22.5, rel=1e-3)
    assert ratio.outcome == "differs"  # by far, as three runs show


@pytest.mark.parametrize("ran", [True, False])
def test_the_note_on_lasvms_error_has_that_without_small_coefficients(ran: bool) -> None:
    adult = timed_panel(without=[] if ran else [DROPPED])
    number = next(one for one in make(evidence(SPEC, [adult])).numbers if one.name == "lasvm error on adult")
    assert number.measured == pytest.approx(14.9)
    note = "17.00 % without coefficients below a thousandth of the largest, as the program saves a model: too few runs"
    assert number.note == (note if ran else "")


def test_it_differs_from_lasvm_by_the_coefficients_only() -> None:
    lasvm, dropped = (next(one for one in SPEC.series if one.name == name) for name in ("lasvm", DROPPED))
    assert set(dropped.overrides) - set(lasvm.overrides) == {"algo.drop_below=1e-3"}
    assert set(lasvm.overrides) <= set(dropped.overrides)
    assert dropped.by_dataset == lasvm.by_dataset
    assert (dropped.datasets, dropped.seeds) == (["adult"], lasvm.seeds)


def test_a_runs_target_is_cpnys_error_on_the_same_split() -> None:
    """CPNY has 15.1 % on one split and 16.1 % on the other; ASSET has 15.6 % on both."""
    model = like("adult", n=1000)

    def runs(name: str, errors: Sequence[float], splits: Sequence[str]) -> list[MadeUp]:
        made = []
        for seed, (error, split) in enumerate(zip(errors, splits, strict=True)):
            provenance = {**model.result["provenance"], "data": {"split": split}}
            made.append(run(model, f"{name} {seed}", seed, _rows("cpny", 1.0, error), provenance=provenance))
        return made

    def reached(splits: Sequence[str]) -> list[bool]:
        by_series = {f"{name} features={s}": [] for name in ("asset", "cpny") for s in (512, 1024)}
        by_series["cpny features=512"] = runs("cpny", (15.1, 16.1), splits[:2])
        by_series["asset features=512"] = runs("asset", (15.6,) * len(splits), splits)
        entries = entries_of(evidence(SPEC, [panel("adult", by_series)]))
        (cell,) = [entry.cells["asset"] for entry in entries if "asset" in entry.cells]
        return list(cell.effort.reached)

    assert reached(["a", "b"]) == [False, True]
    assert reached(["a", "b", "c"]) == [False, True]  # CPNY was not run on the third split
    assert reached(["", ""]) == [True, True]  # one split: the mean of both runs, 15.6 %


def test_the_papers_own_table_has_the_factors_of_its_text() -> None:
    printed = printed_in(SPEC)
    assert sum(len(row) for (kind, _, s), row in printed.items() if s == 512 and kind != "over asset") == 60
    seconds = {"s": 1.0, "h": 3600.0}

    def time(dataset: str, s: int, method: str) -> float:
        number = printed["time", dataset, s][method]
        return seconds[number.unit] * number.paper

    for (kind, name, s), row in printed.items():
        for method, number in row.items() if kind == "over asset" else ():
            assert number.paper == pytest.approx(time(name, s, method) / time(name, s, "asset"), rel=1e-3)
    over = [time(name, 512, "cpsp") / time(name, 1024, "asset") for name in SPEC.datasets]
    assert min(over) == pytest.approx(2.0, abs=0.01)
    assert max(over) == pytest.approx(38.9, abs=0.1)


def test_the_papers_methods_set_the_axis_and_another_error_has_its_number_at_the_edge() -> None:
    one = timed_panel()
    name = SPEC.members("sklearn_nystroem")[512.0]
    far = [run(like("adult", n=N["adult"]), name, 0, _rows("sklearn_nystroem", -1.0, 15.0))]  # ends at 16 %
    made = make(evidence(SPEC, [replace(one, runs={**one.runs, name: tuple(far)})]))
    made.draw(picture := Figure(figsize=made.size))
    (axes,) = picture.axes
    low, high = axes.get_ylim()
    assert low < 14.9 < 15.1 < high < 16.0
    assert [text.get_text() for text in axes.texts if "%" in text.get_text()] == ["16.0 %"]
    assert max(float(max(line.get_ydata())) for line in axes.get_lines()) == high
