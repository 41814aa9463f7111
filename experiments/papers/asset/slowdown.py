"""Section 4.2: epochs to a test error as lambda, the strong convexity, goes to 0."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import Points, column, cost_to_reach
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.asset.errors import all_panels, spread, written
from svm_cost_curves.experiments.papers.bands import Band
from svm_cost_curves.experiments.papers.cases import (
    FAILS,
    MISSING,
    Case,
    Choice,
    Findings,
    Judge,
    case_on,
    judge_claims,
    summarize,
)
from svm_cost_curves.experiments.papers.effort import Effort, effort_of, multiple_text, ratio_of
from svm_cost_curves.experiments.papers.panels import empty, heading, name_of
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.spec import FigureSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

METHODS: Final = ("asset", "asset_star")
LINEAR: Final = ("pegasos", "svmsgd")
"""Methods with the linear kernel."""
LAST: Final = 0.1
"""The last error of a run is its mean over this last share of the epochs: single evaluations are noisy."""
Runs = Sequence[Points]
"""Epochs and test errors in per cent of each run."""


@dataclass(frozen=True, eq=False)
class Study:
    """One data set: by method and C = 1/(lambda m), rising, its runs; equal only to itself."""

    panel: Panel
    of: Mapping[str, Mapping[float, Runs]]

    @property
    def values(self) -> list[float]:
        """All C with runs."""
        return sorted({C for runs in self.of.values() for C in runs})

    def last(self, method: str, C: float) -> NDArray[np.float64] | None:
        """Return the last errors in per cent, (runs,); None without runs."""
        runs = self.of.get(method, {}).get(C)
        return None if runs is None else np.array([_last_error(run) for run in runs])

    def target(self, method: str, C: float, margin: float) -> float:
        """Return the test error to reach: the better last error of a method and its rival, plus the margin."""
        peers = LINEAR if method in LINEAR else METHODS
        return min(float(np.median(own)) for name in peers if (own := self.last(name, C)) is not None) + margin

    def effort(self, method: str, C: float, margin: float, *, settled: bool = False) -> Effort | None:
        """Return the epochs to the target, or until the error stays at or below it; None without runs."""
        runs = self.of.get(method, {}).get(C)
        if runs is None:
            return None
        target = self.target(method, C, margin)
        find = _cost_to_settle if settled else cost_to_reach
        found = [find(epochs, errors, target) for epochs, errors in runs]
        return effort_of(found, max(float(epochs[-1]) for epochs, _ in runs))


def studies(evidence: Evidence) -> list[Study]:
    """Return the data sets of the figure's panels."""
    return [_study(panel, evidence.spec) for panel in all_panels(evidence)]


def _study(panel: Panel, spec: FigureSpec) -> Study:
    found: dict[str, dict[float, Runs]] = {}
    for method in (*METHODS, *LINEAR):
        for C, name in spec.members(method).items():
            if frames := [frame for frame in panel.curves(name) if len(frame)]:
                found.setdefault(method, {})[C] = [
                    (column(run, "epochs"), 100 * column(run, "test_error")) for run in frames
                ]
    return Study(panel, found)


def _cost_to_settle(epochs: NDArray[np.float64], errors: NDArray[np.float64], target: float) -> float | None:
    above = np.flatnonzero(errors > target)
    first = int(above[-1]) + 1 if len(above) else 0
    return float(epochs[first]) if first < len(epochs) else None


def _last_error(run: Points) -> float:
    epochs, errors = run
    return float(np.mean(errors[epochs >= (1 - LAST) * epochs[-1]]))


Found = Sequence[Study]


def judge_slower(found: Found, evidence: Evidence, choice: Choice) -> Findings:
    """Judge whether ASSET* slows down as lambda goes to 0, and falls behind ASSET."""
    star, asset = "asset_star", "asset"
    answers = {
        "ASSET* over ASSET": [_case(each, "slower", choice, (star, max), (asset, max)) for each in found],
        "ASSET* over itself with the largest lambda": [
            _case(each, "slows down", choice, (star, max), (star, min)) for each in found
        ],
    }
    return Findings([case for cases in answers.values() for case in cases], summarize(answers))


def judge_linear(found: Found, evidence: Evidence, choice: Choice) -> Findings:
    """Judge whether Pegasos and SGD with a linear kernel slow down as lambda goes to 0."""
    answers = {
        f"{STYLES[name].name} over itself with the largest lambda": [
            _case(each, f"{name} slows down", choice, (name, max), (name, min)) for each in found
        ]
        for name in LINEAR
    }
    return Findings([case for cases in answers.values() for case in cases], summarize(answers))


