"""Cells of the map: how a claim came out on one data set."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...reproduction.claim_spec import RepeatedClaimSpec
from ...reproduction.evidence import Evidence, Panel
from ...reproduction.published import EVIDENCE, published_figures
from ...reproduction.report.figures import published_verdict
from ...reproduction.spec import FigureSpec
from ...reproduction.statistics.interval import Decision, Ruling
from ...reproduction.verdict import Case, Claim
from ..cases import Statistic, case_on
from .bases import bases_of


@dataclass(frozen=True)
class Cell:
    """A claim on one data set."""

    ruling: Ruling
    """``fails`` if one of the cases fails, else ``unclear`` if one is unclear, else ``holds``; ``missing`` if none was
    run."""
    held: int
    cases: int
    """How many of the claim's cases on this data set hold, of those that were run."""
    number: float | None
    """Median of the claim's number over the cases; without a number, the share of cases that hold. None without
    runs."""
    measured: str
    """The measurements as text; why there are none, if no case was run."""


def cells_of(claim: Claim, spec: RepeatedClaimSpec, panels: Sequence[Panel] = ()) -> dict[str, Cell]:
    """Return the cells of a judged claim by the paper's data set.

    Parameters
    ----------
    claim : Claim
    spec : RepeatedClaimSpec
        Says which reading is judged, and which number of a case is taken.
    panels : Sequence[Panel]
        On a data set of which runs are missing the claim does not hold.
    """
    lacking = {
        panel.paper_dataset: "; ".join(f"{name}: {why}" for name, why in panel.missing.items()) for panel in panels
    }
    grouped: dict[str, list[Case]] = {}
    chosen = next((reading for reading in claim.readings if reading.id == spec.reading), claim.nearest)
    for case in chosen.rulings:
        if case.dataset and case.ruling != "beside":
            grouped.setdefault(case.dataset, []).append(case)
    return {dataset: _cell(cases, spec, lacking.get(dataset, "")) for dataset, cases in grouped.items()}


def _cell(cases: Sequence[Case], spec: RepeatedClaimSpec, lacking: str) -> Cell:
    held = sum(case.ruling in ("holds", "trivial") for case in cases)
    ruling = ruling_of([case.ruling for case in cases])
    told = [case for case in cases if case.ruling != "missing"] or cases
    measured = "; ".join(dict.fromkeys(filter(None, (case.measured or case.note for case in told))))
    if lacking and ruling != "fails":
        ruling, measured = "unclear", "; ".join(filter(None, (measured, lacking)))
    run = sum(case.ruling != "missing" for case in cases)
    if spec.number:
        values = [spec.factor * value for case in cases if (value := _inner(case.statistic, spec.number)) is not None]
        return Cell(ruling, held, run, statistics.median(values) if values else None, measured)
    return Cell(ruling, held, run, held / run if run else None, measured)


def ruling_of(rulings: Sequence[Ruling]) -> Ruling:
    """Return the ruling on a data set from those on its cases: the worst of the cases that were run.

    Most cases without runs need more examples than the data set has, as for a mini-batch of 1,024.
    """
    run = {ruling for ruling in rulings if ruling != "missing"}
    worst: tuple[Ruling, ...] = ("fails", "unclear")
    for ruling in worst:
        if ruling in run:
            return ruling
    return "missing" if not run else "trivial" if run == {"trivial"} else "holds"


def _inner(statistic: Mapping[str, Any], path: str) -> float | None:
    """Return the finite number at a place like ``interval.estimate``; None if there is none."""
    value: Any = statistic
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


@dataclass(frozen=True, kw_only=True)
class CellCases(Statistic):
    """The cells of a claim, which its own figure's module has judged; one case for each data set."""

    cells: Mapping[str, Cell]
    """By the paper's data set."""

    def cases(self, panel: Panel, evidence: Evidence) -> Iterator[Case]:
        """Return the data set's cell as a case."""
        if cell := self.cells.get(panel.paper_dataset):
            statistic = {"held": cell.held, "cases": cell.cases, "number": cell.number}
            measured, note = (cell.measured, "") if cell.ruling != "missing" else ("", cell.measured)
            yield case_on(panel, "all cases", Decision(cell.ruling), measured, statistic, note)


def paper_cells(spec: FigureSpec, folder: Path = EVIDENCE) -> dict[str, dict[str, Cell]]:
    """Return the cells of the papers' own data sets by claim, from the bases' published verdicts.

    Bases that are not published, and claims that a published verdict lacks, have none.

    Parameters
    ----------
    spec : FigureSpec
        With `bases`.
    folder : Path
        Of the evidence.
    """
    published = published_figures(folder)
    by_claim: dict[str, dict[str, Cell]] = {}
    for base in bases_of(spec):
        if base.spec.id in published:
            claims = {claim.id: claim for claim in published_verdict(folder, base.spec.id).claims}
            by_claim |= {claim.id: cells_of(claims[claim.id], claim) for claim in base.claims if claim.id in claims}
    return by_claim
