"""Table 1: the data sets as printed and as they are, with the spectral norms that the paper's results depend on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import pandas as pd

from experiments.papers.minibatch import table1_picture
from experiments.papers.minibatch.data import Data, data_of
from experiments.papers.panels import name_of
from experiments.papers.printed import compared, departure
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.made import Made, Table
from experiments.reproduction.spec import FigureSpec
from experiments.reproduction.verdict import Number

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
        partial(table1_picture.draw, found=known),
        table1_picture.size(),
        table=_table(evidence.spec, found),
        numbers=_numbers(evidence),
    )


def _numbers(evidence: Evidence) -> list[Number]:
    panels = {panel.asked: panel for panel in evidence.panels}
    numbers = []
    for spec in evidence.spec.numbers:
        quantity, _, asked = spec.name.partition(" of ")
        panel = panels.get(asked)
        why = "" if panel is None else departure(panel, ROWS.get(asked))
        numbers.append(compared(spec, why, None if panel is None else _measured(panel, quantity)))
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
            "speedup": 1 / data.spectrum.share(b),
        }
        for data in known
        if data.spectrum is not None
        for b in table1_picture.sizes(data.spectrum.n)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _table(spec: FigureSpec, found: Sequence[Data]) -> Table:
    printed = {number.name: number.paper for number in spec.numbers}
    columns = ["data set", *QUANTITIES, "lambda", "sigma^2", "1/sigma^2", "P*"]
    rows: list[list[str]] = []
    for asked in spec.datasets:
        sizes = [printed[f"{quantity} of {asked}"] for quantity in QUANTITIES]
        rows.append([f"{asked}, as printed", *_written(sizes), f"{LAMBDAS[asked]:g}", "", "", ""])
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
        *_written(sizes),
        *(["", "", ""] if spectrum is None else _spectral(spectrum.lambda_, spectrum.sigma2)),
        "" if optimum is None else f"{optimum.upper:.7f}",
    ]


def _spectral(lambda_: float, sigma2: float) -> list[str]:
    return [f"{lambda_:g}", f"{sigma2:.4g}", f"{1 / sigma2:.3g}"]


def _written(sizes: Sequence[float | None]) -> list[str]:
    *counts, density = sizes
    texts = ["" if count is None else f"{count:,.0f}" for count in counts]
    return [*texts, "" if density is None else f"{density:.2g} %"]
