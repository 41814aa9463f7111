"""Published figures drawn by one process and by several."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from svm_cost_curves.experiments.reproduction import drawing
from svm_cost_curves.experiments.reproduction.build import build_figure
from svm_cost_curves.experiments.reproduction.cli import main
from svm_cost_curves.experiments.reproduction.drawing import FigureDrawing, draw_all
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.published import EvidenceError, write_sums
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Verdict

FIGURES = ("minibatch_counterexample", "sbp_fig1")
"""They need no runs."""


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    places = [f"{name}={folder / name}" for name in ("store", "evidence")]
    assert main(["publish", f"figure={','.join(FIGURES)}", "scale=demo", *places]) == 0
    return folder / "evidence"


def drawings(evidence: Path, folder: Path) -> list[FigureDrawing]:
    return [
        FigureDrawing(read_figure(name), Options("demo"), evidence, folder / name, "reproduce.py", True)
        for name in FIGURES
    ]


def test_several_processes_draw_what_one_draws(evidence: Path, tmp_path: Path) -> None:
    one = {drawn.spec.id for drawn, _ in draw_all(drawings(evidence, tmp_path / "one"), 1)}
    two = {drawn.spec.id for drawn, _ in draw_all(drawings(evidence, tmp_path / "two"), 2)}
    assert one == two == {*FIGURES}
    files = {str(path.relative_to(tmp_path / "one")) for path in (tmp_path / "one").rglob("*.*")}
    assert files == {str(path.relative_to(tmp_path / "two")) for path in (tmp_path / "two").rglob("*.*")}
    for name in files:
        if not name.endswith(".pdf"):  # it has the time of its making
            assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_refused_evidence_names_its_figure(evidence: Path, tmp_path: Path) -> None:
    shutil.copytree(evidence, tmp_path / "evidence")
    path = tmp_path / "evidence" / "sbp_fig1.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"scale": "quick"}))
    write_sums(tmp_path / "evidence", path.name)
    with pytest.raises(EvidenceError, match="evidence of sbp_fig1 is of scale=quick"):
        list(draw_all(drawings(tmp_path / "evidence", tmp_path), 2))


def test_a_folder_that_cannot_be_written_is_named_with_its_figure(evidence: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    _, second = drawings(evidence, tmp_path)
    wrong = dataclasses.replace(second, folder=tmp_path / "file" / "below")
    outcome = wrong(lambda _: None)  # in the process that draws it
    assert outcome.status == "refused"
    assert re.match(r"sbp_fig1: .*file", outcome.message)


def test_a_stop_signal_does_not_cut_a_figure_that_a_process_draws(
    evidence: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = drawings(evidence, tmp_path)[0]

    def interrupted(*arguments: Any, **options: Any) -> Verdict:
        signal.raise_signal(signal.SIGINT)
        return build_figure(*arguments, **options)

    monkeypatch.setattr(drawing, "build_figure", interrupted)
    assert figure(lambda _: None).status == "finished"
    assert (figure.folder / "figure.png").exists()
