"""How Figure 1 is drawn: iterations against b on logarithmic axes, beta_b / b on an axis of its own to the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from experiments.papers import layout
from experiments.papers.effort import Effort
from experiments.papers.minibatch.looks import LOOKS, METHODS, TAIL
from experiments.papers.minibatch.study import ACCURACY, Study
from experiments.papers.panels import empty, heading
from experiments.plotting import FAINT, INK, PANEL, Style, legend_row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.78  # inches
_COLUMNS: Final = 2
_RIGHT: Final = 0.13
"""Share of a panel's width that the axis to the right takes."""
_BETA: Final = "#777777"
_CAPTIONS: Final = (
    f"Iterations to the first checkpoint with P(w) - P* <= {ACCURACY:g}: medians over the runs, bands from the least "
    "to the largest.",
    "Open symbols with arrows: most runs did not get there within so many, their budget. Grey: beta_b / b, on the "
    "right axis. Dotted: b = 1/sigma².",
)


def size(panels: int) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEAD + layout.height(panels, _COLUMNS)


def draw(figure: Figure | SubFigure, found: Sequence[Study]) -> None:
    """Draw one panel per data set."""
    if not found:
        empty(figure, "no finished runs with an optimum to compare with")
        return
    axes = layout.places(figure, len(found), _HEAD, _COLUMNS)
    left = axes[0].get_position().x0
    names = [name for name in (*METHODS, TAIL) if any(study.of(name) for study in found)]
    legend_row(figure, [LOOKS[name] for name in names], (left, 1.0))
    height = figure.bbox.height / figure.dpi
    for line, caption in enumerate(_CAPTIONS):
        figure.text(left, 1 - (0.3 + 0.17 * line) / height, caption, size=PANEL.note, color=FAINT, va="top")
    for k, (place, study) in enumerate(zip(axes, found, strict=True)):
        box = place.get_position()
        place.set_position((box.x0, box.y0, (1 - _RIGHT) * box.width, box.height))
        layout.dress(place, "b, examples in a mini-batch", "Iterations", k, _COLUMNS)
        for name in names:
            draw_method(place, study.of(name), LOOKS[name])
        heading(place, study.panel, "" if study.data.optimum is None else f"P* = {study.data.optimum.upper:.6f}")
        if study.data.spectrum is not None:
            _draw_beta(place, study, last=k % _COLUMNS == _COLUMNS - 1 or k == len(found) - 1)


def draw_method(axes: Axes, efforts: Mapping[int, Effort] | Mapping[float, Effort], style: Style) -> None:
    """Draw the sizes at which a method gets there, and arrows at the budgets of the others."""
    known = {b: effort for b, effort in efforts.items() if effort.known}
    missed = {b: effort for b, effort in efforts.items() if not effort.known}
    look: dict[str, Any] = {"color": style.color, "linewidth": style.width * PANEL.lines, "linestyle": style.line}
    # a line goes from a size to the next one, not over those that were missed
    line = [effort.median if effort.known else np.nan for effort in efforts.values()]
    axes.plot(list(efforts), line, **look, zorder=3)
    axes.plot(
        list(known),
        [effort.median for effort in known.values()],
        linestyle="none",
        **style.markers(PANEL.lines),
        zorder=4,
    )
    low, high = ([pick(effort.costs) for effort in known.values()] for pick in (min, max))
    axes.fill_between(list(known), low, high, color=style.color, alpha=0.16, linewidth=0, zorder=2)
    marks = style.markers(PANEL.lines) | {"markerfacecolor": "white", "markeredgecolor": style.color}
    for b, effort in missed.items():
        axes.plot([b], [effort.median], linestyle="none", **marks, zorder=4)
        arrow = {"arrowstyle": "-|>", "color": style.color, "linewidth": 0.9, "shrinkA": 3.0, "shrinkB": 0.0}
        axes.annotate(
            "", (b, effort.median), (0, 13), textcoords="offset points", arrowprops=arrow | {"arrowstyle": "<|-"}
        )


def _draw_beta(axes: Axes, study: Study, *, last: bool) -> None:
    """Draw beta_b / b on an axis of its own, and mark b = 1 / sigma^2."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    spectrum = study.data.spectrum
    assert spectrum is not None
    axes.axvline(spectrum.enough, color=_BETA, linewidth=0.9, linestyle=(0, (1.0, 2.0)), zorder=1)
    right = axes.twinx()
    right.set_yscale("log")
    sizes = np.array(study.sizes, dtype=np.float64)
    right.plot(sizes, [spectrum.share(b) for b in sizes], color=_BETA, linewidth=1.2, zorder=1)
    right.set_zorder(axes.get_zorder() - 1)
    axes.patch.set_visible(False)
    right.set_ylim(0.5 * spectrum.share(sizes[-1]), 2.0)
    right.tick_params(labelsize=PANEL.ticks, colors=_BETA)
    narrow = spectrum.share(sizes[-1]) > 0.05
    right.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if narrow else (1.0,)))
    right.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    right.yaxis.set_minor_locator(NullLocator())
    right.spines["top"].set_visible(False)
    if last:
        right.set_ylabel("beta_b / b", size=PANEL.label, color=INK)
