"""Figures of curves: a row of panels for each cost, one panel per data set, one legend for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..plotting import (
    FAINT,
    INK,
    LEFT,
    MeanCurve,
    Style,
    axis_name,
    draw_panel,
    legend_row,
    mean_curve,
    paper,
    row_of_axes,
    styles_for,
)
from ..plotting.bands import Band, median_band
from ..reproduction.evidence import Evidence, Panel
from ..reproduction.series_spec import RowSpec

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

COLUMNS = ("panel", "dataset", "series", "cost", "x", "mean", "sd", "seeds")
"""Columns of the drawn points; medians have ``median, lower_quartile, upper_quartile`` for ``mean, sd``."""
NAMES: Mapping[str, str] = {
    "adult": "Adult",
    "astro_ph": "astro-ph",
    "covtype": "Forest (covtype)",
    "covtype_subset": "Forest, part of it",
    "digits": "Digits",
    "ijcnn1": "IJCNN1",
    "mnist": "MNIST, 8 against the rest",
    "mnist_elastic": "MNIST, deformed",
    "news20": "news20",
    "newsgroups_binary": "20 Newsgroups, two classes",
    "rcv1": "RCV1",
    "rcv1_ccat_subset": "RCV1 (CCAT), part of it",
    "real_sim": "Real against simulated",
    "reuters_money_fx": "Reuters, money-fx",
    "synthetic": "Synthetic",
    "web": "Web",
}
"""Names of data sets above panels and in sentences; others keep their names."""

_TASKS: Mapping[tuple[str, tuple[float | str, ...]], str] = {
    ("mnist", (0.0, 1.0, 2.0, 3.0, 4.0)): "MNIST, 0 to 4 against 5 to 9",
}
"""Names of other tasks, by data set and positive labels."""

# inches
_WIDTH, _ROW = 12.0, 3.7
_LEGEND, _ABOVE, _BELOW = 0.34, 0.82, 0.55


@dataclass(frozen=True)
class CurveFigure:
    """Test error, or another measure, against costs, over the runs of each series."""

    evidence: Evidence
    rows: Sequence[RowSpec]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        return _WIDTH, _LEGEND + _ROW * len(self.rows)

    @cached_property
    def curves(self) -> list[list[dict[str, MeanCurve | Band]]]:
        """Mean or median curve of each series that has one, by row and panel."""
        return [[self._curves_of(row, panel) for panel in self.evidence.panels] for row in self.rows]

    def _curves_of(self, row: RowSpec, panel: Panel) -> dict[str, MeanCurve | Band]:
        average = median_band if row.middle == "median" else mean_curve
        curves = {
            label: average(panel.curves(name), cost=row.cost, measure=row.measure)
            for label, name in row.shown(panel.runs).items()
        }
        return {label: curve for label, curve in curves.items() if curve is not None}

    @property
    def data(self) -> pd.DataFrame:
        """All drawn points, with the costs as counted; errors are fractions.

        With several measures a column names them.
        """
        several = len({row.measure for row in self.rows}) > 1
        tables = [
            pd.DataFrame(
                {
                    "panel": panel.paper_dataset,
                    "dataset": panel.dataset,
                    "series": series,
                    "cost": row.cost,
                    "x": curve.cost,
                    **_values(curve),
                    "seeds": " ".join(map(str, panel.seeds(series))),
                    **({"measure": row.measure} if several else {}),
                }
            )
            for row, panels in zip(self.rows, self.curves, strict=True)
            for panel, curves in zip(self.evidence.panels, panels, strict=True)
            for label, series in row.shown(panel.runs).items()
            if (curve := curves.get(label)) is not None
        ]
        return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))

    @property
    def runs(self) -> str:
        """Number of runs behind the mean curves: ``10 runs (SMO: 1)``."""
        counts: dict[str, set[int]] = {}
        for panel in self.evidence.panels:
            for name, runs in panel.runs.items():
                if runs:
                    counts.setdefault(name, set()).add(len(runs))
        texts = {name: _span(numbers) for name, numbers in counts.items()}
        if not texts:
            return "no runs"
        usual = Counter(texts.values()).most_common(1)[0][0]
        styles = styles_for(texts)
        unusual = [f"{styles[name].name}: {text}" for name, text in texts.items() if text != usual]
        unit = "run" if usual == "1" else "runs"
        return f"{usual} {unit}" + (f" ({', '.join(unusual)})" if unusual else "")

    def draw(self, figure: Figure | SubFigure) -> None:
        """Draw all rows, and the legend above them."""
        width, height = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
        spec = self.evidence.spec
        series = [series.name for series in (*spec.series, *spec.curves)]
        names = list(dict.fromkeys(label for row in self.rows for label in row.shown(series)))
        styles = styles_for(names)
        shown = {name for row in self.curves for curves in row for name in curves}
        legend_row(figure, [styles[name] for name in names if name in shown], (LEFT / width, 1.0), dashed=True)
        if not self.evidence.panels:
            empty(figure, "no data set, no curves")
            return
        row_height = (height - _LEGEND) / len(self.rows)
        for i, row in enumerate(self.rows):
            top = _LEGEND + i * row_height
            head: dict[str, Any] = {"size": "large", "style": "italic", "color": INK, "va": "top"}
            figure.text(LEFT / width, 1 - (top + 0.06) / height, row.heading.format(runs=self.runs), **head)
            below = height - top - row_height + _BELOW
            places = row_of_axes(figure, len(self.evidence.panels), above=top + _ABOVE, below=below)
            for k, (axes, panel) in enumerate(zip(places, self.evidence.panels, strict=True)):
                factor, cost = _axis(row, panel)
                bands = {label: _band(curve).costing(factor) for label, curve in self.curves[i][k].items()}
                _draw_panel_of(axes, panel, bands, styles, row, cost)
                if k == 0 and bands:
                    axes.set_ylabel(axis_name(row.measure), color=INK)


def heading(axes: Axes, panel: Panel, facts: str = "") -> None:
    """Write the data set's name above its panel, and its size and further facts below the name."""
    parts = [_departure(panel, "STAND-IN", "NOT THE PAPER'S")] if panel.stand_in else []
    parts += [] if panel.n is None else [f"n = {panel.n:,}"]
    write_heading(axes, called(panel), "; ".join([*parts, *filter(None, [facts])]))


