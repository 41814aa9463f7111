"""Table 2: sizes of the data sets, and nu derived from lambda for every row that the paper prints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers.cases import MISSING, UNCLEAR, Case, Choice, Findings, holds, judge_claims
from svm_cost_curves.experiments.papers.dataset_table import compare_sizes
from svm_cost_curves.experiments.papers.panels import NAMES, empty, name_of
from svm_cost_curves.experiments.papers.printed import compare_number
from svm_cost_curves.experiments.papers.sbp.printed import TRAINING, data_difference
from svm_cost_curves.experiments.plotting import FAINT, INK, STYLES, plain_frame
from svm_cost_curves.experiments.reproduction.claim_spec import NumberSpec
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel, Run
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.verdict import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SERIES: Final[Mapping[str, str]] = {"unbiased": "without bias", "biased": "with bias"}
DETERMINED: Final = 0.01
"""nu counts as known if the duality gap is at most this share of the mean hinge loss."""
ZERO_FITS: Final = 0.5
"""nu = 0 fits as well if the gap is at least this share."""
SIZE_NOTES: Final[Mapping[str, str]] = {
    "training rows of adult": "the published file has 32,561 rows: two digits are exchanged",
    "test rows of adult": "the published file has 16,281 rows and a line without features",
    "test rows of reuters_money_fx": "other publications print 3,299",
}


@dataclass(frozen=True)
class Row:
    """One row of the table, and the run that derives its nu.

    Attributes
    ----------
    paper_dataset, series : str
        The paper's data set; ``unbiased`` or ``biased``.
    spec : NumberSpec or None
        The printed nu; None if the paper has none.
    panel : Panel or None
    run : Run or None
    """

    paper_dataset: str
    series: str
    spec: NumberSpec | None
    panel: Panel | None
    run: Run | None

    def final(self, name: str) -> float | None:
        """Last value of a measure."""
        value = None if self.run is None else self.run.result["final"].get(name)
        return None if value is None else float(value)

    def setting(self, group: str, name: str) -> float | None:
        """One of the run's settings."""
        return None if self.run is None else self.run.result["settings"][group].get(name)

    @property
    def name(self) -> str:
        """For people: data set and bias."""
        return f"{self.paper_dataset if self.panel is None else name_of(self.panel)}, {SERIES[self.series]}"

    @property
    def printed(self) -> float | None:
        """The printed nu."""
        return None if self.spec is None else self.spec.paper

    @property
    def nu(self) -> float | None:
        """The derived nu."""
        return self.final("nu")

    @property
    def gap_share(self) -> float | None:
        """Duality gap over mean hinge loss, the accuracy of nu."""
        gap, hinge = self.final("gap"), self.final("hinge")
        return None if gap is None or not hinge else gap / hinge

    @property
    def number(self) -> Number:
        """The printed nu compared with the derived one; the row must have a printed one."""
        assert self.spec is not None
        other = data_difference(self.panel) or ("not determined" if not self.determined() else "")
        return compare_number(self.spec, other, self.nu, self.note)

    def determined(self, share: float = DETERMINED) -> bool:
        """Whether nu is known to the digits."""
        return self.gap_share is not None and self.gap_share <= share

    @property
    def difference(self) -> float | None:
        """Derived over printed nu, less 1; None if they cannot be compared."""
        if self.nu is None or self.printed is None or not self.determined() or data_difference(self.panel):
            return None
        return self.nu / self.printed - 1

    @property
    def note(self) -> str:
        """Remark on the accuracy of the derived nu."""
        share, gap = self.gap_share, self.final("relative_gap")
        if share is None or gap is None:
            return ""
        if gap > DETERMINED:
            return f"the optimum was not reached: relative duality gap {gap:.1e}"
        if share >= ZERO_FITS:
            return "the hinge loss is as small as the duality gap, and nu = 0 fits as well"
        return f"the duality gap is {100 * share:.2g} % of the hinge loss" if share > DETERMINED else ""

    def passed(self) -> float | None:
        """Least relative duality gap at which the run has the printed nu, to its digits; None if it never has."""
        if self.run is None or self.spec is None:
            return None
        nu, gap = (column(self.run.curve, name) for name in ("nu", "relative_gap"))
        there = gap[np.abs(nu - self.spec.paper) <= (self.spec.rounding or 0.0) * (1 + 1e-9)]
        return float(there.min()) if len(there) else None


def number_name(dataset: str, series: str) -> str:
    """Name of a row's number in conf/figure/."""
    return f"nu {dataset} {SERIES[series]}"


