"""Table 1: the data sets as printed and as they are, and how fast the eigenvalues of their kernel matrices fall."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from datasets import DataError
from experiments.papers import layout
from experiments.papers.panels import empty, name_of
from experiments.papers.printed import compare_number, data_difference
from experiments.papers.problem import load_problem
from experiments.plotting import FAINT, INK, PANEL
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.made import Made, Table
from experiments.reproduction.spec import FigureSpec, NumberSpec
from experiments.reproduction.verdict import Number
from experiments.settings import RunSettings
from solvers.nystrom import Nystrom

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SAMPLE: Final = 1024
"""Points at most."""
SHARE: Final = 0.99
"""Of the trace, whose eigenvalues are counted."""


@dataclass(frozen=True)
class Spectrum:
    """Of K_SS for a uniform sample S.

    Attributes
    ----------
    points : int
        In S.
    eigenvalues : (r,) float64
        Falling, over the trace; those that are rounding errors of float32 are left out, r <= points.
    """

    points: int
    eigenvalues: NDArray[np.float64]

    @property
    def rank(self) -> int:
        """How many there are."""
        return len(self.eigenvalues)

    @property
    def needed(self) -> int:
        """Number of largest eigenvalues that hold `SHARE` of the trace."""
        return int(np.searchsorted(np.cumsum(self.eigenvalues), SHARE)) + 1


def spectrum_of(run: RunSettings) -> Spectrum:
    """Return the spectrum for a run's data and kernel; the points are those of its seed.

    Raises
    ------
    DataError
        The data cannot be had.
    """
    problem = load_problem(run)
    points = min(SAMPLE, problem.n)
    sampled = Nystrom.sample(problem, points, run.solver_settings.eps_d, run.seed)
    return Spectrum(points, sampled.eigenvalues / points)  # K(x, x) = 1, so that the trace is their number


_HEIGHT: Final = 4.2  # inches, as below
_BOX: Final = (0.85, 0.55, 6.4, 3.45)
_COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#b0578d", "#666666", "#e69f00")
_SMALLEST: Final = 1e-7


@dataclass(frozen=True)
class Known:
    """A data set whose spectrum is known."""

    panel: Panel
    spectrum: Spectrum


def _size() -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEIGHT


def _draw(figure: Figure | SubFigure, found: Sequence[Known]) -> None:
    """Draw all data sets in one panel, and a dot where most of the trace is reached."""
    if not found:
        empty(figure, "no finished runs")
        return
    left, below, width, height = _BOX
    axes = figure.add_axes((left / layout.WIDTH, below / _HEIGHT, width / layout.WIDTH, height / _HEIGHT))
    layout.log_axes(axes, "k", "k-th eigenvalue over the trace", 0)
    for place, each in enumerate(sorted(found, key=lambda each: each.spectrum.needed)):
        color, spectrum = _COLORS[place % len(_COLORS)], each.spectrum
        axes.plot(np.arange(1, spectrum.rank + 1), spectrum.eigenvalues, color=color, linewidth=2.0)
        axes.plot([spectrum.needed], [spectrum.eigenvalues[spectrum.needed - 1]], "o", color=color, mec="white")
        top = -10 - 34 * place
        _beside(axes, name_of(each.panel), top, PANEL.ticks, color)
        of = f"{spectrum.rank:,} features of {spectrum.points:,} points"
        _beside(axes, f"{of}; {spectrum.needed:,} eigenvalues have {100 * SHARE:g} %", top - 13, PANEL.note, INK)
    axes.set_ylim(bottom=max(_SMALLEST, axes.get_ylim()[0]))
    _beside(axes, f"Dots: up to there {100 * SHARE:g} % of the trace.", -14 - 34 * len(found), PANEL.note, FAINT)


def _beside(axes: Axes, text: str, down: float, size: float, color: str) -> None:
    """Write a line to the right of the panel, so many points from its upper corner."""
    look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "parse_math": False}
    axes.annotate(text, (1, 1), (14, down), size=size, color=color, **look)


COLUMNS: Final = ("panel", "dataset", "k", "eigenvalue")
PARAMETERS: Final[Mapping[str, tuple[int, str, str]]] = {
    "adult": (8140, "1000", "0.001"),
    "mnist": (5950, "100", "0.01"),
    "rcv1_ccat": (11575, "10", "1"),
    "ijcnn1": (14170, "100", "1"),
    "covtype": (58102, "3", "1"),
    "mnist_elastic": (20000, "100", "0.01"),
}
"""As printed: validation rows, 1/(lambda m) and 1/(2 sigma^2)."""
QUANTITIES: Final[Mapping[str, Callable[[Mapping[str, Any]], float]]] = {
    "training rows": lambda counts: counts["train"]["n"],
    "test rows": lambda counts: counts["test"]["n"],
    "features": lambda counts: counts["train"]["d"],
    "density": lambda counts: _density(counts["train"] if "nnz" in counts["train"] else counts["test"]),
}
"""What is printed of a data set, from what a run has counted; the density in per cent."""
DENSITIES: Final[Mapping[str, str]] = {
    "rcv1_ccat": "documents have some 76 of the 47,236 words, a tenth of what is printed: an error of the paper",
    "ijcnn1": "all rows of the published files have 13 of the 22 features: 59.1 %; the paper does not say what it did",
}
"""Where the printed density is not that of the published files."""


def _density(counts: Mapping[str, int]) -> float:
    """Return the share of coordinates that are not zero, in per cent; those of a stream are not counted."""
    return 100 * counts["nnz"] / (counts["n"] * counts["d"])


def make(evidence: Evidence) -> Made:
    """Draw the eigenvalues, and compare sizes with the printed ones."""
    found = {panel.asked: spectral(panel) for panel in evidence.panels}
    known = [Known(panel, own) for panel in evidence.panels if (own := found[panel.asked]) is not None]
    return Made(
        _points(known),
        partial(_draw, found=known),
        _size(),
        table=_table(evidence, found),
        numbers=_numbers(evidence),
    )


def spectral(panel: Panel) -> Spectrum | None:
    """Return the spectrum of a panel's kernel matrix; None without runs, without data, or for a stream."""
    run = next((panel.settings[name] for name, runs in panel.runs.items() if runs and name in panel.settings), None)
    if run is None or not hasattr(run.solver_settings, "eps_d"):
        return None
    try:
        return spectrum_of(run)
    except DataError:
        return None


