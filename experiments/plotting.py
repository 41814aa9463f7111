"""The project's pictures: error against cost, in one style, readable in grey and by the colour-blind.

Every algorithm keeps its colour, line style and marker in all figures. Figures are drawn without pyplot and without the
user's matplotlib settings, so the same curves give the same bytes everywhere the same matplotlib is installed.
"""

from __future__ import annotations

import hashlib
import math
import os
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from experiments.curve import column, cost_to_reach, mean_over_runs, value_at

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LineStyle = Literal["-"] | tuple[int, tuple[float, ...]]

WIDTH, HEIGHT, DPI = 9.0, 6.0, 150  # inches, inches, pixels per inch: text stays readable when shown 900 pixels wide
INK, FAINT, GRID = "#222222", "#666666", "#dddddd"
_LINE = 0.026  # height of a line of small print, as a fraction of the figure's


@dataclass(frozen=True)
class Style:
    """How an algorithm is drawn.

    Attributes
    ----------
    name : str
        As written in the legend.
    color : str
        Hexadecimal; of Okabe and Ito's colour-blind safe palette for the project's own algorithms.
    line : matplotlib line style
    marker : str
        matplotlib marker.
    width : float
        Points.
    """

    name: str
    color: str
    line: LineStyle
    marker: str
    width: float = 1.8


_DASHED: Final[LineStyle] = (0, (5.0, 2.0))

STYLES: Final[Mapping[str, Style]] = {
    "sbp": Style("SBP", "#0072b2", "-", "o", 2.6),
    "pegasos": Style("Pegasos", "#e69f00", (0, (7.0, 1.8)), "s"),
    "sdca": Style("SDCA", "#009e73", (0, (6.0, 1.6, 1.2, 1.6)), "^"),
    "smo": Style("SMO", "#d55e00", (0, (1.2, 1.2)), "D", 2.2),
    "perceptron": Style("Perceptron", "#b0578d", "-", "v", 1.4),
    "fourier": Style("Fourier features", "#56b4e9", (0, (4.0, 1.2, 1.2, 1.2, 1.2, 1.2)), "P"),
    "libsvm": Style("LIBSVM", "#111111", (0, (3.0, 1.5)), "X"),
}
"""Styles by algorithm, as in ``algo=<name>``."""

_SPARE: Final = (
    Style("", "#332288", (0, (9.0, 2.0)), "<"),
    Style("", "#882255", (0, (2.5, 1.5)), ">"),
    Style("", "#44aa99", "-", "p"),
    Style("", "#999933", (0, (8.0, 1.5, 2.0, 1.5)), "h"),
    Style("", "#aa4499", (0, (1.5, 2.0)), "*"),
    Style("", "#661100", (0, (5.0, 1.5, 1.5, 1.5)), "d"),
    Style("", "#6699cc", (0, (3.5, 1.2)), "H"),
    Style("", "#777777", "-", "8"),
)

AXIS_NAMES: Final[Mapping[str, str]] = {
    "kernel_evaluations": "kernel evaluations",
    "inner_products": "inner products",
    "feature_accesses": "feature accesses",
    "feature_accesses_dense": "feature accesses (dense convention)",
    "presentations": "example presentations",
    "cpu_seconds": "CPU seconds in the solver",
    "wall_seconds": "seconds in the solver",
    "dual": "dual objective",
    "primal": "primal objective",
    "gap": "duality gap",
    "support_vectors": "support vectors",
}
"""Names of costs and measures on axes, where the column's own name with spaces would not do."""


