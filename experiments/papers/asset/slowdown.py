"""Section 4.2: epochs of ASSET and ASSET* to a test error as lambda, the strong convexity, goes to 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.curve import column, cost_to_reach
from experiments.papers import layout
from experiments.papers.asset.errors import spread, written
from experiments.papers.bands import Band
from experiments.papers.cases import Case, cases_of, claim_from_groups, judge_claims, summarize
from experiments.papers.effort import Effort, effort_of, multiple_text, ratio_of
from experiments.papers.panels import called, empty, heading, name_of
from experiments.plotting import STYLES
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult, Table
from experiments.reproduction.spec import ClaimSpec, FigureSpec
from experiments.reproduction.verdict import Claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

METHODS: Final = ("asset", "asset_star")
MARGIN: Final = 1.0
"""Percentage points: the target is the better method's last error plus this."""
LAST: Final = 0.1
"""The last error of a run is its mean over this last share of the epochs: single evaluations are noisy."""


@dataclass(frozen=True)
class Point:
    """One C on one data set.

    Attributes
    ----------
    target : float
        Test error to reach, in per cent.
    efforts : mapping of str to Effort
        Epochs to the target by method; methods without runs are left out.
    ends : mapping of str to (runs,) float64
        Last errors in per cent.
    """

    target: float
    efforts: Mapping[str, Effort]
    ends: Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Study:
    """One data set: its points by C = 1/(lambda m), rising."""

    panel: Panel
    points: Mapping[float, Point]

    def efforts(self, method: str) -> dict[float, Effort]:
        """Return one method's epochs, by C."""
        return {C: point.efforts[method] for C, point in self.points.items() if method in point.efforts}


def studies(evidence: Evidence) -> list[Study]:
    """Return the data sets of the figure's panels."""
    return [_study(panel, evidence.spec) for panel in evidence.panels]


def _study(panel: Panel, spec: FigureSpec) -> Study:
    points: dict[float, Point] = {}
    for C in spec.members(METHODS[0]):
        frames = {name: [own for own in panel.curves(spec.members(name)[C]) if len(own)] for name in METHODS}
        known = {name: own for name, own in frames.items() if own}
        if known:
            points[C] = _point(known)
    return Study(panel, points)


def _point(frames: Mapping[str, list[pd.DataFrame]]) -> Point:
    ends = {name: np.array([_last_error(frame) for frame in own]) for name, own in frames.items()}
    target = min(float(np.median(own)) for own in ends.values()) + MARGIN
    efforts = {}
    for name, own in frames.items():
        found = [cost_to_reach(column(run, "epochs"), 100 * column(run, "test_error"), target) for run in own]
        efforts[name] = effort_of(found, max(float(column(run, "epochs")[-1]) for run in own))
    return Point(target, efforts, ends)


def _last_error(frame: pd.DataFrame) -> float:
    epochs, errors = column(frame, "epochs"), column(frame, "test_error")
    return 100 * float(np.mean(errors[epochs >= (1 - LAST) * epochs[-1]]))


FACTOR: Final = 2.0
RULE: Final = (
    f"Epochs to the first evaluation, of ten per epoch, with a test error within {MARGIN:g} percentage point of the "
    f"better method's last error (mean over the last {LAST:.0%} of the epochs, median over the runs). For each data "
    f"set: with the smallest lambda ASSET* takes more than {FACTOR:g} times the epochs of ASSET, and more than "
    f"{FACTOR:g} times its own epochs with the largest lambda. Each by the 95 % interval of the ratio of medians over "
    "the runs; if it contains the limit, the case is unclear. A run that misses the target counts with its budget, a "
    "lower bound."
)


def _judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Study]) -> Claim:
    """Judge the second half of claim 2: ASSET* slows down as lambda goes to 0."""
    answers = {
        "ASSET* over ASSET": cases_of(evidence, found, _slower),
        "ASSET* over itself with the largest lambda": cases_of(evidence, found, _slows),
    }
    return claim_from_groups(spec, RULE, list(answers.values()), summarize(answers))


def _slower(study: Study) -> Case:
    star, asset = study.efforts("asset_star"), study.efforts("asset")
    C = max(study.points, default=0.0)
    return _case(study, "slower", star.get(C), asset.get(C), C)


def _slows(study: Study) -> Case:
    star = study.efforts("asset_star")
    small, large = max(star, default=0.0), min(star, default=0.0)  # the largest C is the smallest lambda
    return _case(study, "slows down", star.get(small), star.get(large) if large < small else None, small)


