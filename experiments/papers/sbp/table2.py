"""Table 2: nu derived from lambda for every row that the paper prints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from experiments.curve import column
from experiments.papers.cases import Case, claim_from_cases
from experiments.papers.panels import NAMES, empty, name_of
from experiments.papers.sbp.printed import SIZES, compare_number, data_difference
from experiments.plotting import FAINT, INK, PANEL, STYLES, plain_frame
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult, Table
from experiments.reproduction.spec import FigureSpec, NumberSpec
from experiments.reproduction.verdict import Number, Ruling
from experiments.store import FinishedRun

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

SERIES: Final[Mapping[str, str]] = {"unbiased": "without bias", "biased": "with bias"}
DETERMINED: Final = 0.01
"""nu counts as known if the duality gap is at most this share of the mean hinge loss."""
ZERO_FITS: Final = 0.5
"""nu = 0 fits as well if the gap is at least this share."""


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
    run : FinishedRun or None
    """

    paper_dataset: str
    series: str
    spec: NumberSpec | None
    panel: Panel | None
    run: FinishedRun | None

    def final(self, name: str) -> float | None:
        """Last value of a measure."""
        value = None if self.run is None else self.run.result["final"].get(name)
        return None if value is None else float(value)

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
    def determined(self) -> bool:
        """Whether nu is known to the digits."""
        return self.gap_share is not None and self.gap_share <= DETERMINED

    @property
    def ruling(self) -> Ruling:
        """Whether nu equals the printed one; `not_applicable` if they cannot be compared."""
        judged = self.spec is not None and self.spec.tolerance is not None and self.nu is not None and self.determined
        if not judged or (self.panel is not None and data_difference(self.panel)):
            return "not_applicable"
        return "reproduced" if self.number.agrees else "not_reproduced"

    @property
    def number(self) -> Number:
        """The printed nu compared with the derived one; the row must have a printed one."""
        assert self.spec is not None
        return compare_number(self.spec, self.panel, self.nu, self.note)

    @property
    def note(self) -> str:
        """Remark on the accuracy of the derived nu."""
        share, gap = self.gap_share, self.final("relative_gap")
        if share is None or gap is None:
            return ""
        if gap > DETERMINED:
            return f"the optimum was not reached: relative duality gap {gap:.1e}"
        if share >= ZERO_FITS:
            return "not determined: the hinge loss is as small as the duality gap, and nu = 0 fits as well"
        if share > DETERMINED:
            return f"not determined: the duality gap is {100 * share:.2g} % of the hinge loss"
        crossed = self.crossed
        return "" if crossed is None else f"this run passes the printed nu at a relative duality gap of {crossed:.1e}"

    @property
    def crossed(self) -> float | None:
        """Relative duality gap, at most 1 %, at which the run passes the printed nu; None if it ends with it."""
        if self.run is None or self.spec is None or compare_number(self.spec, self.panel, self.nu).agrees is not False:
            return None
        nu, gap = (column(self.run.curve, name) for name in ("nu", "relative_gap"))
        passed = gap[(np.abs(nu - self.spec.paper) <= (self.spec.tolerance or 0.0)) & (gap <= DETERMINED)]
        return float(passed.min()) if len(passed) else None


def number_name(dataset: str, series: str) -> str:
    """Name of a row's number in conf/figure/."""
    return f"nu {dataset} {SERIES[series]}"


def rows_of(evidence: Evidence) -> list[Row]:
    """All rows, in the paper's order: data set by data set, without bias first."""
    spec = evidence.spec
    printed = {number.name: number for number in spec.numbers}
    panels = {panel.paper_dataset: panel for panel in evidence.panels}
    rows: list[Row] = []
    for name in dict.fromkeys([*spec.datasets, *panels]):
        panel = panels.get(name)
        for series in _series(spec, name):
            runs = panel.runs.get(series, ()) if panel is not None else ()
            rows.append(
                Row(
                    name,
                    series,
                    printed.get(number_name(name, series)),
                    panel,
                    runs[0] if runs else None,
                )
            )
    return rows


def _series(spec: FigureSpec, paper_dataset: str) -> list[str]:
    return [series.name for series in spec.series if not series.datasets or paper_dataset in series.datasets]


_WIDTH: Final = 12.0  # inches
_ROW, _ABOVE, _BELOW, _LEFT, _RIGHT = 0.5, 0.4, 0.6, 3.4, 4.5  # inches
_COLUMNS: Final = (18, 86, 160)  # points from the axes