def write_heading(axes: Axes, name: str, note: str) -> None:
    """Write a name above a panel, and a note below the name; the caption of a paper's picture has the note."""
    above: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "parse_math": False}
    axes.annotate(name, (0, 1), (0, 20), size="large", weight="bold", color=INK, label=paper.NAME, **above)
    axes.annotate(note, (0, 1), (0, 7), color=FAINT, label=paper.NOTE, **above)


def empty_panel(axes: Axes, text: str) -> None:
    """Write a text instead of a panel."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, text, transform=axes.transAxes, size="large", color=FAINT, ha="center", va="center")


def empty(figure: Figure | SubFigure, text: str) -> None:
    """Write a text instead of a drawing."""
    figure.text(0.5, 0.5, text, size="large", color=FAINT, ha="center", va="center")


def _span(numbers: set[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def called(panel: Panel) -> str:
    """Name of a panel's data set in a sentence, without a remark on stand-ins."""
    run = next(iter(panel.settings.values()), None)
    task = () if run is None else tuple(run.dataset.positive or ())
    return _TASKS.get((panel.dataset, task)) or NAMES.get(panel.dataset, panel.dataset)


def name_of(panel: Panel) -> str:
    """Name of a panel's data set, with a remark if it is not the paper's."""
    departed = "not the paper's"
    return f"{called(panel)} ({_departure(panel, 'stand-in', departed)})" if panel.stand_in else called(panel)


def _departure(panel: Panel, stand_in: str, otherwise: str) -> str:
    """Return the remark on a stand-in, or on a data set from the command line."""
    return (
        otherwise
        if panel.paper_dataset == panel.dataset
        else f"{stand_in} for {NAMES.get(panel.paper_dataset, panel.paper_dataset)}"
    )


def _axis(row: RowSpec, panel: Panel) -> tuple[float, str]:
    """Return the factor that turns a curve's costs into the drawn costs, and the name of the horizontal axis."""
    if row.times_n and panel.n:
        return float(panel.n), "Kernel evaluations, n for each iteration"
    return 1.0, axis_name(row.cost)


def _band(curve: MeanCurve | Band) -> Band:
    return curve.band if isinstance(curve, MeanCurve) else curve


def _values(curve: MeanCurve | Band) -> dict[str, NDArray[np.float64]]:
    """Return the columns of a curve's values."""
    if isinstance(curve, MeanCurve):
        return {"mean": curve.mean, "sd": curve.sd}
    return {"median": curve.middle, "lower_quartile": curve.low, "upper_quartile": curve.high}


def _draw_panel_of(
    axes: Axes, panel: Panel, bands: Mapping[str, Band], styles: Mapping[str, Style], row: RowSpec, cost: str
) -> None:
    if not bands:
        empty_panel(axes, "no finished runs")
        heading(axes, panel)
        return
    drawn = draw_panel(axes, bands, styles, cost=row.cost, measure=row.measure, bands=row.bands, compared=row.compared)
    axes.set_xlabel(cost, color=INK)
    heading(axes, panel, drawn.cut)
    if facts := row.facts.get(panel.paper_dataset):
        corner: dict[str, Any] = {
            "xycoords": "axes fraction",
            "textcoords": "offset points",
            "ha": "right",
            "va": "top",
        }
        axes.annotate(facts, (1, 1), (-4, -2), color=INK, **corner)
