"""What a judge reads of the curves is noted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from experiments.columns import COSTS
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.published import EvidenceError, PublishedCurve, ReadColumns
from experiments.reproduction.reads import as_read, noted
from experiments.reproduction.spec import FigureSpec


def evidence(figure: FigureSpec, kind: type[pd.DataFrame] = pd.DataFrame) -> tuple[Evidence, pd.DataFrame]:
    frame = kind({name: np.arange(3.0) for name in (*COSTS, "test_error")})
    runs: Any = {name: (SimpleNamespace(curve=frame, result={"seed": 0}),) for name in ("sbp", "smo")}
    return Evidence(figure, "demo", (Panel("web", "adult", runs=runs),)), frame


def test_columns_are_noted_by_panel_and_series(figure: FigureSpec) -> None:
    observed, reads = noted(evidence(figure)[0])
    assert as_read(reads) == {}
    (curve,) = observed.panels[0].curves("sbp")
    assert list(curve["test_error"]) == [0, 1, 2]
    assert len(curve[["iterations", "test_error"]]) == 3
    assert observed.panels[0].seeds("smo") == (0,)
    assert as_read(reads) == {"adult": {"sbp": ["iterations", "test_error"]}}


def test_each_judge_has_its_own_notes(figure: FigureSpec) -> None:
    common, _ = evidence(figure)
    notes = []
    for name in ("iterations", "epochs"):
        observed, reads = noted(common)
        assert observed.panels[0].curves("smo")[0][name].sum() == 3
        notes.append(as_read(reads))
    assert notes == [{"adult": {"smo": [name]}} for name in ("iterations", "epochs")]


def test_curves_that_are_published_note_what_is_read_too(figure: FigureSpec) -> None:
    common, frame = evidence(figure, ReadColumns)
    cast(ReadColumns, frame).read = set()
    observed, reads = noted(common)
    assert len(observed.panels[0].curves("sbp")[0]["epochs"]) == 3
    assert cast(ReadColumns, frame).read == {"epochs"}
    assert as_read(reads) == {"adult": {"sbp": ["epochs"]}}


def test_a_column_that_was_not_published_is_an_error(figure: FigureSpec) -> None:
    observed, _ = noted(evidence(figure, PublishedCurve)[0])
    with pytest.raises(EvidenceError, match="lacks the column gap"):
        _ = observed.panels[0].curves("sbp")[0]["gap"]
