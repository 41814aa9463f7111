"""What the page of a figure's curves is made of."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from experiments.curve import from_rows
from experiments.reproduction.claim_spec import ClaimSpec, ReadingSpec, ShownSpec, check_claim
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.plan import Plan
from experiments.reproduction.report import curves
from experiments.reproduction.spec import FigureSpec, SeriesSpec
from experiments.reproduction.verdict import CaseRuling, Claim, Reading


def test_series_have_their_labels_and_settings_the_names_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves, "fitted", lambda picture: picture)
    monkeypatch.setattr(curves, "_command", lambda *_: ["python", "run.py"])
    curve = from_rows([{"iterations": 1, "kernel_evaluations": 1, "test_error": 0.5}])
    run = SimpleNamespace(curve=curve, result={"seed": 3, "settings": {"budget": {"checkpoints": 60, "epochs": 2.5}}})
    series = [
        SeriesSpec("pegasos_kept", label="Pegasos, responses kept"),
        SeriesSpec("some_series"),
        SeriesSpec("sdca", label="SDCA by nu", grid={"problem.nu": [0.5]}),
    ]
    names = ("pegasos_kept", "some_series", "sdca nu=0.5")
    spec = FigureSpec(id="sbp_x", series=series)
    panel = Panel("adult", "adult", runs=cast(Any, dict.fromkeys(names, (run,))))
    plan = cast(Plan, SimpleNamespace(spec=spec))
    page = curves.page_content(plan, Evidence(spec, "demo", (panel,)), [], "title", [], b"")
    assert page is not None
    assert {name: style.name for name, style in page.styles.items()} == {
        "pegasos_kept": "Pegasos, responses kept",
        "some_series": "some series",
        "sdca nu=0.5": "SDCA by nu nu=0.5",
    }
    assert page.runs[0].settings == {"budget.evaluations": "60", "budget.epochs": "2.5"}
    assert page.runs[0].command == "python run.py seed=3"


def reading(name: str, reads: dict[str, dict[str, list[str]]], *rulings: CaseRuling) -> Reading:
    return Reading(name, "", "", "", "reproduced", 1, 1, [], reads=reads, rulings=list(rulings))


def test_a_claim_draws_the_curves_that_its_file_names_and_else_those_that_its_judge_has_read() -> None:
    grid = SeriesSpec("sdca", grid={"problem.nu": [0.25, 0.5]})
    named = ClaimSpec("x.named", shows=ShownSpec(["smo", "sdca"], "cpu_seconds", "primal"))
    named.readings = [ReadingSpec("a"), ReadingSpec("b", shows=ShownSpec(measure="dual"))]
    spec = FigureSpec(id="x", series=[SeriesSpec("smo"), grid], claims=[named, ClaimSpec("x.read")])
    cases = (CaseRuling("web", "holds"), CaseRuling("adult", "missing"), CaseRuling("", "holds"))
    reads = {"adult": {"smo": ["epochs", "iterations", "test_error"]}}
    claims = [
        Claim("x.named", "", "", "", "", [reading("a", {}, *cases), reading("b", {}, *cases)]),
        Claim("x.read", "", "", "", "", [reading("", reads, *cases)]),
        Claim("x.unknown", "", "", "", "", [reading("", {})]),
    ]
    shown = [curves.judged_claim(spec, claim).readings for claim in claims]
    seen = [[(each.datasets, each.series, each.cost, each.measure) for each in own] for own in shown]
    members = ["smo", "sdca nu=0.25", "sdca nu=0.5"]
    assert seen[0] == [(["web"], members, "cpu_seconds", "primal"), (["web"], members, "cpu_seconds", "dual")]
    assert seen[1] == [(["adult"], ["smo"], "iterations", "test_error")]
    assert seen[2] == [([], [], "", "")]


@pytest.mark.parametrize(
    ("shows", "wrong"),
    [
        (ShownSpec(series=["smmo"]), "unknown series smmo; known: smo"),
        (ShownSpec(cost="seconds"), "unknown cost seconds; known: iterations"),
        (ShownSpec(measure="cpu_seconds"), "unknown measure cpu_seconds; known: test_error"),
    ],
)
def test_curves_that_do_not_exist_are_refused(shows: ShownSpec, wrong: str) -> None:
    for claim in (ClaimSpec("x", shows=shows), ClaimSpec("x", readings=[ReadingSpec("a", shows=shows)])):
        with pytest.raises(ValueError, match=wrong):
            check_claim(claim, ["smo"])