@dataclass(frozen=True)
class NuRatio:
    """One row.

    Attributes
    ----------
    name, details : str
        Label of the row; the second in small letters.
    ratio, measured, printed : float
        `measured` / `printed`, and these.
    determined : bool
        Whether the measured value is known to its digits.
    other_data : bool
        Whether it was measured on other data than the printed one.
    """

    name: str
    details: str
    ratio: float
    measured: float
    printed: float
    determined: bool
    other_data: bool

    @property
    def printed_text(self) -> str:
        """As the paper prints it."""
        return f"{self.printed:.2e}"

    @property
    def measured_text(self) -> str:
        """With a digit more."""
        return f"{self.measured:.3e}"

    @property
    def remark(self) -> str:
        """Why its symbol is open; empty if it is not."""
        reasons = {"other data": self.other_data, "0 but for accuracy": not self.determined}
        return "; ".join(reason for reason, holds in reasons.items() if holds)


def _size(ratios: Sequence[NuRatio]) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return _WIDTH, _ABOVE + _BELOW + _ROW * max(len(ratios), 2)


def _draw(figure: Figure | SubFigure, ratios: Sequence[NuRatio]) -> None:
    """Draw the ratio of each row on a logarithmic axis, and the numbers beside it; the vertical line is ratio 1."""
    if not ratios:
        empty(figure, "no finished runs")
        return
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    width, height = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    box = (_LEFT / width, _BELOW / height, (width - _LEFT - _RIGHT) / width, (height - _ABOVE - _BELOW) / height)
    axes = figure.add_axes(box)
    color = STYLES["smo"].color
    heights = list(range(len(ratios), 0, -1))
    axes.axvline(1.0, color=INK, linewidth=1.0, zorder=1)
    for level, row in zip(heights, ratios, strict=True):
        axes.plot([1.0, row.ratio], [level, level], color=color, linewidth=1.2, alpha=0.6, zorder=2)
        look: dict[str, Any] = {"marker": "D", "markersize": 7, "markeredgecolor": color, "markeredgewidth": 1.4}
        axes.plot([row.ratio], [level], markerfacecolor="white" if row.remark else color, **look, zorder=3)
        beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center", "size": PANEL.ticks}
        name: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "parse_math": False} | beside
        axes.annotate(row.name, (-0.03, level), (0, 6), color=INK, **name)
        axes.annotate(row.details, (-0.03, level), (0, -6), color=FAINT, **name | {"size": PANEL.note})
        row_texts = (row.printed_text, row.measured_text, row.remark)
        for place, text, ink in zip(_COLUMNS, row_texts, (INK, INK, FAINT), strict=True):
            axes.annotate(text, (1, level), (place, 0), textcoords="offset points", color=ink, **beside)
    above: dict[str, Any] = {"textcoords": "offset points", "size": PANEL.note, "color": FAINT}
    for place, text in zip(_COLUMNS, ("printed", "derived"), strict=False):
        axes.annotate(text, (1, 1), (place, 4), xycoords="axes fraction", **above)
    axes.set_xscale("log")
    smallest, largest = min(1.0, *(row.ratio for row in ratios)), max(1.0, *(row.ratio for row in ratios))
    margin = max((largest / smallest) ** 0.08, 1.2)
    axes.set_xlim(smallest / margin, largest * margin)
    axes.set_ylim(0.4, len(ratios) + 0.6)
    axes.set_yticks([])
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if largest / smallest < 50 else (1.0,)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("derived nu / printed nu", size=PANEL.label, color=INK)
    plain_frame(axes, PANEL.ticks, grid="x")


COLUMNS = (
    "dataset",
    "bias",
    "n",
    "n_printed",
    "sigma2",
    "lambda_",
    "C",
    "nu_printed",
    "nu",
    "relative_difference",
    "relative_gap",
    "gap_over_hinge",
    "hinge",
    "norm",
)
RULE = (
    "A row is judged where the data are the paper's and nu is determined: the duality gap is at most 1 % of the mean "
    "hinge loss. It is reproduced if nu differs from the printed one by at most half a unit of the last printed digit. "
    "If the hinge loss is as small as the gap, nu may be 0: the data are separable at this lambda, and the printed "
    "value, like ours, depends only on the solver's accuracy."
)


