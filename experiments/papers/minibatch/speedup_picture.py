"""How the speed-up is drawn: times as fast as one worker against the number of workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from experiments.papers import layout
from experiments.papers.minibatch.looks import LOOKS
from experiments.papers.panels import empty, heading
from experiments.plotting import INK, PANEL, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from experiments.papers.minibatch.spectrum import Spectrum
    from experiments.papers.minibatch.speedup import Times

_HEAD: Final = 0.62  # inches
_COLUMNS: Final = 2
_LINES: Final = ("-", (0, (4.0, 1.6)), (0, (1.2, 1.2)))
"""By b, rising."""
_CAPTION: Final = (
    "Wall time of an iteration with one worker over that with several; medians over the runs, bars: 95 % intervals. "
    "Dotted: as many times as fast as there are workers."
)


def size(found: Sequence[Times]) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEAD + layout.height(len(_panels(found)), _COLUMNS)


def draw(figure: Figure | SubFigure, found: Sequence[Times]) -> None:
    """Draw one panel per data set and kind of worker."""
    panels = _panels(found)
    if not panels:
        empty(figure, "no finished runs")
        return
    axes = layout.places(figure, len(panels), _HEAD, _COLUMNS)
    styles = _styles(found)
    layout.head(figure, axes[0], styles.values(), _CAPTION)
    for k, (place, own) in enumerate(zip(axes, panels, strict=True)):
        _draw_one(place, own, styles, k)


def _panels(found: Sequence[Times]) -> list[list[Times]]:
    """Return what is drawn in each panel."""
    panels: dict[tuple[str, str], list[Times]] = {}
    for times in found:
        panels.setdefault((times.panel.asked, times.kind), []).append(times)
    return list(panels.values())


def _styles(found: Sequence[Times]) -> dict[tuple[str, int], Style]:
    """Style of each method with each b."""
    sizes = sorted({times.b for times in found})
    keys = dict.fromkeys((times.method, times.b) for times in found)
    return {
        (method, b): Style(
            f"{LOOKS[method].name}, b = {b:,}",
            LOOKS[method].color,
            _LINES[sizes.index(b) % len(_LINES)],
            LOOKS[method].marker,
        )
        for method, b in keys
    }


def _draw_one(axes: Axes, own: Sequence[Times], styles: dict[tuple[str, int], Style], place: int) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    kind = own[0].kind
    layout.dress(axes, kind[0].upper() + kind[1:], "Times as fast as one", place, _COLUMNS)
    counts = sorted({count for times in own for count in times.efforts})
    axes.plot(counts, counts, color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
    for times in own:
        style = styles[times.method, times.b]
        ratios = times.ratios
        middle = [ratio.interval.estimate for ratio in ratios.values()]
        spread = [
            [ratio.interval.estimate - ratio.interval.low for ratio in ratios.values()],
            [ratio.interval.high - ratio.interval.estimate for ratio in ratios.values()],
        ]
        look: dict[str, Any] = {"color": style.color, "linestyle": style.line, "linewidth": style.width * PANEL.lines}
        axes.errorbar(list(ratios), middle, spread, capsize=3, **look, **style.markers(PANEL.lines), zorder=3)
    axes.xaxis.set_major_locator(FixedLocator(counts))
    axes.set_yscale("linear")
    axes.set_ylim(bottom=0.0)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    spectrum = own[0].spectrum
    heading(axes, own[0].panel, "" if spectrum is None else _promised(spectrum, sorted({times.b for times in own})))


def _promised(spectrum: Spectrum, sizes: Sequence[int]) -> str:
    """Say what the bounds promise of mini-batches of some sizes, once if it is the same."""
    shares = [f"{1 / spectrum.share(b):.3g}" for b in sizes]
    if len(set(shares)) == 1:
        return f"b / beta_b = {shares[0]}"
    return "b / beta_b = " + ", ".join(f"{share} (b = {b:,})" for share, b in zip(shares, sizes, strict=True))
