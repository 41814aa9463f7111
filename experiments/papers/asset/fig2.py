"""Figure 2: progress on a stream, test error against CPU time, one panel for each dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.asset.errors import difference
from svm_cost_curves.experiments.papers.asset.streams import COSTS, EXACT, LAST, METHODS, Streams, all_streams
from svm_cost_curves.experiments.papers.bands import Band, band_table
from svm_cost_curves.experiments.papers.cases import (
    FAILS,
    MISSING,
    Case,
    Choice,
    Findings,
    above,
    case_on,
    interval_text,
    judge_claims,
    summarize,
)
from svm_cost_curves.experiments.papers.effort import ratio_of
from svm_cost_curves.experiments.papers.panels import heading
from svm_cost_curves.experiments.plotting import FAINT, STYLES, Style, axis_name
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure


def judge_faster_and_lower(found: Sequence[Streams], evidence: Evidence, choice: Choice) -> Findings:
    """Judge claim 5: on a stream ASSET converges faster than ASSET* and to a lower error."""
    faster = _sooner if choice.option("faster") == "target" else _below
    dimensions = sorted(int(d) for d in evidence.spec.members(METHODS[0]))
    return _findings(
        {
            "Lower, by how much": [_lower(each, d) for each in found for d in dimensions],
            "Faster, by how much": [faster(each, d) for each in found for d in dimensions],
        }
    )


def _findings(answers: dict[str, list[Case]]) -> Findings:
    return Findings([case for cases in answers.values() for case in cases], summarize(answers))


def _lower(each: Streams, d: int) -> Case:
    return _difference(each, d, "lower", "means")


def _below(each: Streams, d: int) -> Case:
    return _difference(each, d, "faster", "areas")


def _difference(each: Streams, d: int, what: str, errors: str) -> Case:
    asset, star = (each.of.get(method, {}).get(d) for method in METHODS)
    if asset is None or star is None:
        return case_on(each.panel, f"{what} d={d}", MISSING, note="no finished runs of both", about=f"d = {d:,}")
    interval = difference([getattr(star, errors)], [getattr(asset, errors)])
    assert interval is not None
    measured = interval_text(interval, "+.2f", " points")
    return case_on(each.panel, f"{what} d={d}", above(interval, 0.0), measured, interval.as_dict(), about=f"d = {d:,}")


def _sooner(each: Streams, d: int) -> Case:
    """Judge how many examples ASSET* needs to its last error, relative to ASSET."""
    asset, star = (each.of.get(method, {}).get(d) for method in METHODS)
    place, about = f"faster d={d}", f"d = {d:,}"
    if asset is None or star is None:
        return case_on(each.panel, place, MISSING, note="no finished runs of both", about=about)
    target = float(star.means.mean())
    over = ratio_of(star.examples_to(target), asset.examples_to(target))
    if over is None:
        return case_on(each.panel, place, FAILS, note="neither reaches the last error of ASSET*", about=about)
    return case_on(each.panel, place, over.above(1.0), f"{over.text()} times", over.as_dict(), about=about)


_HEAD: Final = 0.62  # inches
_SHOWN: Final = 1e-3
"""The axis begins at this share of the largest cost: before it most predictors still guess."""
_CAPTION: Final = (
    f"Medians over the runs; the last point is the mean of the last {LAST} evaluations. Grey: ASSET with the other d."
)


def _draw(figure: Figure | SubFigure, found: Sequence[Streams]) -> None:
    """Draw one panel for each data set and d, against CPU time."""
    panels = [(each, d) for each in found for d in each.dimensions]
    names = [name for name in METHODS if any(name in each.of for each in found)]
    names += [EXACT] if any(each.exact for each in found) else []
    axes_names = axis_name("cpu_seconds"), "Test error, %"
    for place, (each, d) in layout.each_panel(
        figure, panels, [_style(name) for name in names], [_CAPTION], _HEAD, axes_names
    ):
        for other, own in each.of.get(METHODS[0], {}).items():
            if other != d:
                grey = _without_tail(own.bands["cpu_seconds"])
                place.plot(grey.cost, grey.median, drawstyle="steps-post", color=FAINT, linewidth=0.6, alpha=0.6)
        lines = {name: own[d].bands for name, own in each.of.items() if d in own}
        lines |= {EXACT: each.exact} if each.exact else {}
        bands = {
            name: own["cpu_seconds"] if name == EXACT else _without_tail(own["cpu_seconds"])
            for name, own in lines.items()
            if "cpu_seconds" in own
        }
        for name, shown in bands.items():
            layout.draw_line(place, shown, _style(name))
        largest = max(float(shown.cost[-1]) for shown in bands.values())
        place.set_xlim(left=max(_SHOWN * largest, place.get_xlim()[0]))
        layout.plain_ticks(place.yaxis)
        heading(place, each.panel, f"d = {d:,}")


def _style(name: str) -> Style:
    """Return a solid style: dashes are unreadable on steps."""
    return replace(STYLES[name], line="-", marker={METHODS[0]: "o", METHODS[1]: "s"}.get(name, "^"))


def _without_tail(band: Band) -> Band:
    """Return the band with the mean of its last evaluations in place of all but the last of them."""
    cost = np.append(band.cost[:-LAST], band.cost[-1])
    median, low, high = (np.append(own[:-LAST], own[-LAST:].mean()) for own in (band.median, band.low, band.high))
    return Band(cost, median, low, high, band.runs)


COLUMNS: Final = ("panel", "dataset", "series", "d", "cost", "x", "median", "low", "high", "runs")


OPTIONS = {"asset.5": {"faster": ("area", "target")}}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claim."""
    found = all_streams(evidence)
    shown = [each for each in found if each.of]
    return FigureResult(
        _points(shown),
        partial(_draw, found=shown),
        layout.size(sum(len(each.dimensions) for each in shown), _HEAD),
        claims=judge_claims(evidence, {"asset.5": partial(judge_faster_and_lower, found)}),
    )


def _points(shown: Sequence[Streams]) -> pd.DataFrame:
    rows = []
    for each in shown:
        lines = [(name, d, own.bands) for name, streams in each.of.items() for d, own in streams.items()]
        for name, d, bands in [*lines, *([(EXACT, 0, each.exact)] if each.exact else [])]:
            names = {"panel": each.panel.paper_dataset, "dataset": each.panel.dataset, "series": name, "d": d}
            rows += [(names | {"cost": cost}, bands[cost]) for cost in COSTS if cost in bands]
    return band_table(rows, "x", COLUMNS)
