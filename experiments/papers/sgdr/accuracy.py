"""The accuracy study: epochs of SGD-s against the accuracy that it reaches, for several C."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from experiments.papers.judging import between
from experiments.papers.panels import name_of
from experiments.papers.sgdr import accuracy_picture
from experiments.papers.sgdr.lost import LOST
from experiments.papers.sgdr.study import FITTED, TARGETS, Study, studies
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made, Table

COLUMNS: Final = ("panel", "dataset", "C", "measure", "epochs", "median", "low", "high", "runs")
MEASURES: Final = ("accuracy", "excess")
"""(J - L) / L, and (J - J_opt) / J_opt."""


def make(evidence: Evidence) -> Made:
    """Draw the figure; the paper says nothing here that is so or not."""
    found = studies(evidence.panels, evidence.spec)
    shown = [panel for panel in evidence.panels if any(study.panel is panel for study in found)]
    return Made(
        _data(found),
        partial(accuracy_picture.draw, panels=shown, found=found),
        accuracy_picture.size(len(shown)),
        table=_table(found),
    )


def _data(found: Sequence[Study]) -> pd.DataFrame:
    tables = [
        pd.DataFrame(
            {
                "panel": study.panel.asked,
                "dataset": study.panel.dataset,
                "C": study.C,
                "measure": measure,
                "epochs": band.cost,
                "median": band.median,
                "low": band.low,
                "high": band.high,
                "runs": band.runs,
            }
        )
        for study in found
        for measure in MEASURES
        if (band := getattr(study, measure)) is not None
    ]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))


def _table(found: Sequence[Study]) -> Table:
    columns = ["data set", "C", "J_opt", *(f"epochs to {target:g}" for target in TARGETS), "last accuracy", "exponent"]
    rows = [
        [
            name_of(study.panel),
            f"{study.C:g}",
            "" if study.optimum is None else f"{study.optimum.upper:.6f}",
            *(_epochs(study.epochs_to(target)) for target in TARGETS),
            "" if study.accuracy is None else f"{study.accuracy.median[-1]:.1e}",
            "" if study.exponent is None else between(study.exponent, ".2f"),
        ]
        for study in found
    ]
    notes = [
        "J: objective; L: lower bound of SGD-s at the end of each epoch; J_opt: from a run of dual coordinate descent.",
        "Epochs to the first checkpoint with (J - L) / L at or below the accuracy: median over the runs (least to "
        "largest); a dash where half of the runs or more do not get there.",
        "Last accuracy: (J - L) / L at the end, median. Exponent: a of (J - L) / L ~ epochs^-a from "
        f"{FITTED:g} on, mean over the runs with its 95 % interval.",
        LOST,
    ]
    return Table(columns, rows, notes)


def _epochs(values: Sequence[float]) -> str:
    middle = float(np.median(values))
    if not np.isfinite(middle):
        return "-"
    low, high = (_count(value) if np.isfinite(value) else "not reached" for value in (values[0], values[-1]))
    return _count(middle) if low == high else f"{_count(middle)} ({low} to {high})"


def _count(epochs: float) -> str:
    return f"{epochs:,.0f}" if epochs >= 10 else f"{epochs:.2g}"