def styles_for(labels: Iterable[str]) -> dict[str, Style]:
    """Style of each label; no two labels get the same one while there are any left.

    A label that is, or begins with the word of, an algorithm (``sbp``, ``fourier 64``) gets that algorithm's style; any
    other gets a spare one that depends on the label, and on the other labels only when two would collide.
    """
    result: dict[str, Style] = {}
    taken: set[str] = set()
    for label in sorted(labels, key=lambda text: (text not in STYLES, text)):
        known = STYLES.get((label.split() or [""])[0].lower())
        if known is not None and known.color not in taken:
            style = replace(known, name=known.name if label.lower() in STYLES else label)
        else:
            first = int(hashlib.sha256(label.encode()).hexdigest(), 16)
            order = [_SPARE[(first + offset) % len(_SPARE)] for offset in range(len(_SPARE))]
            style = replace(next((spare for spare in order if spare.color not in taken), order[0]), name=label)
        taken.add(style.color)
        result[label] = style
    return result


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions as little as needed so that neighbours are `gap` apart and all lie between two limits.

    Their order is kept. If there is not enough room the gap is what fits.

    Parameters
    ----------
    positions : sequence of float
    gap, low, high : float
        In the unit of the positions; low <= high.

    Returns
    -------
    list of float
        In the order of `positions`.
    """
    if not positions:
        return []
    order = np.argsort(positions, kind="stable")
    gap = min(gap, (high - low) / max(len(positions) - 1, 1))
    steps = gap * np.arange(len(positions))
    # y_k - k gap must not decrease: least squares under an order constraint, by pooling what violates it
    blocks: list[tuple[float, int]] = []
    for shifted in np.asarray(positions, dtype=np.float64)[order] - steps:
        mean, size = float(shifted), 1
        while blocks and blocks[-1][0] > mean:
            other, count = blocks.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        blocks.append((mean, size))
    fitted = np.repeat([mean for mean, _ in blocks], [size for _, size in blocks])
    moved = np.clip(fitted, low, high - steps[-1]) + steps
    result = np.empty(len(positions))
    result[order] = moved
    return [float(value) for value in result]


def interesting_range(series: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> tuple[float, float]:
    """Vertical range that shows where the curves differ, not how bad some of them begin.

    Parameters
    ----------
    series : sequence of (cost, value), each (m,), float64
        Curves with positive, increasing costs; at least one point in all.

    Returns
    -------
    low, high : float
        With a margin. Everything is inside if that costs little room. Otherwise `high` follows the curves' last values
        and what nine tenths of a typical curve (evenly over the logarithm of the cost) stay below, so that one curve
        that is bad for long does not flatten the others.
    """
    ends = np.array([value[-1] for _, value in series])
    sampled = [value_at(cost, value, np.geomspace(cost[0], cost[-1] * (1 + 1e-12), 100)) for cost, value in series]
    low, top = float(np.min(sampled)), float(np.max(sampled))
    usual = float(np.sort(np.quantile(sampled, 0.9, axis=1))[(len(sampled) - 1) // 2])
    # a curve that even ends very high is cut as well
    high = max(usual, float(ends[ends - low <= 3 * (usual - low)].max(initial=usual)))
    high += 0.2 * (high - low)
    if top - low <= 1.5 * (high - low):
        high = top
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 0.01
    return low - margin, high + margin


def plot_curves(
    curves: Mapping[str, Sequence[pd.DataFrame]],
    *,
    cost: str = "kernel_evaluations",
    measure: str = "test_error",
    title: str,
    small_print: str,
    path_png: Path,
    reference: Mapping[str, float] | None = None,
) -> Path:
    """Draw a measure against a cost: for each label the mean over its runs, with a band of one standard deviation.

    The Perceptron's line is dashed after its first epoch, as in Figure 2 of the SBP paper.

    Parameters
    ----------
    curves : mapping of str to sequence of DataFrame
        Curves (`experiments.curve`) of the runs behind each label. A label without any known value is not drawn, and
        the picture says so.
    cost, measure : str
        Columns; errors are drawn in percent.
    title : str
    small_print : str
        Commit, command, scale, stand-in: what a reader needs to judge the picture. Wrapped at the bottom.
    path_png : Path
        Written beside and renamed; folders are made.
    reference : mapping of str to float, optional
        Horizontal lines, label to value in the measure's unit (a fraction for errors).

    Returns
    -------
    Path
        `path_png`.

    Raises
    ------
    ValueError
        No label has a point to draw.
    """
    import matplotlib.style

    percent = 100.0 if measure.endswith("_error") else 1.0
    means: dict[str, pd.DataFrame] = {}
    for label, frames in curves.items():
        mean = mean_over_runs(frames, cost=cost, measure=measure)
        mean = mean[mean["cost"] > 0].reset_index(drop=True)
        if len(mean):
            means[label] = mean.assign(mean=percent * mean["mean"], sd=percent * mean["sd"])
    if not means:
        raise ValueError(f"no curve has both {cost} and {measure}: there is nothing to draw in {path_png.name}")
    styles = styles_for(curves)
    references = {label: percent * value for label, value in (reference or {}).items()}
    with matplotlib.style.context("default", after_reset=True):
        figure = _figure(title, _caption(means, curves, styles, cost), small_print)
        axes = figure.axes[0]
        _axes(axes, means, references, cost, measure, percent)
        for label, mean in means.items():
            boundary = _first_epoch(curves[label], cost) if styles[label].name.startswith("Perceptron") else None
            _draw(axes, mean, styles[label], boundary)
        _reference_lines(axes, references, percent)
        _legend(axes, means, styles)
        _save(figure, path_png)
    return path_png


def _figure(title: str, caption: str, small_print: str) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, HEIGHT), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)
    heading, notes = textwrap.wrap(title, 72), textwrap.wrap(caption, 95)
    small = [line for text in small_print.splitlines() for line in textwrap.wrap(text, 115, break_on_hyphens=False)]
    plain: dict[str, Any] = {"ha": "left", "parse_math": False}  # a '$' in a command is a dollar
    top = 0.975 - 0.040 * len(heading) - 0.032 * len(notes)
    bottom = 0.125 + _LINE * len(small)
    figure.text(0.02, 0.98, "\n".join(heading), va="top", size=13, weight="bold", color=INK, linespacing=1.15, **plain)
    figure.text(0.02, top + 0.032 * len(notes) - 0.004, "\n".join(notes), va="top", size=10, color=FAINT, **plain)
    figure.text(0.02, 0.018, "\n".join(small), va="bottom", size=8.5, color=FAINT, linespacing=1.25, **plain)
    figure.add_axes((0.085, bottom, 0.70, top - 0.065 - bottom))
    return figure


def _caption(
    means: Mapping[str, pd.DataFrame], curves: Mapping[str, Any], styles: Mapping[str, Style], cost: str
) -> str:
    counts = sorted({int(mean["runs"].iloc[0]) for mean in means.values()})
    number = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    parts = [f"Mean of {number} runs, band of one standard deviation" if counts[-1] > 1 else "One run each"]
    if any(styles[label].name.startswith("Perceptron") for label in means):
        parts.append("Perceptron dashed after its first epoch")
    if absent := [styles[label].name for label in curves if label not in means]:
        parts.append(f"not drawn, as this cost is not counted: {', '.join(absent)}")
    return "; ".join(parts)


def _axes(
    axes: Axes,
    means: Mapping[str, pd.DataFrame],
    references: Mapping[str, float],
    cost: str,
    measure: str,
    percent: float,
) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    series = [(mean["cost"].to_numpy(), mean["mean"].to_numpy()) for mean in means.values()]
    low, high = interesting_range(series)
    for value in references.values():
        margin = 0.06 * (high - low)
        low, high = min(low, value - margin), max(high, value + margin)
    first = min(float(costs[0]) for costs, _ in series)
    last = max(float(costs[-1]) for costs, _ in series)
    axes.set_xscale("log")
    axes.set_xlim(first / 1.15, last * 1.02) if first < last else axes.set_xlim(first / 2, first * 2)
    axes.set_ylim(max(low, 0.0) if percent != 1.0 else low, high)
    axes.set_xlabel(_axis_name(cost), size=12, color=INK)
    # above the axis, not turned along it: easier to read, and the tick labels may be as wide as they like
    axes.annotate(_axis_name(measure), (0, 1), (-42, 9), "axes fraction", "offset points", size=12, color=INK)
    axes.yaxis.set_major_locator(MaxNLocator(7))
    if percent != 1.0:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} %"))
    axes.tick_params(labelsize=11, colors=INK)
    axes.grid(True, which="major", color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    cut = max(float(values.max()) for _, values in series)
    if cut > high:
        unit = " %" if percent != 1.0 else ""
        note = f"axis cut: curves go up to {cut:.3g}{unit}"
        right: dict[str, Any] = {"ha": "right", "size": 9.5, "style": "italic", "color": FAINT}
        axes.annotate(note, (1, 1), (0, 9), "axes fraction", "offset points", **right)


def _axis_name(name: str) -> str:
    text = AXIS_NAMES.get(name, name.replace("_", " "))
    return text[0].upper() + text[1:]


def _draw(axes: Axes, mean: pd.DataFrame, style: Style, boundary: float | None) -> None:
    costs, values, sd = (mean[name].to_numpy() for name in ("cost", "mean", "sd"))
    if sd.any():
        axes.fill_between(costs, values - sd, values + sd, color=style.color, alpha=0.16, linewidth=0, zorder=2)
    look: dict[str, Any] = {"color": style.color, "linewidth": style.width, "solid_capstyle": "round", "zorder": 3}
    split = len(costs) if boundary is None else int(np.searchsorted(costs, boundary, side="right"))
    axes.plot(costs[:split], values[:split], linestyle=style.line, **look)
    # the two pieces share a point, so that the line has no hole where its style changes
    axes.plot(costs[max(split - 1, 0) :], values[max(split - 1, 0) :], linestyle=_DASHED, **look)
    spots = _marker_spots(costs, style)
    axes.plot(costs[spots], values[spots], linestyle="none", **_marker(style), zorder=4)


def _marker(style: Style) -> dict[str, Any]:
    return {
        "marker": style.marker,
        "markersize": 6.5,
        "markerfacecolor": style.color,
        "markeredgecolor": "white",
        "markeredgewidth": 0.7,
    }


def _marker_spots(costs: NDArray[np.float64], style: Style) -> NDArray[np.intp]:
    """Checkpoints that carry a marker: about eight, even in log cost, shifted per style so that they do not pile up."""
    position = np.log(costs)
    shift = (ord(style.marker[0]) * 7 % 10) / 10
    targets = position[0] + (position[-1] - position[0]) * (np.arange(8) + 0.15 + 0.7 * shift) / 8
    return np.unique(np.clip(np.searchsorted(position, targets), 0, len(costs) - 1))


def _first_epoch(frames: Sequence[pd.DataFrame], cost: str) -> float | None:
    """Cost at which the runs have seen every example once, on average; None when they never do."""
    ends = [cost_to_reach(column(frame, cost), -column(frame, "epochs"), -1.0) for frame in frames]
    known = [end for end in ends if end is not None]
    return float(np.mean(known)) if known else None


def _reference_lines(axes: Axes, references: Mapping[str, float], percent: float) -> None:
    low, high = axes.get_ylim()
    gap = 0.045 * (high - low)
    texts = spread([value + 0.012 * (high - low) for value in references.values()], gap, low, high - gap)
    for (label, value), height in zip(references.items(), texts, strict=True):
        axes.axhline(value, color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=2.5)
        number = f"{value:.3g} %" if percent != 1.0 else f"{value:.4g}"
        axes.annotate(
            f"{label} {number}",
            (0.01, height),
            xycoords=("axes fraction", "data"),
            va="bottom",
            size=9.5,
            color=INK,
            parse_math=False,
            zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.75},
        )


def _legend(axes: Axes, means: Mapping[str, pd.DataFrame], styles: Mapping[str, Style]) -> None:
    """Label every curve at its end, in the right margin, with a piece of its line."""
    from matplotlib.lines import Line2D
    from matplotlib.transforms import blended_transform_factory

    low, high = axes.get_ylim()
    left, right = (math.log(limit) for limit in axes.get_xlim())
    ends = {
        label: (mean["cost"].iloc[-1], float(np.clip(mean["mean"].iloc[-1], low, high)))
        for label, mean in means.items()
    }
    fractions = [(value - low) / (high - low) for _, value in ends.values()]
    names = {label: textwrap.wrap(styles[label].name, 16)[:2] for label in means}
    heights = spread(fractions, 0.064 if all(len(lines) == 1 for lines in names.values()) else 0.094, 0.02, 0.98)
    place = blended_transform_factory(axes.transAxes, axes.transAxes)
    for (label, (cost, _)), fraction, height in zip(ends.items(), fractions, heights, strict=True):
        style = styles[label]
        end = (math.log(cost) - left) / (right - left)
        anywhere: dict[str, Any] = {"transform": place, "clip_on": False, "color": style.color}
        axes.add_line(Line2D([end, 1.005, 1.03], [fraction, fraction, height], linewidth=0.7, alpha=0.55, **anywhere))
        axes.add_line(Line2D([1.035, 1.085], [height, height], linestyle=style.line, linewidth=style.width, **anywhere))
        axes.add_line(Line2D([1.06], [height], linestyle="none", **anywhere, **_marker(style)))
        axes.text(
            1.095,
            height,
            "\n".join(names[label]),
            transform=place,
            va="center",
            size=11,
            color=INK,
            linespacing=0.95,
            parse_math=False,
        )


def _save(figure: Figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        figure.savefig(draft, format="png", dpi=DPI, metadata={"Software": None})
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
