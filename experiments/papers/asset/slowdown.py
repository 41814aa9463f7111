"""Section 4.2: epochs to a test error as lambda, the strong convexity, goes to 0."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ...curve import column
from ...plotting import STYLES
from ...reproduction.evidence import Evidence, FigureResult, Table
from ...reproduction.statistics.interval import FAILS, MISSING
from ...reproduction.statistics.ratio import multiple_text, ratio_of
from ...reproduction.statistics.target import Effort
from .. import layout
from ..cases import Case, Statistic, case_on, judge_claims
from ..panels import heading, name_of
from . import sweep
from .sweep import Frames, Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINEAR: Final = ("pegasos", "svmsgd")
"""Methods with the linear kernel."""
METHODS: Final = ("asset", "asset_star", *LINEAR)
LAST: Final = 0.1
"""The last error of a run is its mean over this last share of the epochs: single evaluations are noisy."""
_MARGIN: Final = 1.0
"""Margin of the picture and the table, in percentage points."""

Study = sweep.Swept[Frames]
"""One data set: by method and C = 1/(lambda m) its runs."""


def last_errors(runs: Frames) -> Values:
    """Return the last errors in per cent, (runs,)."""
    curves = [(column(run, "epochs"), 100 * column(run, "test_error")) for run in runs]
    return np.array([errors[epochs >= (1 - LAST) * epochs[-1]].mean() for epochs, errors in curves])


def target(study: Study, method: str, C: float, margin: float = _MARGIN) -> float:
    """Return the test error to reach: the better last error of a method and its rival, plus the margin."""
    rivals = [study.get(name, C) for name in METHODS if (name in LINEAR) == (method in LINEAR)]
    return min(float(np.median(last_errors(frames))) for frames in rivals if frames) + margin


@dataclass(frozen=True, kw_only=True)
class SlowDown(Statistic, kind="slow_down"):
    """Epochs of `methods` with the smallest lambda, over their epochs with the largest and over those of others.

    The ratio is above `factor`; the methods in `over` are those compared besides, at the smallest lambda of both.
    Epochs are counted to `margin` percentage points above the better last error; with `settled` the error must stay
    there.
    """

    methods: list[str]
    over: list[str] = field(default_factory=list)
    factor: float
    margin: float
    settled: bool = False

    def cases(self, study: Study, evidence: Evidence) -> Iterator[Case]:
        """Compare the epochs of each method, at its largest C, with those of others and with its least C."""
        for method in self.methods:
            for rival in self.over:
                yield self._compared(study, method, rival, max)
            yield self._compared(study, method, method, min)

    def _compared(self, study: Study, first: str, second: str, pick: Callable[[Iterable[float]], float]) -> Case:
        key, values = f"{first} over {second}", [study.of.get(name, {}) for name in (first, second)]
        if not all(values) or (first == second and len(values[0]) < 2):
            return case_on(study.panel, key, MISSING, note="no finished runs to compare")
        C = max(values[0])
        ratio = ratio_of(*(self._epochs(study, name, at) for name, at in ((first, C), (second, pick(values[1])))))
        if ratio is None:
            return case_on(study.panel, key, FAILS, note="neither reaches the target within its epochs")
        over = ", smallest over largest lambda" if first == second else f" over {STYLES[second].name}"
        text, statistic = f"epochs, {STYLES[first].name}{over}, {ratio.text()}", {"C": C, "ratio": ratio.as_dict()}
        return case_on(study.panel, key, ratio.above(self.factor), text, statistic)

    def _epochs(self, study: Study, name: str, C: float) -> Effort:
        error = target(study, name, C, self.margin)
        return sweep.effort_to(error, study.of[name][C], "epochs", settled=self.settled)


_CAPTION: Final = (
    f"Above: epochs to within {_MARGIN:g} point of the better method's last test error, for linear kernels until it "
    "stays so; arrows: most runs missed it. Below: last errors."
)


def _effort(study: Study, name: str, C: float) -> Effort:
    return sweep.effort_to(target(study, name, C), study.of[name][C], "epochs", settled=name in LINEAR)


def _draw(axes: Axes, item: tuple[Study, bool]) -> None:
    """Draw the epochs of all methods against C, or their last errors, in a panel below."""
    study, below = item
    for name, runs in study.of.items():
        if below:
            errors = {C: last_errors(frames) for C, frames in runs.items()}
            layout.draw_band(axes, sweep.band_of(errors, np.median), STYLES[name], steps=False)
        else:
            layout.draw_efforts(axes, {C: _effort(study, name, C) for C in runs}, STYLES[name])
    if below:
        axes.set_yscale("linear")
        axes.set_ylabel(axes.get_ylabel() and "Test error, %")
    heading(axes, study.panel)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claims."""
    data: list[Study] = sweep.measured(evidence, METHODS, lambda frames: frames)
    shown = [study for study in data if study.of]

    def values(study: Study, name: str, C: float, runs: Frames) -> tuple[Any, ...]:
        epochs, errors = _effort(study, name, C).columns("epochs").values(), last_errors(runs)
        return C, name, target(study, name, C), *epochs, errors.mean(), sweep.spread(errors)

    items = [(study, below) for below in (False, True) for study in shown]
    styles = [STYLES[name] for name in METHODS if any(name in study.of for study in shown)]
    names = (r"$C = 1 / (\lambda m)$", "Epochs")
    return FigureResult(
        lambda: sweep.points(shown, "C series target epochs least largest runs reached error sd", values),
        *layout.drawing(items, styles, _CAPTION, names, _draw, columns=len(shown) or 1),
        table=partial(_table, shown),
        claims=judge_claims(evidence, data=data),
    )


def _table(shown: Sequence[Study]) -> Table:
    quantities = [f"{quantity}, {STYLES[name].name}" for quantity in ("epochs", "last error") for name in METHODS]
    rows = []
    for study in shown:
        for C in study.values:
            runs = {name: study.get(name, C) for name in METHODS}
            epochs = [_effort(study, name, C).text(multiple_text) if frames else "" for name, frames in runs.items()]
            errors = [sweep.error_text(last_errors(frames)) if frames else "" for frames in runs.values()]
            rows.append([name_of(study.panel), f"{C:g}", *epochs, *errors])
    notes = [
        "Epochs: medians over the runs, to the first evaluation, of ten per epoch, with a test error within "
        f"{_MARGIN:g} percentage point of the better last error of ASSET and ASSET* for this C; for linear kernels, "
        "until it stays within that of Pegasos' and SVMSGD's. >: half of the runs or more missed it. Last "
        "error: mean over the last tenth of the epochs, in per cent; mean over the runs ± standard deviation.",
        "Printed are C = 1000 for Adult, 100 for MNIST and IJCNN.",
    ]
    return Table(["data set", "C = 1/(lambda m)", *quantities], rows, notes)
