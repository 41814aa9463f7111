"""Table 2: sizes of the data sets, and nu derived from lambda for every row that the paper prints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from ...curve import ROUNDING, column
from ...plotting import FAINT, INK, STYLES, plain_frame
from ...reproduction.claim_spec import NumberSpec
from ...reproduction.evidence import Evidence, FigureResult, Panel, Run, Table, cell
from ...reproduction.numbers import Number
from ...reproduction.statistics.interval import HOLDS, MISSING, UNCLEAR, holds
from ..cases import Case, Statistic, case_of, judge_claims
from ..dataset_table import compare_sizes
from ..panels import NAMES, empty, name_of
from ..printed import compare_number
from .methods import TRAINING, data_difference

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
    """One row of the table, and the run that derives its nu."""

    paper_dataset: str
    series: str
    """The paper's data set; ``unbiased`` or ``biased``."""
    printed: NumberSpec | None
    """The printed nu; None if the paper has none."""
    panel: Panel | None
    run: Run | None

    @property
    def dataset(self) -> str:
        """The data set that was used."""
        return self.paper_dataset if self.panel is None else self.panel.dataset

    @property
    def named(self) -> str:
        """Name of the data set in sentences."""
        return self.paper_dataset if self.panel is None else name_of(self.panel)

    @property
    def name(self) -> str:
        """Name of the row in sentences: data set and bias."""
        return f"{self.named}, {SERIES[self.series]}"

    @cached_property
    def values(self) -> dict[str, float]:
        """Columns of data.csv: settings, last values of the measures, and the printed nu; NaN: unknown."""
        result: Mapping[str, Any] = {"settings": {"kernel": {}, "problem": {}}, "final": {}}
        result = result if self.run is None else self.run.result
        kernel, problem, final = result["settings"]["kernel"], result["settings"]["problem"], result["final"]
        gap, hinge, nu = final.get("gap"), final.get("hinge"), final.get("nu")
        columns = {
            "n": self.panel.n if self.run and self.panel else None,
            "sigma2": kernel.get("sigma2"),
            "lambda_": problem.get("lambda_"),
            "C": problem.get("C"),
            "nu_printed": self.printed and self.printed.paper,
            "nu": nu,
            "relative_difference": None if nu is None or self.printed is None else nu / self.printed.paper - 1,
            "relative_gap": final.get("relative_gap"),
            "gap_over_hinge": None if gap is None or not hinge else gap / hinge,
            "hinge": hinge,
            "norm": final.get("norm"),
        }
        return {name: math.nan if value is None else value for name, value in columns.items()}

    @property
    def nu(self) -> float:
        """The derived nu; NaN without a run."""
        return self.values["nu"]

    @property
    def data_difference(self) -> str:
        """Why the data differ from the paper's; empty if they do not."""
        return data_difference(self.panel)

    def determined(self, share: float = DETERMINED) -> bool:
        """Whether nu is known to the digits."""
        return self.values["gap_over_hinge"] <= share

    @property
    def difference(self) -> float:
        """Derived nu / printed nu - 1; NaN if the two cannot be compared."""
        compared = self.determined() and not self.data_difference
        return self.values["relative_difference"] if compared else math.nan

    @property
    def difference_text(self) -> str:
        """The difference in per cent, or as a factor; empty if it is not known."""
        if abs(self.difference) < 1:
            return f"{100 * self.difference:+.1f} %"
        return cell(1 + self.difference, ".1f", " times")

    @property
    def note(self) -> str:
        """Remark on the accuracy of the derived nu."""
        share, gap = self.values["gap_over_hinge"], self.values["relative_gap"]
        if math.isnan(share) or math.isnan(gap):
            return ""
        if gap > DETERMINED:
            return f"the optimum was not reached: relative duality gap {gap:.1e}"
        if share >= ZERO_FITS:
            return "the hinge loss is as small as the duality gap, and nu = 0 fits as well"
        return f"the duality gap is {100 * share:.2g} % of the hinge loss" if share > DETERMINED else ""


