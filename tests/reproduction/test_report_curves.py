"""Parts of the page of a figure's curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from svm_cost_curves.experiments.curve import from_rows
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, judge_claims
from svm_cost_curves.experiments.plotting import styles_for
from svm_cost_curves.experiments.plotting.interactive import CHARGED, SUBOPTIMALITY, Curves, RunCurve
from svm_cost_curves.experiments.reproduction.claim_spec import ClaimSpec, ReadingSpec, ShownSpec, check_claim
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.report import curves
from svm_cost_curves.experiments.reproduction.report.curves import judged_claim, known_columns
from svm_cost_curves.experiments.reproduction.series_spec import RowSpec, SeriesSpec
from svm_cost_curves.experiments.reproduction.spec import FigureSpec, OptionSpec
from svm_cost_curves.experiments.reproduction.verdict import Verdict

NOTHING = Verdict("sbp_x", "demo", {}, None, None, "", [], [])


def content_of(spec: FigureSpec, names: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> Curves:
    """The page of a figure with one run of each series; n = 10, and 2 of the objective is known to be needed."""
    monkeypatch.setattr(curves, "fitted", lambda picture: picture)
    monkeypatch.setattr(curves, "_command", lambda *_: ["python3", "run.py"])
    row = {"iterations": 3, "kernel_evaluations": 7, "test_error": 0.5, "primal": 2.5, "dual": 2.0}
    settings = {"budget": {"checkpoints": 60, "epochs": 2.5}}
    counts = {"data": {"counts": {"train": {"n": 10}, "test": {"n": 5, "positives": 2}}}}
    run = SimpleNamespace(curve=from_rows([row]), result={"seed": 3, "settings": settings, "provenance": counts})
    panel = Panel("adult", "adult", runs=cast(Any, dict.fromkeys(names, (run,))))
    page = curves.page_content(Evidence(spec, "demo", (panel,)), Options("demo"), NOTHING, [], b"")
    assert page is not None
    return page


def test_series_have_their_labels_and_settings_the_names_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    series = [
        SeriesSpec("pegasos_kept", label="Pegasos, responses kept"),
        SeriesSpec("some_series"),
        SeriesSpec("sdca", label="SDCA by nu", grid={"problem.nu": [0.5]}),
    ]
    names = ("pegasos_kept", "some_series", "sdca nu=0.5")
    page = content_of(FigureSpec(id="sbp_x", series=series), names, monkeypatch)
    assert {name: style.name for name, style in page.styles.items()} == {
        "pegasos_kept": "Pegasos, responses kept",
        "some_series": "some series",
        "sdca nu=0.5": "SDCA by nu nu=0.5",
    }
    assert page.runs[0].settings == {"budget.evaluations": "60", "budget.epochs": "2.5"}
    assert page.runs[0].command == "python3 run.py seed=3"


def test_a_page_opens_with_the_first_row_of_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("sbp", "pegasos", "pegasos_kept")
    row = RowSpec("iterations", times_n=True, middle="median", series={"sbp": "sbp", "pegasos": "pegasos"})
    other = RowSpec("kernel_evaluations", series={"sbp": "sbp", "pegasos": "pegasos_kept"})
    spec = FigureSpec(series=[SeriesSpec(name) for name in names], rows=[row, other])
    page = content_of(spec, names, monkeypatch)
    assert (page.cost, page.measure, page.middle, page.first) == (CHARGED, "test_error", "median", ["sbp", "pegasos"])
    assert page.runs[0].curve[CHARGED].tolist() == [30]
    assert len({style.color for style in page.styles.values()}) == 3


def test_an_arena_opens_with_what_its_table_has(monkeypatch: pytest.MonkeyPatch) -> None:
    series = [SeriesSpec("mine", ["algo=mine"]), SeriesSpec("optimum", ["algo=smo"], reference_only=True)]
    options = {"target": OptionSpec("gap:0.1,0.01,0.001"), "cost": OptionSpec("auto"), "reach": OptionSpec("first")}
    page = content_of(FigureSpec(series=series, options=options), ("mine", "optimum"), monkeypatch)
    assert [run.series for run in page.runs] == ["mine"]
    assert page.facts == "Scale demo; 1 run and the reference."
    assert page.runs[0].curve[SUBOPTIMALITY].tolist() == [0.25]
    assert (page.measure, page.target, page.stays) == (SUBOPTIMALITY, 0.01, False)
    assert page.styles["mine"].color == styles_for(["mine", "optimum"])["mine"].color  # that of the picture


@dataclass(frozen=True)
class Given(Statistic):
    """Findings that are given."""

    given: Findings

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        return self.given


def test_a_claim_draws_the_curves_that_its_file_names_on_the_data_sets_that_were_run() -> None:
    claim = ClaimSpec("x.named", shows=ShownSpec(["smo", "sdca"], "cpu_seconds", "primal"))
    claim.readings = [ReadingSpec("a"), ReadingSpec("b", shows=ShownSpec(measure="dual"))]
    grid = SeriesSpec("sdca", grid={"problem.nu": [0.25, 0.5]})
    spec = FigureSpec(id="x", series=[SeriesSpec("smo"), grid], claims=[claim, ClaimSpec("x.data")])
    cases = [Case("web", "holds"), Case("adult", "missing")]
    findings = Findings([replace(case, statistic={"ratio": 2.0}) for case in cases])
    claims = judge_claims(Evidence(spec, "demo", ()), statistics=dict.fromkeys(("x.named", "x.data"), Given(findings)))
    seen = [
        [tuple(reading[name] for name in ("datasets", "series", "cost", "measure")) for reading in judged["readings"]]
        for judged in map(judged_claim, claims)
    ]
    members = ["smo", "sdca nu=0.25", "sdca nu=0.5"]
    assert seen[0] == [(["web"], members, "cpu_seconds", "primal"), (["web"], members, "cpu_seconds", "dual")]
    assert seen[1] == [(["web"], [], "", "")]


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


def test_a_column_is_known_if_any_run_has_a_value_in_it() -> None:
    rows = [{"iterations": 1, "primal": 2.0}, {"iterations": 1, "dual": 1.0}, {"iterations": 1}]
    runs = [RunCurve("adult", "sbp", seed, from_rows([row])) for seed, row in enumerate(rows)]
    assert known_columns(runs) == known_columns(runs[::-1]) == {"iterations", "primal", "dual"}
    assert known_columns(runs[2:]) == {"iterations"}
