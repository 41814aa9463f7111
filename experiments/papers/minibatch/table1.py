"""Table 1: the data sets as printed and as they are, with the spectral norms that the paper's results depend on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.papers import layout
from experiments.papers.minibatch.data import Data, data_of
from experiments.papers.panels import empty, name_of
from experiments.papers.printed import compare_number, data_difference
from experiments.plotting import FAINT, INK, PANEL
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.made import Made, Table
from experiments.reproduction.spec import FigureSpec
from experiments.reproduction.verdict import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_HEIGHT: Final = 4.2  # inches, as below
_BOX: Final = (0.75, 0.55, 6.6, 3.35)
_COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#b0578d", "#666666", "#e69f00")


def _size() -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEIGHT


def batch_sizes(n: int) -> NDArray[np.float64]:
    """Sizes of mini-batches to draw: powers of two up to n, and n."""
    powers = 2.0 ** np.arange(int(np.log2(n)) + 1)
    return np.unique(np.append(powers, n))


def _draw(figure: Figure | SubFigure, found: Sequence[Data]) -> None:
    """Draw all data sets in one panel, and a dot at b = 1 / sigma^2."""
    known = [(data, data.spectrum) for data in found if data.spectrum is not None]
    if not known:
        empty(figure, "no finished runs")
        return
    left, below, width, height = _BOX
    axes = figure.add_axes((left / layout.WIDTH, below / _HEIGHT, width / layout.WIDTH, height / _HEIGHT))
    layout.log_axes(axes, "b, examples in a mini-batch", "b / beta_b, the speed-up in the bounds", 0)
    largest = max(spectrum.n for _, spectrum in known)
    axes.plot([1, largest], [1, largest], color=FAINT, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
    ordered = sorted(known, key=lambda pair: -pair[1].inverse_sigma2)
    for place, (data, spectrum) in enumerate(ordered):
        color = _COLORS[place % len(_COLORS)]
        b = batch_sizes(spectrum.n)
        axes.plot(b, [1 / spectrum.beta_over_b(size) for size in b], color=color, linewidth=2.0)
        axes.plot(
            [spectrum.inverse_sigma2],
            [1 / spectrum.beta_over_b(spectrum.inverse_sigma2)],
            "o",
            color=color,
            markeredgecolor="white",
        )
        facts = f"n = {spectrum.n:,}, sigma² = {spectrum.sigma2:.3g}, 1/sigma² = {spectrum.inverse_sigma2:.3g}"
        top = -10 - 34 * place
        _beside(axes, name_of(data.panel), top, PANEL.ticks, color)
        _beside(axes, facts, top - 13, PANEL.note, INK)
    below_all = -14 - 34 * len(ordered)
    _beside(axes, "Dots: b = 1/sigma², up to where beta_b is 2 at most.", below_all, PANEL.note, FAINT)
    _beside(axes, "Dotted: b itself, for examples that are orthogonal.", below_all - 13, PANEL.note, FAINT)


def _beside(axes: Axes, text: str, down: float, size: float, color: str) -> None:
    """Write a line to the right of the panel, so many points from its upper corner."""
    look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "parse_math": False}
    axes.annotate(text, (1, 1), (14, down), size=size, color=color, **look)


COLUMNS: Final = ("panel", "dataset", "b", "sigma2", "beta", "speedup")
ROWS: Final[Mapping[str, int]] = {"covtype": 522910, "rcv1": 20242, "astro_ph": 29882, "news20": 15020}
"""Training rows of the data sets as they are here, where they are the paper's."""
LAMBDAS: Final[Mapping[str, float]] = {"covtype": 1e-5, "rcv1": 1e-4, "astro_ph": 5e-5, "news20": 1.25e-4}
"""As printed."""
QUANTITIES: Final[Mapping[str, Callable[[Mapping[str, Any]], float]]] = {
    "training rows": lambda counts: counts["train"]["n"],
    "test rows": lambda counts: counts["test"]["n"],
    "features": lambda counts: counts["train"]["d"],
    "density": lambda counts: 100 * counts["train"]["nnz"] / (counts["train"]["n"] * counts["train"]["d"]),
}
"""What is printed of a data set, from what a run has counted; the density in per cent."""


