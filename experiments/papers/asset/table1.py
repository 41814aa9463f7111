"""Table 1: printed and counted sizes of the data sets, and the eigenvalues of their kernel matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ...reproduction.evidence import Evidence, FigureResult, Panel, Table
from .. import dataset_table, layout
from ..dataset_table import COLORS, QUANTITIES, SIZE
from ..panels import empty, name_of
from ..problem import load_problem
from . import sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

    from ...configuration.settings import RunSettings

SAMPLE: Final = 1024
"""Largest number of points sampled."""
SHARE: Final = 0.99
"""The eigenvalues that hold this share of the trace are counted."""
PARAMETERS: Final[Mapping[str, tuple[int, str, str]]] = {
    "adult": (8140, "1000", "0.001"),
    "mnist": (5950, "100", "0.01"),
    "rcv1_ccat": (11575, "10", "1"),
    "ijcnn1": (14170, "100", "1"),
    "covtype": (58102, "3", "1"),
    "mnist_elastic": (20000, "100", "0.01"),
}
"""As printed: validation rows, 1/(lambda m) and 1/(2 sigma^2)."""
DENSITIES: Final[Mapping[str, str]] = {
    "density of rcv1_ccat": "documents have some 76 of the 47,236 words, a tenth of the printed density: an error of "
    "the paper",
    "density of ijcnn1": "all rows of the published files have 13 of the 22 features: 59.1 %; the paper does not "
    "explain its number",
}
"""Notes on printed densities that differ from the published files."""


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues of the kernel matrix on a uniform sample of training points.

    They are (r,) float64, divided by the trace, falling; those within float32 rounding of 0 are left out, r <= points.
    """

    points: int
    eigenvalues: NDArray[np.float64]

    @property
    def needed(self) -> int:
        """Number of largest eigenvalues that hold `SHARE` of the trace."""
        return int(np.searchsorted(np.cumsum(self.eigenvalues), SHARE)) + 1


def spectrum_of(run: RunSettings) -> Spectrum:
    """Return the spectrum for a run's data and kernel, sampled by its seed. Raises DataError without data."""
    from ....solvers.nystrom import Nystrom

    problem = load_problem(run)
    points = min(SAMPLE, problem.n)
    sampled = Nystrom.sample(problem, points, run.solver_settings.eps_d, run.seed)
    return Spectrum(points, sampled.eigenvalues / points)  # K(x, x) = 1: the trace is the number of points


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the spectra by the paper's data set, as plain values; none without runs or data, or for a stream."""
    from ....datasets import DataError

    spectra = {}
    for panel in evidence.panels:
        run = next((panel.settings[name] for name, runs in panel.runs.items() if runs and name in panel.settings), None)
        if run is not None and hasattr(run.solver_settings, "eps_d"):
            with suppress(DataError):
                spectra[panel.paper_dataset] = asdict(spectrum_of(run))
    return {"spectra": spectra}


def _draw(figure: Figure | SubFigure, measured: Sequence[tuple[Panel, Spectrum]]) -> None:
    """Draw one line per data set, with a dot at the number of eigenvalues that hold `SHARE` of the trace."""
    if not measured:
        empty(figure, "no finished runs")
        return
    axes = dataset_table.add_panel(figure, (0.85, 0.55, 6.4, 3.45))
    layout.log_axes(axes, "k", "k-th eigenvalue over the trace", 0)
    for line, (panel, spectrum) in enumerate(sorted(measured, key=lambda pair: pair[1].needed)):
        color = COLORS[line % len(COLORS)]
        rank = len(spectrum.eigenvalues)
        axes.plot(np.arange(1, rank + 1), spectrum.eigenvalues, color=color, linewidth=2.0)
        axes.plot([spectrum.needed], [spectrum.eigenvalues[spectrum.needed - 1]], "o", color=color, mec="white")
        facts = (
            f"{rank:,} features of {spectrum.points:,} points; {spectrum.needed:,} eigenvalues have {100 * SHARE:g} %"
        )
        dataset_table.write_entry(axes, line, color, name_of(panel), facts)
    axes.set_ylim(bottom=max(1e-7, axes.get_ylim()[0]))
    dataset_table.write_notes(axes, len(measured), f"Dots: eigenvalues up to here hold {100 * SHARE:g} % of the trace.")