def make(evidence: Evidence) -> FigureResult:
    """Derive nu for every row, and compare it with the printed one."""
    rows = rows_of(evidence)
    by_name = {number_name(row.paper_dataset, row.series): row for row in rows}
    numbers = [
        by_name[spec.name].number if spec.name in by_name else compare_number(spec, None, None)
        for spec in evidence.spec.numbers
    ]
    ratios = [ratio for row in rows if (ratio := _ratio(row)) is not None]
    return FigureResult(
        data=pd.DataFrame([_record(row) for row in rows], columns=list(COLUMNS)),
        draw=partial(_draw, ratios=ratios),
        size=_size(ratios),
        table=_table(rows),
        claims=[claim_from_cases(spec, RULE, [_case(row) for row in rows]) for spec in evidence.spec.claims],
        numbers=numbers,
    )


def _ratio(row: Row) -> NuRatio | None:
    if row.nu is None or row.printed is None or row.panel is None:
        return None
    name = NAMES.get(row.panel.dataset, row.panel.dataset)
    details = "; ".join(filter(None, [SERIES[row.series], data_difference(row.panel)]))
    return NuRatio(
        name, details, row.nu / row.printed, row.nu, row.printed, row.determined, bool(data_difference(row.panel))
    )


def _case(row: Row) -> Case:
    """Return the claim's case for one row."""
    place, about = (row.paper_dataset, row.series), row.name
    if row.nu is None:
        return Case(place, about, "not_applicable")
    difference = _difference(row)
    against = "" if row.printed is None else f" (printed {row.printed:.2e}{f', {difference}' if difference else ''})"
    statistic = {
        "printed": row.printed,
        "derived": row.nu,
        "relative_gap": row.final("relative_gap"),
        "gap_over_hinge": row.gap_share,
    }
    notes = ", ".join(filter(None, [data_difference(row.panel) if row.panel else "", row.note]))
    return Case(place, about, row.ruling, f"nu = {row.nu:.3e}{against}", statistic, notes)


def _difference(row: Row) -> str:
    if row.nu is None or row.printed is None or not row.determined:
        return ""
    ratio = row.nu / row.printed
    return f"{100 * (ratio - 1):+.1f} %" if abs(ratio - 1) < 1 else f"{ratio:.1f} times"


def _table(rows: Sequence[Row]) -> Table:
    columns = [
        "data set",
        "bias",
        "n",
        "n printed",
        "sigma^2",
        "lambda",
        "nu printed",
        "nu derived",
        "difference",
        "relative gap",
    ]
    cells = []
    for row in rows:
        sigma2, weight = _parameters(row)
        n, gap = row.panel.n if row.panel else None, row.final("relative_gap")
        cells.append(
            [
                row.paper_dataset if row.panel is None else name_of(row.panel),
                "yes" if row.series == "biased" else "no",
                f"{n:,}" if row.run is not None and n is not None else "",
                f"{SIZES[row.paper_dataset][0]:,}" if row.paper_dataset in SIZES else "",
                "" if sigma2 is None else f"{sigma2:g}",
                "" if weight is None else "1/n" if weight == 1 else f"1/({weight:g} n)",
                "" if row.printed is None else f"{row.printed:.2e}",
                "" if row.nu is None else f"{row.nu:.3e}",
                _difference(row) or ("not determined" if row.nu is not None and not row.determined else ""),
                "" if gap is None else f"{gap:.1e}",
            ]
        )
    notes = [
        "nu = (mean hinge loss) / ‖w‖ of SMO's last predictor; relative gap: (primal - dual) / primal there. Not "
        f"determined: the gap is more than {100 * DETERMINED:g} % of the hinge loss.",
        "Sizes as printed: Adult's 31,562 is 32,561 with two digits exchanged, and its 16,282 test rows count a line "
        "without features; Reuters' 3,229 test rows are 3,299.",
        *(f"{row.name}: {row.note}." for row in rows if row.note),
        *(f"{row.name}: {why}." for row in rows if row.run and row.panel and (why := data_difference(row.panel))),
    ]
    return Table(columns, cells, notes)


def _parameters(row: Row) -> tuple[float | None, float | None]:
    """Kernel width and C = 1 / (lambda n) of the run."""
    if row.run is None:
        return None, None
    settings = row.run.result["settings"]
    return settings["kernel"].get("sigma2"), settings["problem"].get("C")


def _record(row: Row) -> dict[str, Any]:
    sigma2, weight = _parameters(row)
    problem = row.run.result["settings"]["problem"] if row.run else {}
    nu, printed = row.nu, row.printed
    values: dict[str, float | None] = {
        "n": row.panel.n if row.run and row.panel else None,
        "n_printed": SIZES[row.paper_dataset][0] if row.paper_dataset in SIZES else None,
        "sigma2": sigma2,
        "lambda_": problem.get("lambda_"),
        "C": weight,
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
