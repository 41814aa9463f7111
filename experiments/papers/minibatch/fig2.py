"""Figure 2: primal and dual suboptimality and test error along runs with small and with large mini-batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from ...curve import Points, column
from ...plotting.bands import Band, band, band_table
from ...reproduction.evidence import Evidence, FigureResult, Panel
from ...reproduction.statistics.interval import BESIDE, MISSING, UNCLEAR, holds
from .. import layout
from ..cases import Case, Findings, Statistic, case_on, judge_claims
from ..optimum import optimum_of
from ..panels import called, empty, heading
from ..samples import samples
from .data import ACCURACY, why_unfit
from .methods import METHOD_STYLES, METHODS, name_of_method

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

Bands = Mapping[tuple[str, str], Band]
"""Bands by method and measure."""
COLUMNS: Final = ("panel", "dataset", "series", "b", "measure", "iterations", "median", "low", "high", "runs")
_HEAD: Final = 0.62  # inches
_SMALLEST: Final = 1e-8
"""Smaller distances are drawn here; at scale paper P* is known to 1.1e-9."""
_CAPTION: Final = (
    r"Medians over the runs, bands from the least to the largest. Full: $P(\bar w) - P^*$, with $\bar w$ the decaying "
    r"average of the iterates; dashed, without symbols: $P^* - D(\alpha)$. Below $10^{-8}$: drawn there."
)


class ConvergencePath(NamedTuple):
    """One data set with mini-batches of b examples; `unfit` says why it is not judged.

    `runs` are against iterations, by method and measure: P(w) - P* (``primal``), P* - D(alpha) (``dual``), and the test
    error as a fraction; values that are not known are NaN. Without an optimum there are none.
    """

    panel: Panel
    b: int
    runs: Mapping[tuple[str, str], Sequence[Points]]
    unfit: str


def convergence_paths(evidence: Evidence) -> Iterator[ConvergencePath]:
    """Yield the paths of each data set, one for each mini-batch size b."""
    for panel in evidence.panels:
        optimum, by_size = optimum_of(panel), dict[float, dict[tuple[str, str], list[Points]]]()
        for sample in samples(evidence, METHODS, [panel]):
            runs, method = by_size.setdefault(sample.value, {}), sample.series
            if optimum is not None:
                frames = [(column(frame, "iterations"), frame) for frame in sample.frames]
                runs[method, "primal"] = [(T, column(frame, "primal") - optimum.lower) for T, frame in frames]
                runs[method, "dual"] = [(T, optimum.upper - column(frame, "dual")) for T, frame in frames]
                runs[method, "test_error"] = [(T, column(frame, "test_error")) for T, frame in frames]
        for b, runs in by_size.items():
            yield ConvergencePath(panel, int(b), runs, why_unfit(panel, optimum))


@dataclass(frozen=True, kw_only=True)
class Convergence(Statistic, kind="convergence"):
    """With the largest b naive SDCA gets worse along its runs and ends above 0.001; the others end at most at 0.001."""

    measure: Literal["primal", "dual"] = "primal"
    """P(w) - P* (``primal``), or P* - D(alpha) (``dual``; Pegasos has none)."""
    worse: float
    """In all runs naive SDCA ends at more than this multiple of its least value."""

    def findings(self, data: Sequence[ConvergencePath], evidence: Evidence) -> Findings:
        """Compare the ends of all runs on each data set; one case for each method."""
        largest = max((path.b for path in data), default=0)
        return Findings([self._case(path, name) for path in data if path.b == largest for name in METHODS])

    def _case(self, path: ConvergencePath, method: str) -> Case:
        key, about, note = f"{method} b={path.b}", f"{name_of_method(method)} on {called(path.panel)}", ""
        if self.measure == "dual" and method == "pegasos":
            return case_on(path.panel, key, BESIDE, about=about, note="it has no dual variables")
        of_method = path.runs.get((method, self.measure), ())
        runs = [finite for _, values in of_method if len(finite := values[np.isfinite(values)])]
        if path.unfit or not runs:
            return case_on(path.panel, key, MISSING, about=about, note=path.unfit or "no finished runs")
        last_values, least = np.array([run[-1] for run in runs]), np.array([run.min() for run in runs])
        decision = holds(bool((last_values <= ACCURACY).all()))
        if method == "naive":
            decision = holds(bool(((last_values > ACCURACY) & (last_values > self.worse * least)).all()))
        elif decision.ruling == "fails" and (last_values <= 1.1 * least).all():
            decision, note = UNCLEAR, "on its way when its budget ends"
        name = {"primal": "P - P*", "dual": "P* - D"}[self.measure]
        measured = f"{name} ends at {np.median(last_values):.2g}, least {np.median(least):.2g}"
        statistic = {"ends": last_values.tolist(), "least": least.tolist()}
        return case_on(path.panel, key, decision, measured, statistic, note, about=about)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claim."""
    paths = list(convergence_paths(evidence))
    bands = [(path, {key: drawn for key, runs in path.runs.items() if (drawn := band(runs))}) for path in paths]
    shown = [(path, drawn) for path, drawn in bands if drawn]
    columns = max(1, len({path.b for path, _ in shown}))
    rows = [
        (dict(zip(COLUMNS, (path.panel.paper_dataset, path.panel.dataset, method, path.b, name), strict=False)), curve)
        for path, drawn in shown
        for (method, name), curve in drawn.items()
    ]
    return FigureResult(
        lambda: band_table(rows, "iterations", COLUMNS),
        partial(_draw, shown=shown, columns=columns),
        layout.size(2 * len(shown), _HEAD, columns),
        claims=judge_claims(evidence, data=paths),
    )


def _draw(
    figure: Figure | SubFigure, shown: Sequence[tuple[ConvergencePath, Mapping[tuple[str, str], Band]]], columns: int
) -> None:
    """Draw two panels for each path, sizes side by side: the distances from P*, and the test errors below."""
    if not shown:
        empty(figure, "no finished runs with an optimum to compare with")
        return
    styles = {name: replace(METHOD_STYLES[name], line="-") for name in METHODS}
    axes = layout.add_panels(figure, 2 * len(shown), _HEAD, columns)
    layout.legend_and_caption(figure, axes[0], styles.values(), _CAPTION)
    for k, (path, bands) in enumerate(shown):
        row, across = divmod(k, columns)
        above, below = axes[2 * row * columns + across], axes[(2 * row + 1) * columns + across]
        layout.log_axes(above, "Iterations", "$P - P^*$, $P^* - D$", across, columns)
        layout.log_axes(below, "Iterations", "Test error, %", across, columns)
        for (method, measure), drawn in bands.items():
            style, distance = styles[method], drawn.at_least(_SMALLEST)
            if measure == "test_error":
                layout.draw_band(below, drawn.times(100), style)
            elif measure == "primal":
                layout.draw_band(above, distance, style)
            else:
                look: dict[str, Any] = {"color": style.color, "linewidth": 1.1, "linestyle": (0, (3.0, 1.6))}
                above.plot(distance.cost, distance.middle, drawstyle="steps-post", **look, zorder=2.5)
        below.set_yscale("linear")
        for panel_axes in (above, below):
            heading(panel_axes, path.panel, f"b = {path.b:,}")
