"""Figure 2: progress on a stream, test error against examples and against CPU time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from experiments.papers import layout
from experiments.papers.asset.errors import difference
from experiments.papers.asset.streams import COSTS, EXACT, FROM, LAST, METHODS, Streams, all_streams
from experiments.papers.bands import band_table
from experiments.papers.cases import Case, above, claim_from_groups, exclude_undeclared, interval_text, judge_claims
from experiments.papers.panels import called, empty, heading
from experiments.plotting import STYLES, axis_name
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.figure_result import FigureResult
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

RULE: Final = (
    f"For each d: test errors of ASSET* minus those of ASSET. Lower: of the means over the last {LAST} evaluations, "
    "within the last 10,000 examples of a million. Faster: of the means over the logarithm of the number of examples, "
    f"from {FROM:.0%} of them to the end. Reproduced: the 95 % interval over the runs of both lies above 0; not "
    "reproduced: at or below 0; else unclear. Intervals of single runs are points."
)


def _judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Streams]) -> Claim:
    """Judge claim 5: on a stream ASSET converges faster than ASSET* and to a lower error."""
    answers = {
        kind: [
            exclude_undeclared(_case(each, d, kind), evidence, each.panel)
            for each in found
            for d in each.dimensions or [0]
        ]
        for kind in ("lower", "faster")
    }
    sentences = [
        f"{kind.capitalize()}, by how much: {values}."
        for kind, cases in answers.items()
        if (values := "; ".join(case.measured for case in cases if case.measured))
    ]
    return claim_from_groups(spec, RULE, list(answers.values()), " ".join(sentences))


def _case(each: Streams, d: int, kind: str) -> Case:
    place, about = (each.panel.paper_dataset, f"{kind} d={d}"), called(each.panel)
    asset, star = (each.of.get(method, {}).get(d) for method in METHODS)
    if asset is None or star is None:
        return Case(place, about, "not_applicable", note="no finished runs of both")
    values = [(own.means if kind == "lower" else own.areas) for own in (star, asset)]
    interval = difference([values[0]], [values[1]])
    assert interval is not None
    measured = f"d = {d:,} {interval_text(interval, '+.2f', ' points')}"
    return Case(place, about, above(interval, 0.0), measured, interval.as_dict())


_HEAD: Final = 0.62  # inches
_WIDTHS: Final = (0.8, 3.0)
"""Line widths for the smallest and the largest d, in points."""
_SHOWN: Final = 1e-3
"""The axis begins at this share of the largest cost: before it most predictors still guess."""


def _draw(figure: Figure | SubFigure, found: Sequence[Streams]) -> None:
    """Draw two panels per data set."""
    if not found:
        empty(figure, "no finished runs")
        return
    axes = layout.add_panels(figure, 2 * len(found), _HEAD, 2)
    names = [name for name in METHODS if any(name in each.of for each in found)]
    names += [EXACT] if any(each.exact for each in found) else []
    dimensions = sorted({d for each in found for d in each.dimensions})
    names_of_d = ", ".join(f"{d:,}" for d in dimensions)
    text = f"Medians over the runs. The thicker the line the more random features: d = {names_of_d}."
    layout.legend_and_caption(figure, axes[0], [replace(STYLES[name], line="-") for name in names], text)
    for k, each in enumerate(found):
        for place, cost in zip(axes[2 * k : 2 * k + 2], COSTS, strict=True):
            layout.log_axes(place, axis_name(cost), "Test error, %", COSTS.index(cost), 2)
            _draw_panel(place, each, cost, dict(zip(dimensions, np.linspace(*_WIDTHS, len(dimensions)), strict=True)))
            heading(place, each.panel)


def _draw_panel(axes: Axes, each: Streams, cost: str, widths: Mapping[int, float]) -> None:
    lines = [
        (own.bands[cost], STYLES[name], widths[d]) for name, streams in each.of.items() for d, own in streams.items()
    ]
    if cost in each.exact:
        lines.append((each.exact[cost], STYLES[EXACT], _WIDTHS[1]))
    for band, style, width in lines:
        axes.plot(band.cost, band.median, drawstyle="steps-post", color=style.color, linewidth=width, zorder=3)
    largest = max(float(band.cost[-1]) for band, _, _ in lines)
    axes.set_xlim(left=max(_SHOWN * largest, min(float(band.cost[0]) for band, _, _ in lines)))
    layout.plain_ticks(axes.yaxis)


COLUMNS: Final = ("panel", "dataset", "series", "d", "cost", "x", "median", "low", "high", "runs")


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claim."""
    found = all_streams(evidence)
    shown = [each for each in found if each.of]
    return FigureResult(
        _points(shown),
        partial(_draw, found=shown),
        layout.size(max(1, 2 * len(shown)), _HEAD, 2),
        claims=judge_claims(evidence, {"asset.5": partial(_judge, found=found)}),
    )


def _points(shown: Sequence[Streams]) -> pd.DataFrame:
    rows = []
    for each in shown:
        lines = [(name, d, own.bands) for name, streams in each.of.items() for d, own in streams.items()]
        for name, d, bands in [*lines, *([(EXACT, 0, each.exact)] if each.exact else [])]:
            names = {"panel": each.panel.paper_dataset, "dataset": each.panel.dataset, "series": name, "d": d}
            rows += [(names | {"cost": cost}, bands[cost]) for cost in COSTS if cost in bands]
    return band_table(rows, "x", COLUMNS)
