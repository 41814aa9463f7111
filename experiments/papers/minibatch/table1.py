"""Table 1: printed and counted sizes of the data sets, and their spectral norms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.papers import dataset_table, layout
from svm_cost_curves.experiments.papers.dataset_table import COLORS, QUANTITIES, SIZE
from svm_cost_curves.experiments.papers.minibatch.data import Data, compute_spectra, data_of
from svm_cost_curves.experiments.papers.panels import empty, name_of
from svm_cost_curves.experiments.plotting import FAINT
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.spec import FigureSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_BOX: Final = (0.75, 0.55, 6.6, 3.35)  # inches


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
    axes = dataset_table.add_panel(figure, _BOX)
    layout.log_axes(axes, "$b$, examples in a mini-batch", r"$b / \beta_b$, the speed-up in the bounds", 0)
    largest = max(spectrum.n for _, spectrum in known)
    axes.plot([1, largest], [1, largest], color=FAINT, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
    ordered = sorted(known, key=lambda pair: -pair[1].inverse_sigma2)
    for place, (data, spectrum) in enumerate(ordered):
        color = COLORS[place % len(COLORS)]
        b = batch_sizes(spectrum.n)
        # two data sets with one stand-in have the same curve
        line: Any = "-" if place % 2 == 0 else (0, (4.0, 2.0))
        axes.plot(b, [1 / spectrum.beta_over_b(size) for size in b], color=color, linewidth=2.0, linestyle=line)
        enough = spectrum.inverse_sigma2
        axes.plot([enough], [1 / spectrum.beta_over_b(enough)], "o", color=color, markeredgecolor="white")
        facts = f"n = {spectrum.n:,}, sigma² = {spectrum.sigma2:.3g}, 1/sigma² = {enough:.3g}"
        dataset_table.write_entry(axes, place, color, name_of(data.panel), facts)
    dots = "Dots: b = 1/sigma², up to where beta_b is 2 at most."
    dataset_table.write_notes(axes, len(known), dots, "Dotted: b itself, for examples that are orthogonal.")


COLUMNS: Final = ("panel", "dataset", "b", "sigma2", "beta", "speedup")
ROWS: Final[Mapping[str, int]] = {"covtype": 522910, "rcv1": 20242, "astro_ph": 29882, "news20": 15020}
"""Training rows of the paper's data sets as published here."""
LAMBDAS: Final[Mapping[str, float]] = {"covtype": 1e-5, "rcv1": 1e-4, "astro_ph": 5e-5, "news20": 1.25e-4}
"""As printed."""


compute = compute_spectra


def make(evidence: Evidence) -> FigureResult:
    """Draw the guaranteed speed-ups, and compare sizes with the printed ones."""
    found = [data_of(evidence, panel) for panel in evidence.panels]
    known = [data for data in found if data.spectrum is not None]
    return FigureResult(
        _points(known),
        partial(_draw, found=known),
        SIZE,
        table=_table(evidence.spec, found),
        numbers=dataset_table.compare_sizes(evidence, ROWS),
    )


def _points(known: Sequence[Data]) -> pd.DataFrame:
    rows = [
        {
            "panel": data.panel.paper_dataset,
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
    for name in spec.datasets:
        sizes = [printed[f"{quantity} of {name}"] for quantity in QUANTITIES]
        rows.append(
            [
                f"{name}, as printed",
                *dataset_table.size_cells(sizes, 2),
                f"{LAMBDAS[name]:g}",
                "",
                "",
                "",
            ]
        )
        rows += [_row(data) for data in found if data.panel.paper_dataset == name]
    rows += [_row(data) for data in found if data.panel.paper_dataset not in spec.datasets]
    notes = [
        "Density: coordinates that are not zero, of the training rows. sigma^2 = ||X||^2 / n, where no row is longer "
        "than 1: the share of the most frequent direction in all rows. Up to mini-batches of 1/sigma^2 examples beta_b "
        "is 2 at most. P*: upper end of its interval, from dual coordinate descent.",
        "The paper prints neither sigma^2 nor P*.",
    ]
    return Table(columns, rows, notes)


def _row(data: Data) -> list[str]:
    spectrum, optimum = data.spectrum, data.optimum
    return [
        name_of(data.panel),
        *dataset_table.size_cells(dataset_table.counted(data.panel), 2),
        *(["", "", ""] if spectrum is None else _spectral_cells(spectrum.lambda_, spectrum.sigma2)),
        "" if optimum is None else f"{optimum.upper:.7f}",
    ]


def _spectral_cells(lambda_: float, sigma2: float) -> list[str]:
    return [f"{lambda_:g}", f"{sigma2:.4g}", f"{1 / sigma2:.3g}"]