def number_name(dataset: str, series: str) -> str:
    """Name of a row's number in the figure's file."""
    return f"nu {dataset} {SERIES[series]}"


def rows_of(evidence: Evidence) -> list[Row]:
    """All rows, in the paper's order: data set by data set, without bias first."""
    printed = {number.name: number for number in evidence.spec.numbers}
    panels = {panel.paper_dataset: panel for panel in evidence.panels}
    rows: list[Row] = []
    for name in dict.fromkeys([*evidence.spec.datasets, *panels]):
        panel = panels.get(name)
        for series in evidence.spec.series:
            if not series.datasets or name in series.datasets:
                run = next(iter(panel.runs.get(series.name, ())), None) if panel is not None else None
                rows.append(Row(name, series.name, printed.get(number_name(name, series.name)), panel, run))
    return rows


@dataclass(frozen=True, kw_only=True)
class DerivedNu(Statistic, kind="derived_nu"):
    """The derived nu is the printed one, to its digits."""

    determined: float
    """A case is unclear where the duality gap is more than this share of the mean hinge loss."""
    within_gap: float = 0.0
    """A run also has the printed nu if it passes it at a relative duality gap of at most this."""

    def cases(self, row: Row, evidence: Evidence) -> list[Case]:
        """Compare the derived nu with the printed one; a row without a printed nu has no case."""
        return [] if row.printed is None else [self._case(row, row.printed)]

    def _case(self, row: Row, printed: NumberSpec) -> Case:
        case = partial(case_of, row.paper_dataset, row.series, row.name)
        if row.run is None or math.isnan(row.nu):
            return case(MISSING, note="no finished run")
        tolerance = (printed.rounding or 0.0) * (1 + ROUNDING)
        nu, gap = (column(row.run.curve, name) for name in ("nu", "relative_gap"))
        passed = min(map(float, gap[np.abs(nu - printed.paper) <= tolerance]), default=None)
        beside = ", ".join(filter(None, [f"printed {printed.paper:.2e}", row.difference_text]))
        share = row.values["gap_over_hinge"]
        statistic = {
            "printed": printed.paper,
            "derived": row.nu,
            "gap_over_hinge": None if math.isnan(share) else share,
            "passed_at_gap": passed,
        }
        case = partial(case, measured=f"nu = {row.nu:.3e} ({beside})", statistic=statistic)
        if row.data_difference:
            return case(MISSING, note=row.data_difference)
        if printed.rounding is None or not row.determined(self.determined):
            return case(UNCLEAR, note=row.note)
        if abs(row.nu - printed.paper) <= tolerance:
            return case(HOLDS)
        note = "" if passed is None else f"the run passes the printed nu at a relative duality gap of {passed:.1e}"
        return case(holds(passed is not None and passed <= self.within_gap), note=note)


def make(evidence: Evidence) -> FigureResult:
    """Derive nu for every row, and compare it with the printed one."""
    rows = rows_of(evidence)
    names = ({"dataset": row.dataset, "bias": row.series == "biased"} for row in rows)
    return FigureResult(
        make_data=lambda: pd.DataFrame(
            [name | row.values for name, row in zip(names, rows, strict=True)], columns=list(COLUMNS)
        ),
        draw=partial(_draw, rows=[row for row in rows if not math.isnan(row.nu) and row.printed is not None]),
        size=(_WIDTH, _ABOVE + _BELOW + _ROW * max(len(rows), 2)),
        table=partial(_table, rows),
        claims=judge_claims(evidence, data=rows),
        numbers=_numbers(evidence, rows),
    )


COLUMNS: Final = (
    *("dataset", "bias", "n", "sigma2", "lambda_", "C", "nu_printed", "nu", "relative_difference", "relative_gap"),
    *("gap_over_hinge", "hinge", "norm"),
)


