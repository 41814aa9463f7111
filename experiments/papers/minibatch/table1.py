"""Table 1: printed and counted sizes of the data sets, and their spectral norms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from ...plotting import FAINT
from ...reproduction.evidence import Evidence, FigureResult, Panel, Table, cell
from ...reproduction.spec import FigureSpec
from .. import dataset_table, layout
from ..dataset_table import COLORS, QUANTITIES, SIZE, size_cells
from ..panels import empty, name_of
from .data import Spectrum, Study, compute_spectra, studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

ROWS: Final[Mapping[str, int]] = {"covtype": 522910, "rcv1": 20242, "astro_ph": 29882, "news20": 15020}
"""Training rows of the paper's data sets as published here."""
LAMBDAS: Final[Mapping[str, float]] = {"covtype": 1e-5, "rcv1": 1e-4, "astro_ph": 5e-5, "news20": 1.25e-4}
"""As printed."""

compute: Final = compute_spectra


def make(evidence: Evidence) -> FigureResult:
    """Draw the guaranteed speed-ups, and compare sizes with the printed ones."""
    data_sets = studies(evidence)
    measured = [(study.panel, study.spectrum) for study in data_sets if study.spectrum is not None]
    rows = [
        (panel.paper_dataset, panel.dataset, b, spectrum.sigma2, spectrum.beta(b), 1 / spectrum.beta_over_b(b))
        for panel, spectrum in measured
        for b in _batch_sizes(spectrum.n)
    ]
    return FigureResult(
        lambda: pd.DataFrame(rows, columns=["panel", "dataset", "b", "sigma2", "beta", "speedup"]),
        partial(_draw, measured=measured),
        SIZE,
        table=partial(_table, evidence.spec, data_sets),
        numbers=dataset_table.compare_sizes(evidence, ROWS),
    )


def _batch_sizes(n: int) -> list[float]:
    """Sizes of mini-batches to draw: powers of two up to n, and n."""
    sizes: list[float] = np.unique(np.append(2.0 ** np.arange(int(np.log2(n)) + 1), n)).tolist()
    return sizes


def _table(spec: FigureSpec, data_sets: Sequence[Study]) -> Table:
    printed = {number.name: number.paper for number in spec.numbers}
    rows: list[list[str]] = []
    for name in spec.datasets:
        sizes = [printed[f"{quantity} of {name}"] for quantity in QUANTITIES]
        rows.append([f"{name}, as printed", *size_cells(sizes, 2), f"{LAMBDAS[name]:g}", "", "", ""])
        rows += [_row(study) for study in data_sets if study.panel.paper_dataset == name]
    rows += [_row(study) for study in data_sets if study.panel.paper_dataset not in spec.datasets]
    notes = [
        "Density: coordinates that are not zero, of the training rows. sigma^2 = ||X||^2 / n, where no row is longer "
        "than 1: the share of the most frequent direction in all rows. Up to mini-batches of 1/sigma^2 examples beta_b "
        "is 2 at most. P*: upper end of its interval, from dual coordinate descent.",
        "The paper prints neither sigma^2 nor P*.",
    ]
    return Table(["data set", *QUANTITIES, "lambda", "sigma^2", "1/sigma^2", "P*"], rows, notes)


def _row(study: Study) -> list[str]:
    spectrum, optimum = study.spectrum, study.optimum
    return [
        name_of(study.panel),
        *size_cells(dataset_table.counted(study.panel), 2),
        *(["", ""] if spectrum is None else [f"{spectrum.lambda_:g}", f"{spectrum.sigma2:.4g}"]),
        cell(study.enough, ".3g"),
        "" if optimum is None else f"{optimum.upper:.7f}",
    ]


def _draw(figure: Figure | SubFigure, measured: Sequence[tuple[Panel, Spectrum]]) -> None:
    """Draw all data sets in one panel, and a dot at b = 1 / sigma^2."""
    if not measured:
        empty(figure, "no finished runs")
        return
    axes = dataset_table.add_panel(figure, (0.75, 0.55, 6.6, 3.35))
    layout.log_axes(axes, "$b$, examples in a mini-batch", r"$b / \beta_b$, the speed-up in the bounds", 0)
    largest = max(spectrum.n for _, spectrum in measured)
    axes.plot([1, largest], [1, largest], color=FAINT, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
    for rank, (panel, spectrum) in enumerate(sorted(measured, key=lambda pair: -pair[1].inverse_sigma2)):
        color, b, enough = COLORS[rank % len(COLORS)], _batch_sizes(spectrum.n), spectrum.inverse_sigma2
        # two data sets with one stand-in have the same curve
        line: Any = "-" if rank % 2 == 0 else (0, (4.0, 2.0))
        axes.plot(b, [1 / spectrum.beta_over_b(size) for size in b], color=color, linewidth=2.0, linestyle=line)
        axes.plot([enough], [1 / spectrum.beta_over_b(enough)], "o", color=color, markeredgecolor="white")
        facts = f"n = {spectrum.n:,}, sigma² = {spectrum.sigma2:.3g}, 1/sigma² = {enough:.3g}"
        dataset_table.write_entry(axes, rank, color, name_of(panel), facts)
    dots = "Dots: b = 1/sigma², up to where beta_b is 2 at most."
    dataset_table.write_notes(axes, len(measured), dots, "Dotted: b itself, for examples that are orthogonal.")
