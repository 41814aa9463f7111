"""ASSET against ASSET* for values of lambda that go to zero, where the objective loses its strong convexity."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import pandas as pd

from experiments.papers.asset import slowdown_claim, slowdown_picture
from experiments.papers.asset.looks import LOOKS
from experiments.papers.asset.sizes import spread, written
from experiments.papers.asset.slowdown_study import MARGIN, METHODS, Point, Study, studies
from experiments.papers.effort import multiple_text
from experiments.papers.judging import judged
from experiments.papers.panels import name_of
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made, Table

COLUMNS: Final = (
    "panel",
    "dataset",
    "C",
    "series",
    "target",
    "epochs",
    "least",
    "largest",
    "reached",
    "error",
    "sd",
    "runs",
)


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge its claim."""
    found = studies(evidence)
    shown = [study for study in found if study.points]
    return Made(
        _points(shown),
        partial(slowdown_picture.draw, found=shown),
        slowdown_picture.size(len(shown)),
        table=_table(shown),
        claims=judged(evidence, {"asset.lambda": partial(slowdown_claim.judge, found=found)}),
    )


def _points(shown: Sequence[Study]) -> pd.DataFrame:
    rows = [
        {
            "panel": study.panel.asked,
            "dataset": study.panel.dataset,
            "C": C,
            "series": name,
            "target": point.target,
            "epochs": effort.median,
            "least": min(effort.costs),
            "largest": max(effort.costs),
            "reached": sum(effort.reached),
            "error": point.ends[name].mean(),
            "sd": spread(point.ends[name]),
            "runs": len(effort.costs),
        }
        for study in shown
        for C, point in study.points.items()
        for name, effort in point.efforts.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _table(shown: Sequence[Study]) -> Table:
    names = [LOOKS[name].name for name in METHODS]
    columns = ["data set", "C = 1/(lambda m)", "test error to reach", *(f"epochs, {name}" for name in names)]
    columns += [f"last error, {name}" for name in names]
    rows = [
        [
            name_of(study.panel),
            f"{C:g}",
            f"{point.target:.2f} %",
            *(_epochs(point, name) for name in METHODS),
            *(_last(point, name) for name in METHODS),
        ]
        for study in shown
        for C, point in study.points.items()
    ]
    notes = [
        f"Epochs: medians over the runs of the first look, of ten in an epoch, with a test error within {MARGIN:g} "
        "percentage point of the better method's last error. >: half of the runs or more did not get there within "
        "so many. Last error: mean over the last tenth of the epochs, in per cent; mean over the runs ± standard "
        "deviation.",
        "Printed are C = 1000 for Adult, 100 for MNIST and IJCNN.",
    ]
    return Table(columns, rows, notes)


def _epochs(point: Point, name: str) -> str:
    effort = point.efforts.get(name)
    return "" if effort is None else effort.text(multiple_text)


def _last(point: Point, name: str) -> str:
    own = point.ends.get(name)
    return "" if own is None else written(float(own.mean()), spread(own), len(own))
