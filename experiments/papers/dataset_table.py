"""Tables of data sets: the sizes that a paper prints, the sizes that the runs counted, and a panel beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from ..plotting import FAINT, INK
from ..reproduction.evidence import Evidence, Panel
from ..reproduction.numbers import Number
from . import layout
from .printed import compare_number, data_difference

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SIZE: Final = (layout.WIDTH, 4.2)
"""Width and height of the drawing, in inches."""
COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#b0578d", "#666666", "#e69f00")
_ENTRY: Final = 34  # points from one data set's entry beside the panel to the next
QUANTITIES: Final[Mapping[str, Callable[[Mapping[str, Any]], float]]] = {
    "training rows": lambda counts: counts["train"]["n"],
    "test rows": lambda counts: counts["test"]["n"],
    "features": lambda counts: counts["train"]["d"],
    # a stream counts the nonzeros of its test rows only
    "density": lambda counts: _density(counts["train"] if "nnz" in counts["train"] else counts["test"]),
}
"""Quantities of a data set that the papers print, from the counts that a run recorded; the density in per cent."""


def _density(counts: Mapping[str, int]) -> float:
    return 100 * counts["nnz"] / (counts["n"] * counts["d"])


def counted(panel: Panel) -> list[float | None]:
    """Return the `QUANTITIES` of a panel's data set; None for each without a run."""
    run = next((run for runs in panel.runs.values() for run in runs), None)
    if run is None:
        return [None] * len(QUANTITIES)
    counts = run.result["provenance"]["data"]["counts"]
    return [float(quantity(counts)) for quantity in QUANTITIES.values()]


def size_cells(sizes: Sequence[float | None], digits: int) -> list[str]:
    """Write the `QUANTITIES` of a data set; an empty cell for None."""
    *counts, density = sizes
    texts = ["" if count is None else f"{count:,.0f}" for count in counts]
    return [*texts, "" if density is None else f"{density:.{digits}g} %"]


def compare_sizes(
    evidence: Evidence, full: Mapping[str, int], notes: Mapping[str, str] = MappingProxyType({})
) -> list[Number]:
    """Compare every printed number ``<quantity> of <data set>`` with the counted one.

    `full` holds the training rows of the paper's data sets, `notes` remarks by the number's name.
    """
    panels = {panel.paper_dataset: panel for panel in evidence.panels}
    numbers = []
    for spec in evidence.spec.numbers:
        quantity, _, paper_dataset = spec.name.partition(" of ")
        panel = panels.get(paper_dataset)
        if panel is None:
            numbers.append(compare_number(spec, "", None))
        else:
            value = dict(zip(QUANTITIES, counted(panel), strict=True))[quantity]
            why = data_difference(panel, full.get(paper_dataset))
            numbers.append(compare_number(spec, why, value, notes.get(spec.name, "")))
    return numbers


def add_panel(figure: Figure | SubFigure, box: tuple[float, float, float, float]) -> Axes:
    """Add one panel; `box` is left, bottom, width and height in inches of a drawing of `SIZE`."""
    left, below, width, height = box
    return figure.add_axes((left / SIZE[0], below / SIZE[1], width / SIZE[0], height / SIZE[1]))


def write_entry(axes: Axes, line: int, color: str, name: str, facts: str) -> None:
    """Write a data set's name in its line's colour and a line of facts, to the right of the panel."""
    _beside(axes, name, -10 - _ENTRY * line, color)
    _beside(axes, facts, -23 - _ENTRY * line, INK)


def write_notes(axes: Axes, entries: int, *notes: str) -> None:
    """Write notes in small grey letters below this many entries."""
    for k, note in enumerate(notes):
        _beside(axes, note, -14 - _ENTRY * entries - 13 * k, FAINT)


def _beside(axes: Axes, text: str, down: float, color: str) -> None:
    look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "parse_math": False}
    axes.annotate(text, (1, 1), (14, down), color=color, **look)
