"""The published arenas are judged again, and the table of conf/notes/which.md has their numbers."""

from __future__ import annotations

import pandas as pd
import pytest
from verdict_cases import check_verdict

from svm_cost_curves.experiments.plotting import styles_for
from svm_cost_curves.experiments.provenance import PROJECT_ROOT

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (PROJECT_ROOT / "conf" / "notes" / "which.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ")
]


def stated(columns: int, *places: int) -> dict[str, list[str]]:
    """Cells of a table with so many columns, by solver."""
    rows = [row for row in ROWS if len(row) == columns and row[0] not in ("---", "kernel solver", "linear solver")]
    return {row[0]: cells for row in rows if any(cells := [row[place] for place in places])}


def shares(points: pd.DataFrame, cost: str, name: str) -> list[str]:
    """Shares of the problems that a solver solves at no more than twice the least cost, and at all."""
    own = points.query("what == 'profile' and cost == @cost and series == @name")
    if own.empty:
        return ["not counted", ""]
    twice = own.loc[own["x"] <= 2, "median"].max()
    return [f"{100 * value:.0f} %" for value in (0.0 if pd.isna(twice) else twice, own["median"].max())]


@pytest.mark.parametrize(
    ("figure", "cost", "columns", "places"),
    [
        ("which_kernel_solver", "kernel_evaluations", 7, (1, 2, 3)),
        ("which_biased_solver", "kernel_evaluations", 7, (4, 5, 6)),
        ("which_linear_solver", "feature_accesses", 4, (1, 2, 3)),
    ],
)
def test_the_table_has_the_numbers_of_the_arena(
    figure: str, cost: str, columns: int, places: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    points = check_verdict(figure, monkeypatch).data
    names = list(points.query("what == 'profile'")["series"].unique())
    expected = {}
    for name in names:
        counted, timed = shares(points, cost, name), shares(points, "cpu_seconds", name)
        expected[styles_for(names)[name].name] = [counted[0], *timed]
    told = stated(columns, *places)
    assert {name.partition(" (")[0]: cells for name, cells in expected.items()} == told
