"""The page of what changed since an earlier edition: verdicts, outcomes of other readings, and the reasons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from svm_cost_curves.experiments.reproduction.published import EVIDENCE
from svm_cost_curves.experiments.reproduction.report.changes import (
    Change,
    Judged,
    Reason,
    changes_page,
    compact,
    outcomes,
    read_reasons,
    verdicts,
)


def reading(name: str, outcome: str, **rulings: str) -> dict[str, Any]:
    """Return a reading of a verdict.json with these cases: the data set and, after a space, a name."""
    cases = [
        dict(zip(("dataset", "name"), case.partition(" ")[::2], strict=True))
        | {"ruling": ruling, "statistic": {"ratio": 1.0}}
        for case, ruling in rulings.items()
    ]
    held = [*rulings.values()].count("holds")
    return {"id": name, "outcome": outcome, "held": held, "run": len(cases), "rulings": cases}


def judged(*readings: dict[str, Any]) -> Judged:
    return compact([{"id": "sbp.1", "type": "empirical", "readings": [*readings]}])


BEFORE = judged(reading("plain", "mostly", adult="holds", web="fails"), reading("other", "reproduced", adult="holds"))


@pytest.mark.parametrize(
    ("rulings", "cases"),
    [
        ({"adult": "unclear", "web": "fails"}, "✓ holds -> ? unclear: adult"),
        ({"adult": "unclear", "web": "holds"}, "✓ holds -> ? unclear: adult; ✗ fails -> ✓ holds: web"),
        ({"adult": "holds", "web": "fails", "mnist": "fails"}, "1 new"),
        ({"adult": "fails"}, "✓ holds -> ✗ fails: adult; 1 dropped"),
        ({"adult renamed": "fails", "web": "fails"}, "✓ holds -> ✗ fails: adult renamed"),
        ({"adult s=1": "fails", "adult s=2": "fails", "web": "fails"}, "2 in place of 1"),
    ],
)
def test_another_verdict_is_told_with_its_cases(rulings: dict[str, str], cases: str) -> None:
    reasons = [Reason("grid", ["sbp.*"], "Why."), Reason("other", ["asset.*"], "No.")]
    now = judged(reading("plain", "contradicted", **rulings))
    held = [*rulings.values()].count("holds")
    after = f"plain: contradicted ({held} of {len(rulings)})"
    assert verdicts(BEFORE, now, reasons) == [
        Change("sbp.1", "plain: mostly reproduced (1 of 2)", after, cases, "grid")
    ]


def test_many_cases_with_the_same_change_are_counted() -> None:
    many = [f"data{k}" for k in range(5)]
    before = judged(reading("plain", "mostly", **dict.fromkeys(many, "unclear")))
    (change,) = verdicts(before, judged(reading("plain", "reproduced", **dict.fromkeys(many, "holds"))), [])
    assert change.cases == "? unclear -> ✓ holds: 5"


def test_another_first_reading_is_another_verdict_although_its_outcome_is_the_same() -> None:
    now = judged(reading("new", "mostly", adult="holds"), reading("plain", "mostly", adult="holds", web="fails"))
    (change,) = verdicts(BEFORE, now, [])
    assert (change.before, change.after, change.cases) == (
        "plain: mostly reproduced (1 of 2)",
        "new: mostly reproduced (1 of 1)",
        "",
    )
    assert outcomes(BEFORE, now, []) == []


def test_other_readings_with_another_outcome_stand_apart() -> None:
    now = judged(
        reading("plain", "mostly", adult="unclear", web="fails"), reading("other", "contradicted", adult="fails")
    )
    assert verdicts(BEFORE, now, []) == [], "another ruling that leaves the outcome is no change"
    (change,) = outcomes(BEFORE, now, [])
    assert (change.before, change.after) == ("other: reproduced (1 of 1)", "other: contradicted (0 of 1)")


def test_claims_and_readings_of_one_edition_only_are_no_changes() -> None:
    for before, after in ((BEFORE, BEFORE), ({}, BEFORE), (BEFORE, {})):
        assert verdicts(before, after, []) == outcomes(before, after, []) == []


def test_the_page_lists_the_published_changes_and_each_reason_is_that_of_one(tmp_path: Path) -> None:
    assert changes_page(tmp_path) == ""  # evidence without an earlier edition
    tables, _, reasons = changes_page(EVIDENCE).partition("## Reasons")
    for name in ("asset.2", "minibatch.speedups", "sbp.sparsity"):
        assert f"| {name} |" in tables.partition("## Other readings")[0]
    for reason in read_reasons():
        assert reason.name in tables, reason.name
        assert reason.name in reasons, reason.name
