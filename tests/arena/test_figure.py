"""The arena's picture, table and points, from made-up runs and from the published ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from comparison_cases import arena_evidence, gaps, race_panel, rows
from matplotlib.figure import Figure
from pictures import drawn_with_table
from verdict_cases import check_verdict

from svm_cost_curves.experiments.arena import figure
from svm_cost_curves.experiments.plotting import styles_for
from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.reproduction.evidence import Bold, Panel

RUNS = {
    "sbp": [rows(gaps(0.5)), rows(gaps(0.5), unit=2000)],
    "pegasos": [rows(gaps(0.7)), rows(gaps(0.9))],
    "libsvm": [rows(gaps(0.25), counted=False)] * 2,
}
NAMES = list(RUNS)
WHICH = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (PROJECT_ROOT / "conf" / "notes" / "which.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ")
]
"""Rows of the tables on the published arenas."""
REASON = "works with kernel=linear only, got kernel=gaussian"


@pytest.fixture
def panel(tmp_path: Path) -> Panel:
    return race_panel(tmp_path, RUNS, left_out={"dcd": REASON})


def test_everything_is_there(panel: Panel) -> None:
    made = drawn_with_table(figure.make(arena_evidence([panel], NAMES)))
    assert set(made.data["what"]) == {"curve", "profile"}
    # what is counted, and time
    assert set(made.data["cost"]) == {"kernel_evaluations", "cpu_seconds"}
    assert set(made.data.query("cost == 'kernel_evaluations'")["series"]) == {"sbp", "pegasos"}
    assert set(made.data.query("cost == 'cpu_seconds'")["series"]) == set(RUNS)
    assert made.claims == ()


@pytest.mark.parametrize(("target", "label"), [("gap", "(P - L) / L"), ("error:0.2", "Test error, %")])
def test_the_panel_beside_the_profile_names_its_measure(panel: Panel, target: str, label: str) -> None:
    made = figure.make(arena_evidence([panel], NAMES, target=target))
    drawn = Figure(figsize=made.size)
    made.draw(drawn)
    assert [axes.get_ylabel() for axes in drawn.axes] == ["Problems solved, %", label] * 2


def test_the_table(panel: Panel) -> None:
    make_table = figure.make(arena_evidence([panel], NAMES, target="gap:0.1,0.01")).table
    assert make_table is not None
    table = make_table()
    cells = {(row[1], row[2]): row[3:] for row in table.rows}
    assert len(cells) == 6
    # at 11,000 and 12,000 evaluations the runs are at 10 / 2^11 and 10 / 2^5, 10 / 2^12 and 10 / 2^6: mean 0.16, 0.08
    assert cells["gap 0.1", "SBP"][:2] == ("2 of 2", Bold("12,000 [7,000, 14,000]"))
    assert cells["gap 0.1", "Pegasos"][0] == "1 of 2"
    assert cells["gap 0.01", "Pegasos"][:2] == ("1 of 2", ">20,000")
    assert cells["gap 0.1", "LIBSVM"] == ("2 of 2", "not counted", "not counted", Bold("4 ms"), Bold("4"))
    assert f"Left out on Adult: DCD: {REASON}." in table.notes
    assert any("SBP 100 % (100 %), Pegasos 0 % (50 %)" in note for note in table.notes)


def test_medians_of_first_evaluations_are_a_choice(panel: Panel) -> None:
    made = figure.make(arena_evidence([panel], NAMES, target="gap:0.1", reach="first"))
    assert made.table is not None
    assert made.table().columns[1] == "target"
    assert made.table().rows[0][3:5] == ("2 of 2", Bold("10,500 [7,000, 14,000]"))
    assert "median" in made.data


@pytest.mark.parametrize(
    ("target", "cost"),
    [("gap", "all"), ("gap:1e-9", "auto"), ("error:0.2", "cpu_seconds"), ("best", "feature_accesses")],
)
def test_any_choice_can_be_drawn(panel: Panel, target: str, cost: str) -> None:
    drawn_with_table(figure.make(arena_evidence([panel], NAMES, target=target, cost=cost)))


@pytest.mark.parametrize(("count", "panels"), [(3, 2 * 4), (4, 2)])
def test_of_many_data_sets_only_the_profiles_are_drawn(tmp_path: Path, count: int, panels: int) -> None:
    """A profile for each of two costs; the points and the table have all data sets."""
    names = ("adult", "ijcnn1", "mnist", "web")[:count]
    many = [race_panel(tmp_path, RUNS, name) for name in names]
    made = drawn_with_table(figure.make(arena_evidence(many, NAMES)))
    made.draw(drawn := Figure(figsize=made.size))
    assert len(drawn.axes) == panels
    assert set(made.data.query("what == 'curve'")["dataset"]) == set(names)


def test_entrants_without_runs_and_arenas_without_any(panel: Panel) -> None:
    alone = replace(panel, runs={**panel.runs, "pegasos": ()}, missing={"pegasos": "of 2 runs 2 failed"})
    make_table = drawn_with_table(figure.make(arena_evidence([alone], NAMES))).table
    assert make_table is not None
    table = make_table()
    assert "Missing on Adult: pegasos: of 2 runs 2 failed." in table.notes
    nothing = replace(panel, runs=dict.fromkeys(panel.runs, ()))
    drawn_with_table(figure.make(arena_evidence([nothing], NAMES)))
    drawn_with_table(figure.make(arena_evidence([], NAMES)))


def stated(columns: int, *places: int) -> dict[str, list[str]]:
    """Cells of a table with so many columns, by solver."""
    rows = [row for row in WHICH if len(row) == columns and row[0] not in ("---", "kernel solver", "linear solver")]
    return {row[0]: cells for row in rows if any(cells := [row[place] for place in places])}


def shares(points: pd.DataFrame, cost: str, name: str) -> list[str]:
    """Shares of the problems that a solver solves at no more than twice the least cost, and at all."""
    profile = points.query("what == 'profile' and cost == @cost and series == @name")
    if profile.empty:
        return ["not counted", ""]
    twice = profile.loc[profile["x"] <= 2, "median"].max()
    return [f"{100 * value:.0f} %" for value in (0.0 if pd.isna(twice) else twice, profile["median"].max())]


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
