"""The columns of the curves that are read are noted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from experiments import curve
from experiments.columns import COLUMNS, COSTS
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.published import EvidenceError, PublishedCurve
from experiments.reproduction.reads import as_read, noted
from experiments.reproduction.spec import FigureSpec


def evidence(figure: FigureSpec, kind: type[pd.DataFrame] = pd.DataFrame) -> Evidence:
    frame = kind({name: np.arange(3.0) for name in (*COSTS, "test_error")})
    runs: Any = {name: (SimpleNamespace(curve=frame, result={"seed": 0}),) for name in ("sbp", "smo")}
    return Evidence(figure, "demo", (Panel("web", "adult", runs=runs),))


def test_columns_are_noted_by_panel_and_series(figure: FigureSpec) -> None:
    observed, reads = noted(evidence(figure))
    assert as_read(reads) == {}
    (curve,) = observed.panels[0].curves("sbp")
    assert list(curve["test_error"]) == [0, 1, 2]
    assert len(curve[["iterations", "test_error"]]) == 3
    assert observed.panels[0].seeds("smo") == (0,)
    assert as_read(reads) == {"adult": {"sbp": ["iterations", "test_error"]}}


def test_each_judge_has_its_own_notes(figure: FigureSpec) -> None:
    common = evidence(figure)
    notes = []
    for name in ("iterations", "epochs"):
        observed, reads = noted(common)
        assert observed.panels[0].curves("smo")[0][name].sum() == 3
        notes.append(as_read(reads))
    assert notes == [{"adult": {"smo": [name]}} for name in ("iterations", "epochs")]


def test_noted_evidence_can_be_noted_again(figure: FigureSpec) -> None:
    outer, all_reads = noted(evidence(figure, PublishedCurve))
    outer.panels[0].curves("sbp")[0]["iterations"]
    observed, reads = noted(outer)
    curve.known_points(observed.panels[0].curves("sbp")[0], "epochs", "cpu_seconds")
    assert as_read(reads) == {"adult": {"sbp": ["epochs", "cpu_seconds"]}}
    assert all_reads["adult"]["sbp"] == {"iterations", "epochs", "cpu_seconds"}


def test_rows_note_all_columns(figure: FigureSpec) -> None:
    observed, reads = noted(evidence(figure))
    (frame,) = observed.panels[0].curves("smo")
    frame[frame["epochs"] > 0]
    assert reads["adult"]["smo"] == set(COLUMNS)


def test_a_column_that_was_not_published_is_an_error(figure: FigureSpec) -> None:
    observed, _ = noted(evidence(figure, PublishedCurve))
    with pytest.raises(EvidenceError, match="lacks the column gap"):
        _ = observed.panels[0].curves("sbp")[0]["gap"]
