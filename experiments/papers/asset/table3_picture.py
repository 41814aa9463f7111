"""How Table 3 is drawn: last test errors against d, with those printed in grey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from experiments.papers import layout
from experiments.papers.asset.looks import LOOKS
from experiments.papers.asset.printed import TABLE_3
from experiments.papers.asset.streams import METHODS, Streams
from experiments.papers.panels import empty, heading
from experiments.plotting import FAINT, PANEL

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    "Means over the last looks and the runs, bars: all looks. Grey, same symbols: printed, for other images."
)


def size() -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEAD + layout.height(1)


def draw(figure: Figure | SubFigure, found: Sequence[Streams]) -> None:
    """Draw one panel per data set."""
    if not found:
        empty(figure, "no finished runs")
        return
    axes = layout.places(figure, len(found), _HEAD, max(2, len(found)))
    layout.head(figure, axes[0], [LOOKS[name] for name in METHODS], _CAPTION)
    for k, (place, each) in enumerate(zip(axes, found, strict=True)):
        layout.dress(place, "d, random features", "Test error, %", k, len(found))
        for column, name in enumerate(METHODS):
            style = LOOKS[name]
            printed = [cell[2 * column] for cell in TABLE_3.values()]
            grey: dict[str, Any] = style.markers(PANEL.lines) | {"markerfacecolor": FAINT}
            place.plot(list(TABLE_3), printed, color=FAINT, linewidth=0.8, linestyle=style.line, **grey, zorder=2)
            own = each.of.get(name, {})
            means = [stream.means.mean() for stream in own.values()]
            look: dict[str, Any] = {"color": style.color, "linestyle": style.line, **style.markers(PANEL.lines)}
            place.plot(list(own), means, linewidth=style.width, **look, zorder=4)
            for d, stream in own.items():
                place.plot([d, d], [stream.looks.min(), stream.looks.max()], color=style.color, linewidth=1.0, zorder=3)
        layout.doubled(place, list(TABLE_3))
        layout.plain_ticks(place.yaxis)
        heading(place, each.panel)