def _numbers(evidence: Evidence) -> list[Number]:
    panels = {panel.asked: panel for panel in evidence.panels}
    full = {
        spec.name.partition(" of ")[2]: int(spec.paper) for spec in evidence.spec.numbers if "training" in spec.name
    }
    return [_number(spec, panels.get(spec.name.partition(" of ")[2]), full) for spec in evidence.spec.numbers]


def _number(spec: NumberSpec, panel: Panel | None, full: Mapping[str, int]) -> Number:
    quantity, _, asked = spec.name.partition(" of ")
    if panel is None:
        return compare_number(spec, "", None)
    note = DENSITIES.get(asked, "") if quantity == "density" else ""
    return compare_number(spec, data_difference(panel, full[asked]), _measured(panel, quantity), note)


def _measured(panel: Panel, quantity: str) -> float | None:
    """One quantity of a data set; None without a run."""
    run = next((run for runs in panel.runs.values() for run in runs), None)
    return None if run is None else float(QUANTITIES[quantity](run.result["provenance"]["data"]["counts"]))


def _points(known: Sequence[Known]) -> pd.DataFrame:
    rows = [
        {"panel": each.panel.asked, "dataset": each.panel.dataset, "k": k, "eigenvalue": float(value)}
        for each in known
        for k, value in enumerate(each.spectrum.eigenvalues, start=1)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _table(evidence: Evidence, found: Mapping[str, Spectrum | None]) -> Table:
    spec = evidence.spec
    columns = ["data set", "train", "validation", "test", "features", "density", "1/(lambda m)", "1/(2 sigma^2)"]
    columns += [f"features of {SAMPLE:,} points", f"eigenvalues with {100 * SHARE:g} %"]
    rows: list[list[str]] = []
    for asked in spec.datasets:
        rows.append(_printed(spec, asked))
        rows += [_row(panel, found[asked]) for panel in evidence.panels if panel.asked == asked]
    others = [panel for panel in evidence.panels if panel.asked not in spec.datasets]
    rows += [_row(panel, found[panel.asked]) for panel in others]
    notes = [
        "Density: coordinates that are not zero, of the training rows, of a stream of the test rows. The 1.6 % "
        "printed for CCAT are ten times what RCV1's documents have; for IJCNN 56.5 % are printed where the "
        "published files have 59.1 %.",
        f"Features of {SAMPLE:,} points (of all, where there are fewer): eigenvalues of their kernel matrix that are "
        f"more than rounding errors of float32. Eigenvalues with {100 * SHARE:g} %: how many of the largest hold so "
        "much of its trace. The paper prints neither.",
    ]
    return Table(columns, rows, notes)


def _printed(spec: FigureSpec, asked: str) -> list[str]:
    printed = {number.name: number.paper for number in spec.numbers}
    train, test, features, density = (printed[f"{quantity} of {asked}"] for quantity in QUANTITIES)
    validation, C, gamma = PARAMETERS[asked]
    sizes = [f"{train:,.0f}", f"{validation:,}", f"{test:,.0f}", f"{features:,.0f}", f"{density:.3g} %"]
    return [f"{asked}, as printed", *sizes, C, gamma, "", ""]


def _row(panel: Panel, spectrum: Spectrum | None) -> list[str]:
    sizes = {quantity: _measured(panel, quantity) for quantity in QUANTITIES}
    run = next(iter(panel.settings.values()), None)
    validation = "" if run is None or run.dataset.parts is None else f"{run.dataset.parts[1]:,}"
    train, test, features = (_count(sizes[name]) for name in ("training rows", "test rows", "features"))
    density = "" if sizes["density"] is None else f"{sizes['density']:.3g} %"
    parameters = ["", ""]
    if run is not None and run.problem.C is not None and run.kernel.sigma2 is not None:
        parameters = [f"{run.problem.C:g}", f"{1 / (2 * run.kernel.sigma2):g}"]
    own = ["", ""] if spectrum is None else [f"{spectrum.rank:,}", f"{spectrum.needed:,}"]
    return [name_of(panel), train, validation, test, features, density, *parameters, *own]


def _count(number: float | None) -> str:
    return "" if number is None else f"{number:,.0f}"
