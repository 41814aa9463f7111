"""What the page of a figure's curves is made of."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from experiments.curve import from_rows
from experiments.plotting.interactive import Curves
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.plan import Plan
from experiments.reproduction.report import curves
from experiments.reproduction.spec import FigureSpec, SeriesSpec


def test_series_have_their_labels_and_settings_the_names_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Curves] = []
    monkeypatch.setattr(curves, "curves_page", made.append)
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
    curves.figure_page(plan, Evidence(spec, "demo", (panel,)), [], "title", [], b"")
    (page,) = made
    assert {name: style.name for name, style in page.styles.items()} == {
        "pegasos_kept": "Pegasos, responses kept",
        "some_series": "some series",
        "sdca nu=0.5": "SDCA by nu nu=0.5",
    }
    assert page.runs[0].settings == {"budget.evaluations": "60", "budget.epochs": "2.5"}
    assert page.runs[0].command == "python run.py seed=3"