def _case(study: Study, what: str, choice: Choice, *sides: tuple[str, Callable[[Iterable[float]], float]]) -> Case:
    """Compare the epochs of two sides: a method at its largest or smallest C (the largest C is the smallest lambda)."""
    chosen = [(name, pick(study.of[name])) for name, pick in sides if study.of.get(name)]
    settled = choice.option("epochs") == "settled"
    first, second = ([study.effort(*each, choice["margin"], settled=settled) for each in chosen] + [None, None])[:2]
    if first is None or second is None or (sides[0][0] == sides[1][0] and chosen[0] == chosen[1]):
        return case_on(study.panel, what, MISSING, note="no finished runs to compare")
    over = ratio_of(first, second)
    if over is None:
        return case_on(study.panel, what, FAILS, note="neither reaches the target within its epochs")
    statistic = {"C": chosen[0][1], "ratio": over.as_dict()}
    texts = [effort.text(multiple_text) for effort in (first, second)]
    measured = f"{over.text()} ({' against '.join(texts)} epochs)"
    return case_on(study.panel, what, over.above(choice["factor"]), measured, statistic)


_HEAD: Final = 0.62  # inches
_MARGIN: Final = 1.0
"""Margin of the picture and the table, in percentage points."""
_CAPTION: Final = (
    f"Above: epochs to within {_MARGIN:g} point of the better method's last test error, for linear kernels until it "
    "stays so; arrows: most runs missed it. Below: last errors."
)


def _shown(study: Study, method: str, C: float) -> Effort | None:
    return study.effort(method, C, _MARGIN, settled=method in LINEAR)


def _draw(figure: Figure | SubFigure, found: Found) -> None:
    """Draw two panels per data set, one above the other."""
    if not found:
        empty(figure, "no finished runs")
        return
    columns = len(found)
    axes = layout.add_panels(figure, 2 * columns, _HEAD, columns)
    names = [name for name in (*METHODS, *LINEAR) if any(name in study.of for study in found)]
    layout.legend_and_caption(figure, axes[0], [STYLES[name] for name in names], _CAPTION)
    for k, study in enumerate(found):
        above, below = axes[k], axes[columns + k]
        layout.log_axes(above, r"$C = 1 / (\lambda m)$", "Epochs", k, columns)
        layout.log_axes(below, r"$C = 1 / (\lambda m)$", "Test error, %", k, columns)
        for name, own in study.of.items():
            efforts = {C: effort for C in own if (effort := _shown(study, name, C))}
            layout.draw_efforts(above, efforts, STYLES[name])
            ends = [last for C in own if (last := study.last(name, C)) is not None]
            low, middle, high = (np.array([pick(last) for last in ends]) for pick in (np.min, np.median, np.max))
            shown = Band(np.array(list(own)), middle, low, high, max(map(len, ends)))
            layout.draw_band(below, shown, STYLES[name], steps=False)
        below.set_yscale("linear")
        heading(above, study.panel)
        heading(below, study.panel)


_POINT: Final = "panel dataset C series target epochs least largest runs reached error sd"


OPTIONS = {name: {"epochs": ("first", "settled")} for name in ("asset.lambda", "asset.linear")}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claims."""
    found = studies(evidence)
    shown = [study for study in found if study.of]
    judges: dict[str, Judge] = {
        "asset.lambda": partial(judge_slower, found),
        "asset.linear": partial(judge_linear, found),
    }
    return FigureResult(
        _points(shown),
        partial(_draw, found=shown),
        (layout.WIDTH, _HEAD + max(1, 2 * bool(shown)) * layout.height(1)),
        table=_table(shown),
        claims=judge_claims(evidence, judges),
    )


def _points(shown: Found) -> pd.DataFrame:
    rows = [
        {
            "panel": study.panel.paper_dataset,
            "dataset": study.panel.dataset,
            "C": C,
            "series": name,
            "target": study.target(name, C, _MARGIN),
            **effort.columns("epochs"),
            "error": last.mean(),
            "sd": spread(last),
        }
        for study in shown
        for name, own in study.of.items()
        for C in own
        if (effort := _shown(study, name, C)) and (last := study.last(name, C)) is not None
    ]
    return pd.DataFrame(rows, columns=_POINT.split(" "))


def _table(shown: Found) -> Table:
    methods = (*METHODS, *LINEAR)
    names = [STYLES[name].name for name in methods]
    columns = ["data set", "C = 1/(lambda m)", *(f"epochs, {name}" for name in names)]
    columns += [f"last error, {name}" for name in names]
    rows = [
        [
            name_of(study.panel),
            f"{C:g}",
            *(_epochs_cell(_shown(study, name, C)) for name in methods),
            *(_last_cell(study.last(name, C)) for name in methods),
        ]
        for study in shown
        for C in study.values
    ]
    notes = [
        "Epochs: medians over the runs, to the first evaluation, of ten per epoch, with a test error within "
        f"{_MARGIN:g} percentage point of the better last error of ASSET and ASSET* for this C; for linear kernels, "
        "until it stays within that of Pegasos' and SVMSGD's. >: half of the runs or more missed it. Last "
        "error: mean over the last tenth of the epochs, in per cent; mean over the runs ± standard deviation.",
        "Printed are C = 1000 for Adult, 100 for MNIST and IJCNN.",
    ]
    return Table(columns, rows, notes)


def _epochs_cell(effort: Effort | None) -> str:
    return "" if effort is None else effort.text(multiple_text)


def _last_cell(own: NDArray[np.float64] | None) -> str:
    return "" if own is None else written(float(own.mean()), spread(own), len(own))