def _case(study: Study, what: str, first: Effort | None, second: Effort | None, C: float) -> Case:
    place, about = (study.panel.paper_dataset, what), called(study.panel)
    if first is None or second is None:
        return Case(place, about, "not_applicable", note="no finished runs to compare")
    over = ratio_of(first, second)
    statistic = {"C": C, "ratio": None if over is None else over.as_dict()}
    if over is None:
        return Case(place, about, "not_applicable", "", statistic, "neither reaches the target within its epochs")
    texts = [effort.text(multiple_text) for effort in (first, second)]
    return Case(place, about, over.above(FACTOR), f"{over.text()} ({' against '.join(texts)} epochs)", statistic)


_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    f"Above: epochs to within {MARGIN:g} point of the better method's last test error; arrows: most runs missed it. "
    "Below: last errors. Medians, least to largest."
)


def _draw(figure: Figure | SubFigure, found: Sequence[Study]) -> None:
    """Draw two panels per data set, one above the other."""
    if not found:
        empty(figure, "no finished runs")
        return
    columns = len(found)
    axes = layout.add_panels(figure, 2 * columns, _HEAD, columns)
    layout.legend_and_caption(figure, axes[0], [STYLES[name] for name in METHODS], _CAPTION)
    for k, study in enumerate(found):
        above, below = axes[k], axes[columns + k]
        layout.log_axes(above, "C = 1 / (lambda m)", "Epochs", k, columns)
        layout.log_axes(below, "C = 1 / (lambda m)", "Test error, %", k, columns)
        for name in METHODS:
            layout.draw_efforts(above, study.efforts(name), STYLES[name])
            ends = {C: point.ends[name] for C, point in study.points.items() if name in point.ends}
            if ends:
                low, middle, high = (
                    np.array([pick(own) for own in ends.values()]) for pick in (np.min, np.median, np.max)
                )
                runs = max(map(len, ends.values()))
                shown = Band(np.array(list(ends)), middle, low, high, runs)
                layout.draw_band(below, shown, STYLES[name], steps=False)
        below.set_yscale("linear")
        heading(above, study.panel)
        heading(below, study.panel)


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


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claim."""
    found = studies(evidence)
    shown = [study for study in found if study.points]
    return FigureResult(
        _points(shown),
        partial(_draw, found=shown),
        (layout.WIDTH, _HEAD + max(1, 2 * bool(shown)) * layout.height(1)),
        table=_table(shown),
        claims=judge_claims(evidence, {"asset.lambda": partial(_judge, found=found)}),
    )


def _points(shown: Sequence[Study]) -> pd.DataFrame:
    rows = [
        {
            "panel": study.panel.paper_dataset,
            "dataset": study.panel.dataset,
            "C": C,
            "series": name,
            "target": point.target,
            **effort.columns("epochs"),
            "error": point.ends[name].mean(),
            "sd": spread(point.ends[name]),
        }
        for study in shown
        for C, point in study.points.items()
        for name, effort in point.efforts.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _table(shown: Sequence[Study]) -> Table:
    names = [STYLES[name].name for name in METHODS]
    columns = ["data set", "C = 1/(lambda m)", "test error to reach", *(f"epochs, {name}" for name in names)]
    columns += [f"last error, {name}" for name in names]
    rows = [
        [
            name_of(study.panel),
            f"{C:g}",
            f"{point.target:.2f} %",
            *(_epochs_cell(point, name) for name in METHODS),
            *(_last_cell(point, name) for name in METHODS),
        ]
        for study in shown
        for C, point in study.points.items()
    ]
    notes = [
        "Epochs: medians over the runs, to the first evaluation, of ten per epoch, with a test error within "
        f"{MARGIN:g} percentage point of the better method's last error. >: half of the runs or more missed it within "
        "that many. Last error: mean over the last tenth of the epochs, in per cent; mean over the runs ± standard "
        "deviation.",
        "Printed are C = 1000 for Adult, 100 for MNIST and IJCNN.",
    ]
    return Table(columns, rows, notes)


def _epochs_cell(point: Point, name: str) -> str:
    effort = point.efforts.get(name)
    return "" if effort is None else effort.text(multiple_text)


def _last_cell(point: Point, name: str) -> str:
    own = point.ends.get(name)
    return "" if own is None else written(float(own.mean()), spread(own), len(own))
