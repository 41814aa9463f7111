"""The frame of all axes: two sides, and a pale grid behind the curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from experiments.plotting.styles import GRID, INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plain_frame(axes: Axes, ticks: float, grid: Literal["both", "x"] = "both") -> None:
    """Draw only the sides with numbers, and a grid behind all curves.

    Parameters
    ----------
    axes : Axes
    ticks : float
        Size of the numbers, points.
    grid : {"both", "x"}
        Lines of both axes, or of x only if y has no numbers.
    """
    axes.tick_params(labelsize=ticks, colors=INK)
    axes.grid(True, axis=grid, which="major", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right") if grid == "both" else ("top", "right", "left"):
        axes.spines[side].set_visible(False)