def make(evidence: Evidence) -> FigureResult:
    """Draw the eigenvalues, and compare sizes with the printed ones."""
    spectra = {
        name: Spectrum(values["points"], np.array(values["eigenvalues"]))
        for name, values in evidence.computed.get("spectra", {}).items()
    }
    measured = [(panel, spectra[panel.paper_dataset]) for panel in evidence.panels if panel.paper_dataset in spectra]
    falling = [
        sweep.Swept(panel, {"": dict(enumerate(spectrum.eigenvalues.tolist(), start=1))})
        for panel, spectrum in measured
    ]
    printed = {number.name: number.paper for number in evidence.spec.numbers}
    full = {name.partition(" of ")[2]: int(size) for name, size in printed.items() if "training" in name}
    return FigureResult(
        lambda: sweep.points(falling, "k eigenvalue", lambda _, series, k, eigenvalue: (k, eigenvalue)),
        partial(_draw, measured=measured),
        SIZE,
        table=partial(_table, evidence, spectra, printed),
        numbers=dataset_table.compare_sizes(evidence, full, DENSITIES),
    )


def _table(evidence: Evidence, spectra: Mapping[str, Spectrum], printed: Mapping[str, float]) -> Table:
    columns = ["data set", "train", "validation", "test", "features", "density", "1/(lambda m)", "1/(2 sigma^2)"]
    columns += [f"features of {SAMPLE:,} points", f"eigenvalues with {100 * SHARE:g} %"]
    rows = []
    for dataset in dict.fromkeys([*evidence.spec.datasets, *(panel.paper_dataset for panel in evidence.panels)]):
        if dataset in evidence.spec.datasets:
            sizes = [printed[f"{quantity} of {dataset}"] for quantity in QUANTITIES]
            train, *further_sizes = dataset_table.size_cells(sizes, 3)
            validation, C, gamma = PARAMETERS[dataset]
            rows.append([f"{dataset}, as printed", train, f"{validation:,}", *further_sizes, C, gamma, "", ""])
        panels = [panel for panel in evidence.panels if panel.paper_dataset == dataset]
        rows += [_row(panel, spectra.get(dataset)) for panel in panels]
    notes = [
        "Density: coordinates that are not zero, of the training rows, of a stream of the test rows. The 1.6 % "
        "printed for CCAT are ten times what RCV1's documents have; for IJCNN 56.5 % are printed where the "
        "published files have 59.1 %.",
        f"Features of {SAMPLE:,} points (of all, where there are fewer): eigenvalues of their kernel matrix that are "
        f"more than rounding errors of float32. Eigenvalues with {100 * SHARE:g} %: number of the largest that hold "
        "this share of its trace. The paper prints neither.",
    ]
    return Table(columns, rows, notes)


def _row(panel: Panel, spectrum: Spectrum | None) -> list[str]:
    train, *further_sizes = dataset_table.size_cells(dataset_table.counted(panel), 3)
    run = next(iter(panel.settings.values()), None)
    validation = "" if run is None or run.dataset.parts is None else f"{run.dataset.parts[1]:,}"
    parameters = ["", ""]
    if run is not None and run.problem.C is not None and run.kernel.sigma2 is not None:
        parameters = [f"{run.problem.C:g}", f"{1 / (2 * run.kernel.sigma2):g}"]
    eigenvalues = ["", ""] if spectrum is None else [f"{len(spectrum.eigenvalues):,}", f"{spectrum.needed:,}"]
    return [name_of(panel), train, validation, *further_sizes, *parameters, *eigenvalues]
