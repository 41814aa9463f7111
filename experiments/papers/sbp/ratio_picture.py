"""How Table 2 is drawn: measured over printed nu, one line per row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from experiments.papers.panels import empty
from experiments.plotting import FAINT, INK, PANEL, STYLES, plain_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_WIDTH: Final = 12.0  # inches
_ROW, _ABOVE, _BELOW, _LEFT, _RIGHT = 0.5, 0.4, 0.6, 3.4, 4.5  # inches
_COLUMNS: Final = (18, 86, 160)  # points from the axes


@dataclass(frozen=True)
class Ratio:
    """One row.

    Attributes
    ----------
    name, details : str
        Of what; the second in small letters.
    ratio, measured, printed : float
        `measured` / `printed`, and these.
    determined : bool
        Whether the measured value is known to its digits.
    other_data : bool
        Whether it was measured on other data than the printed one.
    """

    name: str
    details: str
    ratio: float
    measured: float
    printed: float
    determined: bool
    other_data: bool

    @property
    def printed_text(self) -> str:
        """As the paper prints it."""
        return f"{self.printed:.2e}"

    @property
    def measured_text(self) -> str:
        """With a digit more."""
        return f"{self.measured:.3e}"

    @property
    def remark(self) -> str:
        """Why its symbol is open; empty where it is not."""
        reasons = {"other data": self.other_data, "0 but for accuracy": not self.determined}
        return "; ".join(reason for reason, holds in reasons.items() if holds)


def size(ratios: Sequence[Ratio]) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return _WIDTH, _ABOVE + _BELOW + _ROW * max(len(ratios), 2)


def draw(figure: Figure | SubFigure, ratios: Sequence[Ratio]) -> None:
    """Draw a symbol per row on a logarithmic axis, and the numbers beside it; the line is agreement."""
    if not ratios:
        empty(figure, "no finished runs")
        return
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    width, height = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    box = (_LEFT / width, _BELOW / height, (width - _LEFT - _RIGHT) / width, (height - _ABOVE - _BELOW) / height)
    axes = figure.add_axes(box)
    color = STYLES["smo"].color
    heights = list(range(len(ratios), 0, -1))
    axes.axvline(1.0, color=INK, linewidth=1.0, zorder=1)
    for level, row in zip(heights, ratios, strict=True):
        axes.plot([1.0, row.ratio], [level, level], color=color, linewidth=1.2, alpha=0.6, zorder=2)
        look: dict[str, Any] = {"marker": "D", "markersize": 7, "markeredgecolor": color, "markeredgewidth": 1.4}
        axes.plot([row.ratio], [level], markerfacecolor="white" if row.remark else color, **look, zorder=3)
        beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center", "size": PANEL.ticks}
        name: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "parse_math": False} | beside
        axes.annotate(row.name, (-0.03, level), (0, 6), color=INK, **name)
        axes.annotate(row.details, (-0.03, level), (0, -6), color=FAINT, **name | {"size": PANEL.note})
        row_texts = (row.printed_text, row.measured_text, row.remark)
        for place, text, ink in zip(_COLUMNS, row_texts, (INK, INK, FAINT), strict=True):
            axes.annotate(text, (1, level), (place, 0), textcoords="offset points", color=ink, **beside)
    above: dict[str, Any] = {"textcoords": "offset points", "size": PANEL.note, "color": FAINT}
    for place, text in zip(_COLUMNS, ("printed", "derived"), strict=False):
        axes.annotate(text, (1, 1), (place, 4), xycoords="axes fraction", **above)
    axes.set_xscale("log")
    smallest, largest = min(1.0, *(row.ratio for row in ratios)), max(1.0, *(row.ratio for row in ratios))
    margin = max((largest / smallest) ** 0.08, 1.2)
    axes.set_xlim(smallest / margin, largest * margin)
    axes.set_ylim(0.4, len(ratios) + 0.6)
    axes.set_yticks([])
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if largest / smallest < 50 else (1.0,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("derived nu / printed nu", size=PANEL.label, color=INK)
    plain_frame(axes, PANEL.ticks, grid="x")
