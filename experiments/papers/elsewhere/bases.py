"""The series and claims of other figures, on this figure's data sets.

Series and rules are read from the files of the other figures, the bases. Settings that a base has for one data set only
are left out: on new data each method has the data set's preset. A claim is judged by the base's own module, under one
of its readings and with its constants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from ...reproduction.build import maker_of
from ...reproduction.claim_spec import BaseSpec, ClaimSpec, ReadingSpec, RepeatedClaimSpec
from ...reproduction.evidence import Evidence, Panel
from ...reproduction.options import Options
from ...reproduction.series_spec import SeriesSpec
from ...reproduction.spec import FigureError, FigureSpec, read_figure
from ...reproduction.verdict import Claim
from .properties import PROPERTIES

T = TypeVar("T")
PREFIX: Final = "elsewhere."
"""Before the id of a claim that is judged here: the paper's own verdict has the id without it."""


@dataclass(frozen=True)
class Base:
    """A figure whose claims are repeated."""

    spec: FigureSpec
    """As in its file, with the values of grids that are run here."""
    index: int
    """Among the bases of the figure."""
    claims: Sequence[RepeatedClaimSpec]
    """Its claims that are repeated."""
    curves: Mapping[str, SeriesSpec]
    """The series here by their names in the base; those of a grid are listed one by one."""

    def claim(self, name: str) -> ClaimSpec:
        """Return one of its claims."""
        return next(claim for claim in self.spec.claims if claim.id == name)

    def judged(self, evidence: Evidence) -> dict[str, Claim]:
        """Return the base's claims as its module judges them, by id."""
        return {claim.id: claim for claim in maker_of(self.spec.maker).make(evidence).claims}


def bases_of(spec: FigureSpec) -> list[Base]:
    """Return the bases of a figure.

    Series of several bases that are the same have one name. A series whose name has another meaning in an earlier base
    has the base's id after its name.

    Raises FigureError if there is no such figure, series, claim or property.
    """
    taken: dict[str, SeriesSpec] = {}
    return [_base(base, index, spec.id, taken) for index, base in enumerate(spec.based_on)]


def _base(base: BaseSpec, index: int, figure: str, taken: dict[str, SeriesSpec]) -> Base:
    spec = read_figure(base.figure)
    if base.values:
        spec = replace(spec, series=[series.at(base.values) for series in spec.series])
    known_series = {series.name: series for series in spec.series}
    for kind, names, existing in (
        ("series", [*base.series, *base.by_series], known_series),
        ("claim", [claim.id for claim in base.claims], [claim.id for claim in spec.claims]),
        ("property", [claim.against for claim in base.claims], PROPERTIES),
        (
            "reading",
            [claim.reading for claim in base.claims if claim.reading],
            [reading.id for claim in spec.claims for reading in claim.readings],
        ),
    ):
        if unknown := [name for name in names if name not in existing]:
            raise FigureError(f"{figure}: {base.figure}: unknown {kind} {', '.join(unknown)}")
    curves: dict[str, SeriesSpec] = {}
    for name in base.series or known_series:
        for curve in known_series[name].curves():
            overrides = [*curve.overrides, *base.overrides, *base.by_series.get(name, [])]
            here = replace(curve, overrides=overrides, by_dataset={}, datasets=[], exclude=[])
            if taken.setdefault(here.name, here) != here:
                here = replace(here, name=f"{here.name} ({base.figure})")
                taken[here.name] = here
            curves[curve.name] = here
    return Base(spec, index, base.claims, curves)


def with_series(spec: FigureSpec, options: Options) -> FigureSpec:
    """Return a figure with the series and the claims of its bases; raises as `bases_of`."""
    del options
    bases = bases_of(spec)
    series = {curve.name: curve for base in bases for curve in base.curves.values()}
    return replace(
        spec,
        series=list(series.values()),
        claims=[_repeated(base, claim) for base in bases for claim in base.claims],
        split_by_seed=any(base.spec.split_by_seed for base in bases),
    )


def _repeated(base: Base, repeated: RepeatedClaimSpec) -> ClaimSpec:
    """Return a claim as it is judged here: one case a data set, one reading, no constant to vary, its own curves."""
    claim = base.claim(repeated.id)
    nearest = _reading(claim, repeated)
    rule = claim.rule.format_map({**claim.constants, **nearest.constants})
    shows = nearest.shows.over(claim.shows)
    shown = [base.curves[name].name for name in base.spec.expanded(shows.series) if name in base.curves]
    merged = f"{rule} Here a data set holds if all of its cases hold, and fails if one fails."
    return ClaimSpec(
        PREFIX + claim.id,
        claim.says,
        claim.quote,
        claim.section,
        merged.replace("{", "{{").replace("}", "}}"),
        readings=[ReadingSpec(nearest.id, nearest.says, nearest.quote, nearest.section)],
        shows=replace(shows, series=shown),
    )


def evidence_for(base: Base, evidence: Evidence) -> Evidence:
    """Return the evidence as the base's module expects it: its series' names, and claims about these data sets."""
    spec = replace(
        base.spec,
        datasets=evidence.spec.datasets,
        stand_ins=evidence.spec.stand_ins,
        missing_data=evidence.spec.missing_data,
        scales=evidence.spec.scales,
        claims=[_with_one_reading(base.claim(claim.id), claim) for claim in base.claims],
        numbers=[],
    )
    names = {curve.name: name for name, curve in base.curves.items()}
    panels = tuple(_renamed(panel, names) for panel in evidence.panels)
    computed = evidence.computed.get("bases", {}).get(str(base.index), {})
    return replace(evidence, spec=spec, panels=panels, computed=computed)


def _with_one_reading(claim: ClaimSpec, repeated: RepeatedClaimSpec) -> ClaimSpec:
    """Return a claim with one reading, on all data sets; its constants are the reading's, so none is varied."""
    nearest = _reading(claim, repeated)
    reading = replace(nearest, constants=claim.constants | nearest.constants)
    return replace(claim, datasets=[], constants={}, readings=[reading])


def _reading(claim: ClaimSpec, repeated: RepeatedClaimSpec) -> ReadingSpec:
    """Return the reading that is judged here, by default the first; an empty one for a claim without readings."""
    wanted = [reading for reading in claim.readings if reading.id == repeated.reading] or claim.readings
    return wanted[0] if wanted else ReadingSpec()


def _renamed(panel: Panel, names: Mapping[str, str]) -> Panel:
    """Return a panel with only these series, by their other names."""

    def renamed(values: Mapping[str, T]) -> dict[str, T]:
        return {name: values[here] for here, name in names.items() if here in values}

    return replace(
        panel,
        runs=renamed(panel.runs),
        settings=renamed(panel.settings),
        missing=renamed(panel.missing),
        left_out=renamed(panel.left_out),
    )


def compute_bases(evidence: Evidence) -> dict[str, Any]:
    """Return what the bases' modules compute from the data sets, by the base's place."""
    computed = {}
    for base in bases_of(evidence.spec):
        compute = getattr(maker_of(base.spec.maker), "compute", None)
        if compute is not None:
            computed[str(base.index)] = compute(evidence_for(base, evidence))
    return computed


def judged(evidence: Evidence) -> Iterator[tuple[RepeatedClaimSpec, Claim]]:
    """Judge the claims of all bases by the bases' modules."""
    for base in bases_of(evidence.spec):
        claims = base.judged(evidence_for(base, evidence))
        for repeated in base.claims:
            yield repeated, claims[repeated.id]
