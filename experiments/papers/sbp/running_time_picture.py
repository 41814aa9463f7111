"""How the comparison with LIBSVM is drawn: test error against CPU seconds, with parts of LIBSVM's time marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from experiments.papers.panels import empty, heading, row_of_axes
from experiments.papers.sbp.running_time import COST, SHARES, RunningTimes
from experiments.plotting import (
    FAINT,
    INK,
    PANEL,
    STYLES,
    MeanCurve,
    axis_name,
    draw_panel,
    legend_row,
    mean_curve,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SIZE: Final = (12.0, 4.4)
_LEGEND, _ABOVE, _BELOW = 0.34, 0.5, 0.52  # inches
_BOX: Final = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.8}


def draw(figure: Figure | SubFigure, all_times: Sequence[RunningTimes]) -> None:
    """Draw one panel per data set: the SBP's mean with its spread, LIBSVM as the point where it ends."""
    if not all_times:
        empty(figure, "no data set, no curves")
        return
    panels = row_of_axes(figure, len(all_times), above=_LEGEND + _ABOVE, below=_BELOW)
    legend_row(figure, [STYLES["sbp"], STYLES["libsvm"]], (panels[0].get_position().x0, 1.0))
    for k, (axes, times) in enumerate(zip(panels, all_times, strict=True)):
        curve = mean_curve(times.curves, cost=COST, measure="test_error")
        if curve is None:
            axes.set_axis_off()
            axes.text(0.5, 0.5, "no finished runs of the SBP", size=PANEL.label, color=FAINT, ha="center", va="center")
            heading(axes, times.panel)
            continue
        styles = {"sbp": STYLES["sbp"]}
        notes = [draw_panel(axes, {"sbp": curve}, styles, cost=COST, measure="test_error", sizes=PANEL).cut]
        if times.seconds is not None and times.error is not None:
            cut = _limits(axes, curve.times(100), times.seconds, 100 * times.error)
            notes = [f"LIBSVM: {100 * times.error:.2f} % in {times.seconds:.3g} s", cut]
            _libsvm(axes, times.seconds, 100 * times.error)
        heading(axes, times.panel)
        # the upper right corner, which falling curves leave free
        inside: dict[str, Any] = {"xycoords": "axes fraction", "va": "top", "ha": "right", "parse_math": False}
        text = "\n".join(note for note in notes if note)
        axes.annotate(text, (0.985, 0.92), size=PANEL.note, color=FAINT, bbox=_BOX, zorder=6, **inside)
        if k == 0:
            axes.set_ylabel(axis_name("test_error"), size=PANEL.label, color=INK)


def _limits(axes: Axes, curve: MeanCurve, seconds: float, error: float) -> str:
    """Show what happens from the smallest of `SHARES` on; return what is cut, in words."""
    left, right = axes.get_xlim()
    first = seconds / SHARES[-1] / 1.5
    axes.set_xlim(first if curve.cost[-1] > first else left, max(right, seconds * 1.5))
    shown = curve.mean[curve.cost >= first] if curve.cost[-1] >= first else curve.mean
    low, high = min(float(shown.min()), error), max(float(shown.max()), error)
    margin = 0.12 * (high - low) or 0.05 * high or 1.0
    axes.set_ylim(max(low - margin, 0.0), high + margin)
    return f"axis cut: up to {curve.mean.max():.3g} % before" if curve.mean.max() > high + margin else ""


def _libsvm(axes: Axes, seconds: float, error: float) -> None:
    style = STYLES["libsvm"]
    axes.axhline(error, color=style.color, linewidth=1.0, linestyle=style.line, zorder=2.5)
    axes.plot([seconds], [error], linestyle="none", **style.markers(1.3), zorder=5)
    place: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "top"}
    for share in SHARES:
        at = seconds / share
        axes.axvline(at, color=FAINT, linewidth=0.9, linestyle=(0, (4.0, 3.0)), zorder=1.5)
        axes.annotate(f"1/{share}", (at, 0.99), size=PANEL.note, color=FAINT, bbox=_BOX, zorder=6, **place)
