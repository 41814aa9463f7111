"""One row of Table 2: the printed nu, the run that derives it, and whether the two can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from experiments.curve import column
from experiments.papers.panels import name_of
from experiments.papers.sbp.printed import compared, departure
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import FigureSpec, NumberSpec
from experiments.reproduction.verdict import Number, Ruling
from experiments.store import FinishedRun

SERIES: Final[Mapping[str, str]] = {"unbiased": "without bias", "biased": "with bias"}
DETERMINED: Final = 0.01
"""nu is known where the duality gap is at most this share of the mean hinge loss."""
LOST: Final = 0.5
"""nu cannot be told from 0 where the gap is at least this share."""


@dataclass(frozen=True)
class Row:
    """One row of the table, and the run that derives its nu.

    Attributes
    ----------
    asked, series : str
        The paper's data set; ``unbiased`` or ``biased``.
    spec : NumberSpec or None
        The printed nu; None where the paper has none.
    panel : Panel or None
    run : FinishedRun or None
    """

    asked: str
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
        return f"{self.asked if self.panel is None else name_of(self.panel)}, {SERIES[self.series]}"

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
        """Duality gap over mean hinge loss: how well nu is known."""
        gap, hinge = self.final("gap"), self.final("hinge")
        return None if gap is None or not hinge else gap / hinge

    @property
    def determined(self) -> bool:
        """Whether nu is known to the digits."""
        return self.gap_share is not None and self.gap_share <= DETERMINED

    @property
    def ruling(self) -> Ruling:
        """Whether the printed nu is met; `not_applicable` where that cannot be asked."""
        judged = self.spec is not None and self.spec.tolerance is not None and self.nu is not None and self.determined
        if not judged or (self.panel is not None and departure(self.panel)):
            return "not_applicable"
        return "reproduced" if self.number.agrees else "not_reproduced"

    @property
    def number(self) -> Number:
        """The printed nu beside the derived one, of a row that has a printed one."""
        assert self.spec is not None
        return compared(self.spec, self.panel, self.nu, self.note)

    @property
    def note(self) -> str:
        """What a reader must know of the derived nu."""
        share, gap = self.gap_share, self.final("relative_gap")
        if share is None or gap is None:
            return ""
        if gap > DETERMINED:
            return f"the optimum was not reached: relative duality gap {gap:.1e}"
        if share >= LOST:
            return "not determined: the hinge loss is as small as the duality gap, and nu = 0 fits as well"
        if share > DETERMINED:
            return f"not determined: the duality gap is {100 * share:.2g} % of the hinge loss"
        crossed = self.crossed
        return "" if crossed is None else f"this run passes the printed nu at a relative duality gap of {crossed:.1e}"

    @property
    def crossed(self) -> float | None:
        """Relative duality gap, 1 % at most, at which the run passes a printed nu that it does not end with."""
        if self.run is None or self.spec is None or compared(self.spec, self.panel, self.nu).agrees is not False:
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
    panels = {panel.asked: panel for panel in evidence.panels}
    rows: list[Row] = []
    for asked in dict.fromkeys([*spec.datasets, *panels]):
        panel = panels.get(asked)
        for series in _series(spec, asked):
            runs = panel.runs.get(series, ()) if panel is not None else ()
            rows.append(Row(asked, series, printed.get(number_name(asked, series)), panel, runs[0] if runs else None))
    return rows


def _series(spec: FigureSpec, asked: str) -> list[str]:
    return [series.name for series in spec.series if not series.datasets or asked in series.datasets]
