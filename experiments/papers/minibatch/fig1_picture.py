"""How Figure 1 is drawn: iterations against b on logarithmic axes, beta_b / b on an axis of its own to the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from experiments.papers import layout
from experiments.papers.minibatch.looks import LOOKS, METHODS, TAIL
from experiments.papers.minibatch.study import ACCURACY, Study
from experiments.papers.panels import empty, heading
from experiments.plotting import INK, PANEL

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
    names = [name for name in (*METHODS, TAIL) if any(study.of(name) for study in found)]
    layout.head(figure, axes[0], [LOOKS[name] for name in names], *_CAPTIONS)
    for k, (place, study) in enumerate(zip(axes, found, strict=True)):
        box = place.get_position()
        place.set_position((box.x0, box.y0, (1 - _RIGHT) * box.width, box.height))
        layout.dress(place, "b, examples in a mini-batch", "Iterations", k, _COLUMNS)
        for name in names:
            layout.draw_efforts(place, study.of(name), LOOKS[name])
        heading(place, study.panel, "" if study.data.optimum is None else f"P* = {study.data.optimum.upper:.6f}")
        if study.data.spectrum is not None:
            _draw_beta(place, study, last=k % _COLUMNS == _COLUMNS - 1 or k == len(found) - 1)


def _draw_beta(axes: Axes, study: Study, *, last: bool) -> None:
    """Draw beta_b / b on an axis of its own, and mark b = 1 / sigma^2."""
    from matplotlib.ticker import NullLocator

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
    layout.plain_ticks(right.yaxis, (1.0, 2.0, 5.0) if narrow else (1.0,))
    right.yaxis.set_minor_locator(NullLocator())
    right.spines["top"].set_visible(False)
    if last:
        right.set_ylabel("beta_b / b", size=PANEL.label, color=INK)
