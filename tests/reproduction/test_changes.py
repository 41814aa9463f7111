"""The page of what changed since an earlier edition: outcomes, rulings, intervals, and the reasons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from svm_cost_curves.experiments.reproduction.published import EVIDENCE
from svm_cost_curves.experiments.reproduction.report.changes import (
    Reason,
    changes,
    changes_page,
    compact,
    first_readings,
    read_reasons,
)


def claim(*cases: tuple[str, str, str, dict[str, Any]], outcome: str = "mostly", held: int = 1) -> list[dict[str, Any]]:
    """Return a claim of a verdict.json with these cases: data set, name, ruling, statistic."""
    rulings = [
        {"dataset": dataset, "name": name, "ruling": ruling, "statistic": numbers}
        for dataset, name, ruling, numbers in cases
    ]
    reading = {"id": "plain", "outcome": outcome, "held": held, "run": len(cases), "rulings": rulings}
    return [{"id": "sbp.1", "type": "empirical", "readings": [reading]}]


def interval(estimate: float, low: float, high: float, **more: bool) -> dict[str, Any]:
    return {"ratio": {"estimate": estimate, "low": low, "high": high, **more}}


BEFORE = compact(
    claim(("adult", "a", "holds", interval(1.0, 0.5, 1.5)), ("web", "a", "fails", interval(2.0, 1.0, 3.0)))
)


def test_another_ruling_is_told_with_its_interval_before_and_after() -> None:
    now = claim(
        ("adult", "a", "unclear", interval(1.0, 0.5, 2.5)),
        ("web", "a", "fails", interval(2.0, 1.0, 3.0)),
        outcome="contradicted",
        held=0,
    )
    (change,) = changes(BEFORE, compact(now), [Reason("grid", ["sbp.*"], "Why."), Reason("other", ["asset.*"], "No.")])
    assert (change.before, change.after) == ("mostly reproduced (1 of 2)", "contradicted (0 of 2)")
    assert change.rulings == ["adult a: holds -> unclear, 1 [0.5, 1.5] -> 1 [0.5, 2.5]"]
    assert (change.intervals, change.compared, change.estimate, change.width) == (1, 2, 0.0, 2.0)
    assert change.why == "grid"


def test_another_first_reading_is_told() -> None:
    now = claim(("adult", "a", "holds", interval(1.0, 0.5, 1.5)), outcome="reproduced")
    now[0]["readings"].insert(0, now[0]["readings"][0] | {"id": "other", "outcome": "unclear"})
    assert first_readings(BEFORE, compact(now)) == [("sbp.1", "plain: mostly reproduced", "other: unclear")]
    assert first_readings(BEFORE, BEFORE) == []
    assert first_readings({}, BEFORE) == []


def test_an_open_end_is_a_change() -> None:
    now = claim(
        ("adult", "a", "holds", interval(1.0, 0.5, 1.5, open_high=True)),
        ("web", "a", "fails", interval(2.0, 1.0, 3.0)),
    )
    (change,) = changes(BEFORE, compact(now), [])
    assert (change.intervals, change.rulings) == (1, [])


def test_cases_with_other_names_are_paired_on_their_data_set_in_the_order_of_estimates() -> None:
    before = compact(claim(("adult", "a", "holds", interval(1, 0, 2)), ("adult", "b", "fails", interval(5, 4, 6))))
    now = compact(
        claim(("adult", "second", "fails", interval(5, 4, 6)), ("adult", "first", "holds", interval(1, 0, 2)))
    )
    assert changes(before, now, []) == []


def test_a_case_of_one_edition_only_was_not_measured_in_the_other() -> None:
    now = compact(claim(("adult", "a", "holds", interval(1.0, 0.5, 1.5)), outcome="mostly"))
    (change,) = changes(BEFORE, now, [])
    assert change.rulings == ["web a: fails -> not measured"]


def test_the_same_verdict_and_claims_and_readings_of_one_edition_only_are_no_changes() -> None:
    assert changes(BEFORE, BEFORE, []) == changes({}, BEFORE, []) == changes(BEFORE, {}, []) == []


def test_the_page_lists_the_published_changes_and_each_reason_is_that_of_one(tmp_path: Path) -> None:
    assert changes_page(tmp_path) == ""  # evidence without an earlier edition
    page = changes_page(EVIDENCE)
    for name in ("asset.1", "sgdr.dual_ahead", "sbp.sparsity"):
        assert f"| {name} |" in page.partition("## Intervals")[0]
    for reason in read_reasons():
        assert page.count(reason.name) > 1, reason.name