def rows_of(evidence: Evidence) -> list[Row]:
    """All rows, in the paper's order: data set by data set, without bias first."""
    printed = {number.name: number for number in evidence.spec.numbers}
    panels = {panel.paper_dataset: panel for panel in evidence.panels}
    rows: list[Row] = []
    for name in dict.fromkeys([*evidence.spec.datasets, *panels]):
        panel = panels.get(name)
        for series in _series(evidence.spec, name):
            run = next(iter(panel.runs.get(series, ())), None) if panel is not None else None
            rows.append(Row(name, series, printed.get(number_name(name, series)), panel, run))
    return rows


def _series(spec: FigureSpec, paper_dataset: str) -> list[str]:
    return [series.name for series in spec.series if not series.datasets or paper_dataset in series.datasets]


def printed_nu(evidence: Evidence, choice: Choice) -> Findings:
    """Judge sbp.6: the derived nu is the printed one."""
    within = choice.option("within_gap")
    return Findings([_case(row, choice["determined"], within) for row in rows_of(evidence) if row.spec is not None])


def _case(row: Row, determined: float, within_gap: float) -> Case:
    place, about = (row.paper_dataset, row.series), row.name
    if row.nu is None or row.spec is None:
        return Case(place, about, MISSING, note="no finished run")
    printed, passed = f"printed {row.printed:.2e}", row.passed()
    measured = f"nu = {row.nu:.3e} ({', '.join(filter(None, [printed, _difference(row)]))})"
    statistic = {"printed": row.printed, "derived": row.nu, "gap_over_hinge": row.gap_share, "passed_at_gap": passed}
    if why := data_difference(row.panel):
        return Case(place, about, MISSING, measured, statistic, why)
    if row.spec.rounding is None or not row.determined(determined):
        return Case(place, about, UNCLEAR, measured, statistic, row.note)
    near = abs(row.nu - row.spec.paper) <= row.spec.rounding * (1 + 1e-9)
    on_the_way = passed is not None and passed <= within_gap
    note = "" if passed is None or near else f"the run passes the printed nu at a relative duality gap of {passed:.1e}"
    return Case(place, about, holds(near or on_the_way), measured, statistic, note)


def _difference(row: Row) -> str:
    if row.difference is None:
        return ""
    return f"{100 * row.difference:+.1f} %" if abs(row.difference) < 1 else f"{1 + row.difference:.1f} times"


OPTIONS = {"sbp.6": {"within_gap": 0.0}}


def make(evidence: Evidence) -> FigureResult:
    """Derive nu for every row, and compare it with the printed one."""
    rows = rows_of(evidence)
    return FigureResult(
        data=pd.DataFrame([_record(row) for row in rows], columns=list(COLUMNS)),
        draw=partial(_draw, rows=[row for row in rows if row.nu is not None and row.spec is not None]),
        size=(_WIDTH, _ABOVE + _BELOW + _ROW * max(len(rows), 2)),
        table=_table(rows),
        claims=judge_claims(evidence, {"sbp.6": printed_nu}),
        numbers=_numbers(evidence, rows),
    )


def _numbers(evidence: Evidence, rows: Sequence[Row]) -> list[Number]:
    """Compare all printed numbers, in the order of the figure's file."""
    derived = {row.spec.name: row.number for row in rows if row.spec is not None}
    sizes = [spec for spec in evidence.spec.numbers if spec.name not in derived]
    counted = compare_sizes(replace(evidence, spec=replace(evidence.spec, numbers=sizes)), TRAINING, SIZE_NOTES)
    found = derived | {number.name: number for number in counted}
    return [found[spec.name] for spec in evidence.spec.numbers]


_WIDTH: Final = 12.0  # inches
_ROW, _ABOVE, _BELOW, _LEFT, _RIGHT = 0.5, 0.4, 0.6, 3.4, 4.5  # inches
_COLUMNS: Final = (18, 86, 160)  # points from the axes
_LINEAR: Final = 1.0
"""Differences up to this many per cent are on a linear scale."""
_TICKS: Final = (-10000, -1000, -100, -10, -1, 0, 1, 10, 100, 1000, 10000)