def _numbers(evidence: Evidence, rows: Sequence[Row]) -> list[Number]:
    """Compare all printed numbers, in the order of the figure's file."""
    numbers: dict[str, Number] = {}
    for row in rows:
        if row.printed is not None:
            departure = row.data_difference or ("" if row.determined() else "not determined")
            nu = None if math.isnan(row.nu) else row.nu
            numbers[row.printed.name] = compare_number(row.printed, departure, nu, row.note)
    sizes = [spec for spec in evidence.spec.numbers if spec.name not in numbers]
    counted = compare_sizes(replace(evidence, spec=replace(evidence.spec, numbers=sizes)), TRAINING, SIZE_NOTES)
    numbers |= {number.name: number for number in counted}
    return [numbers[spec.name] for spec in evidence.spec.numbers]


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
    for right, text in zip(_COLUMNS, ("printed", "derived"), strict=False):
        axes.annotate(text, (1, 1), (right, 4), xycoords="axes fraction", **above)
    percents = [0.0, *(100 * row.difference for row in rows if not math.isnan(row.difference))]
    axes.set_xscale("symlog", linthresh=_LINEAR)
    axes.set_xlim(min(-2.0, 2 * min(percents)), max(2.0, 2 * max(percents)))
    low, high = axes.get_xlim()
    ticks = [tick for tick in _TICKS if low <= tick <= high]
    axes.set_xticks(ticks, [f"{tick:+g}" if tick else "0" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(0.4, len(rows) + 0.6)
    axes.set_yticks([])
    axes.set_xlabel(r"derived $\nu$ less printed $\nu$, in % of the printed", color=INK)
    plain_frame(axes, grid="x")


def _draw_row(axes: Axes, row: Row, level: int) -> None:
    assert row.printed is not None
    if row.printed.rounding is not None:
        digits = 100 * row.printed.rounding / row.printed.paper
        axes.barh(level, 2 * digits, left=-digits, height=0.5, color=FAINT, alpha=0.3, zorder=1)
    if not math.isnan(row.difference):
        axes.plot([100 * row.difference], [level], "D", color=STYLES["smo"].color, zorder=3)
    beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center"}
    name: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "parse_math": False} | beside
    axes.annotate(NAMES.get(row.dataset, row.dataset), (-0.03, level), (0, 6), color=INK, **name)
    details = "; ".join(filter(None, [SERIES[row.series], row.data_difference]))
    axes.annotate(details, (-0.03, level), (0, -6), color=FAINT, **name)
    reason = "not compared: other data" if row.data_difference else "" if row.determined() else "0 fits as well"
    texts = (f"{row.printed.paper:.2e}", f"{row.nu:.3e}", reason or row.difference_text)
    for right, text, ink in zip(_COLUMNS, texts, (INK, INK, FAINT if reason else INK), strict=True):
        axes.annotate(text, (1, level), (right, 0), textcoords="offset points", color=ink, **beside)


def _table(rows: Sequence[Row]) -> Table:
    columns = ["data set", "bias", "n", "sigma^2", "lambda", "nu printed", "nu derived", "difference", "relative gap"]
    cells = []
    for row in rows:
        weight, has_nu = row.values["C"], not math.isnan(row.nu)
        cells.append(
            [
                row.named,
                "yes" if row.series == "biased" else "no",
                cell(row.values["n"], ",.0f"),
                cell(row.values["sigma2"], "g"),
                "1/n" if weight == 1 else cell(weight, "g") and f"1/({weight:g} n)",
                cell(row.values["nu_printed"], ".2e"),
                cell(row.nu, ".3e"),
                row.difference_text or ("not determined" if has_nu and not row.determined() else ""),
                cell(row.values["relative_gap"], ".1e"),
            ]
        )
    notes = [
        "nu = (mean hinge loss) / ‖w‖ of SMO's last predictor; relative gap: (primal - dual) / primal there. Not "
        f"determined: the gap is more than {100 * DETERMINED:g} % of the hinge loss.",
        *(f"{row.name}: {row.note}." for row in rows if row.note),
        *(f"{row.name}: {row.data_difference}." for row in rows if row.run and row.data_difference),
    ]
    return Table(columns, cells, notes)