def make(evidence: Evidence) -> Made:
    """Draw the guaranteed speed-ups, and compare sizes with the printed ones."""
    found = [data_of(panel) for panel in evidence.panels]
    known = [data for data in found if data.spectrum is not None]
    return Made(
        _points(known),
        partial(_draw, found=known),
        _size(),
        table=_table(evidence.spec, found),
        numbers=_numbers(evidence),
    )


def _numbers(evidence: Evidence) -> list[Number]:
    panels = {panel.asked: panel for panel in evidence.panels}
    numbers = []
    for spec in evidence.spec.numbers:
        quantity, _, asked = spec.name.partition(" of ")
        panel = panels.get(asked)
        why = "" if panel is None else data_difference(panel, ROWS.get(asked))
        numbers.append(compare_number(spec, why, None if panel is None else _measured(panel, quantity)))
    return numbers


def _measured(panel: Panel, quantity: str) -> float | None:
    """One quantity of a data set; None without a run."""
    run = next((run for runs in panel.runs.values() for run in runs), None)
    return None if run is None else float(QUANTITIES[quantity](run.result["provenance"]["data"]["counts"]))


def _points(known: Sequence[Data]) -> pd.DataFrame:
    rows = [
        {
            "panel": data.panel.asked,
            "dataset": data.panel.dataset,
            "b": b,
            "sigma2": data.spectrum.sigma2,
            "beta": data.spectrum.beta(b),
            "speedup": 1 / data.spectrum.beta_over_b(b),
        }
        for data in known
        if data.spectrum is not None
        for b in batch_sizes(data.spectrum.n)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _table(spec: FigureSpec, found: Sequence[Data]) -> Table:
    printed = {number.name: number.paper for number in spec.numbers}
    columns = ["data set", *QUANTITIES, "lambda", "sigma^2", "1/sigma^2", "P*"]
    rows: list[list[str]] = []
    for asked in spec.datasets:
        sizes = [printed[f"{quantity} of {asked}"] for quantity in QUANTITIES]
        rows.append([f"{asked}, as printed", *_size_cells(sizes), f"{LAMBDAS[asked]:g}", "", "", ""])
        rows += [_row(data) for data in found if data.panel.asked == asked]
    rows += [_row(data) for data in found if data.panel.asked not in spec.datasets]
    notes = [
        "Density: coordinates that are not zero, of the training rows. sigma^2 = ||X||^2 / n, where no row is longer "
        "than 1: the share of the most frequent direction in all rows. Up to mini-batches of 1/sigma^2 examples beta_b "
        "is 2 at most. P*: upper end of its interval, from dual coordinate descent.",
        "The paper prints neither sigma^2 nor P*.",
    ]
    return Table(columns, rows, notes)


def _row(data: Data) -> list[str]:
    sizes = [_measured(data.panel, quantity) for quantity in QUANTITIES]
    spectrum, optimum = data.spectrum, data.optimum
    return [
        name_of(data.panel),
        *_size_cells(sizes),
        *(["", "", ""] if spectrum is None else _spectral_cells(spectrum.lambda_, spectrum.sigma2)),
        "" if optimum is None else f"{optimum.upper:.7f}",
    ]


def _spectral_cells(lambda_: float, sigma2: float) -> list[str]:
    return [f"{lambda_:g}", f"{sigma2:.4g}", f"{1 / sigma2:.3g}"]


def _size_cells(sizes: Sequence[float | None]) -> list[str]:
    *counts, density = sizes
    texts = ["" if count is None else f"{count:,.0f}" for count in counts]
    return [*texts, "" if density is None else f"{density:.2g} %"]