def _draw(figure: Figure | SubFigure, rows: Sequence[Row]) -> None:
    """Draw the difference of each row in per cent, and the numbers beside it; grey bars: the printed digits."""
    if not rows:
        empty(figure, "no finished runs")
        return
    width, height = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    box = (_LEFT / width, _BELOW / height, (width - _LEFT - _RIGHT) / width, (height - _ABOVE - _BELOW) / height)
    axes = figure.add_axes(box)
    axes.axvline(0.0, color=INK, linewidth=1.0, zorder=1)
    for level, row in zip(range(len(rows), 0, -1), rows, strict=True):
        _draw_row(axes, row, level)
    above: dict[str, Any] = {"textcoords": "offset points", "color": FAINT}
    for place, text in zip(_COLUMNS, ("printed", "derived"), strict=False):
        axes.annotate(text, (1, 1), (place, 4), xycoords="axes fraction", **above)
    known = [0.0, *(100 * row.difference for row in rows if row.difference is not None)]
    axes.set_xscale("symlog", linthresh=_LINEAR)
    axes.set_xlim(min(-2.0, 2 * min(known)), max(2.0, 2 * max(known)))
    low, high = axes.get_xlim()
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:+g}" if tick else "0" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(0.4, len(rows) + 0.6)
    axes.set_yticks([])
    axes.set_xlabel(r"derived $\nu$ less printed $\nu$, in % of the printed", color=INK)
    plain_frame(axes, grid="x")


def _draw_row(axes: Axes, row: Row, level: int) -> None:
    assert row.spec is not None
    color = STYLES["smo"].color
    if row.spec.rounding is not None:
        digits = 100 * row.spec.rounding / row.spec.paper
        axes.barh(level, 2 * digits, left=-digits, height=0.5, color=FAINT, alpha=0.3, zorder=1)
    if row.difference is not None:
        axes.plot([100 * row.difference], [level], "D", color=color, zorder=3)
    beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center"}
    name: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "parse_math": False} | beside
    dataset = row.panel.dataset if row.panel else row.paper_dataset
    axes.annotate(NAMES.get(dataset, dataset), (-0.03, level), (0, 6), color=INK, **name)
    details = "; ".join(filter(None, [SERIES[row.series], data_difference(row.panel)]))
    axes.annotate(details, (-0.03, level), (0, -6), color=FAINT, **name)
    other = "not compared: other data" if data_difference(row.panel) else "" if row.determined() else "0 fits as well"
    texts = (f"{row.printed:.2e}", f"{row.nu:.3e}", other or _difference(row))
    for place, text, ink in zip(_COLUMNS, texts, (INK, INK, FAINT if other else INK), strict=True):
        axes.annotate(text, (1, level), (place, 0), textcoords="offset points", color=ink, **beside)


def _table(rows: Sequence[Row]) -> Table:
    columns = ["data set", "bias", "n", "sigma^2", "lambda", "nu printed", "nu derived", "difference", "relative gap"]
    cells = []
    for row in rows:
        sigma2, weight = row.setting("kernel", "sigma2"), row.setting("problem", "C")
        n, gap = row.panel.n if row.panel else None, row.final("relative_gap")
        cells.append(
            [
                row.paper_dataset if row.panel is None else name_of(row.panel),
                "yes" if row.series == "biased" else "no",
                f"{n:,}" if row.run is not None and n is not None else "",
                "" if sigma2 is None else f"{sigma2:g}",
                "" if weight is None else "1/n" if weight == 1 else f"1/({weight:g} n)",
                "" if row.printed is None else f"{row.printed:.2e}",
                "" if row.nu is None else f"{row.nu:.3e}",
                _difference(row) or ("not determined" if row.nu is not None and not row.determined() else ""),
                "" if gap is None else f"{gap:.1e}",
            ]
        )
    notes = [
        "nu = (mean hinge loss) / ‖w‖ of SMO's last predictor; relative gap: (primal - dual) / primal there. Not "
        f"determined: the gap is more than {100 * DETERMINED:g} % of the hinge loss.",
        *(f"{row.name}: {row.note}." for row in rows if row.note),
        *(f"{row.name}: {why}." for row in rows if row.run and (why := data_difference(row.panel))),
    ]
    return Table(columns, cells, notes)


COLUMNS = (
    *("dataset", "bias", "n", "sigma2", "lambda_", "C", "nu_printed", "nu", "relative_difference", "relative_gap"),
    *("gap_over_hinge", "hinge", "norm"),
)


def _record(row: Row) -> dict[str, Any]:
    nu, printed = row.nu, row.printed
    values: dict[str, float | None] = {
        "n": row.panel.n if row.run and row.panel else None,
        "sigma2": row.setting("kernel", "sigma2"),
        "lambda_": row.setting("problem", "lambda_"),
        "C": row.setting("problem", "C"),
        "nu_printed": printed,
        "nu": nu,
        "relative_difference": None if nu is None or printed is None else nu / printed - 1,
        "relative_gap": row.final("relative_gap"),
        "gap_over_hinge": row.gap_share,
        "hinge": row.final("hinge"),
        "norm": row.final("norm"),
    }
    dataset = row.panel.dataset if row.panel else row.paper_dataset
    known = {name: math.nan if value is None else value for name, value in values.items()}
    return {"dataset": dataset, "bias": row.series == "biased", **known}
