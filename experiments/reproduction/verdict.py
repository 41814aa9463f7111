"""Verdicts: whether the measurements support the paper's claims and printed numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from svm_cost_curves.experiments.provenance import UNCOMMITTED
from svm_cost_curves.experiments.reproduction.claim_spec import NumberSpec, ShownSpec
from svm_cost_curves.experiments.reproduction.statistics import Ruling

Outcome = Literal["reproduced", "mostly", "mixed", "unclear", "contradicted", "trivial", "not_testable"]
"""Outcome of a claim under one reading (`outcome_of`)."""


def in_words(outcome: Outcome) -> str:
    """Return an outcome as text.

    Raises
    ------
    ValueError
        It is not an outcome.
    """
    if outcome not in get_args(Outcome):
        raise ValueError(f"{outcome!r} is no outcome")
    special = {"mostly": "mostly reproduced", "not_testable": "not testable here", "trivial": "holds trivially"}
    return special.get(outcome, outcome)


def outcome_of(rulings: Sequence[Ruling]) -> Outcome:
    """Combine the rulings of a claim's cases.

    ``reproduced``: all cases hold. ``trivial``: all hold trivially. ``contradicted``: no case holds, and more than half
    of those that were run fail. ``mostly``: more than half of all cases hold. ``unclear``: cases that are unclear or
    were not run are at least as many as the others. ``mixed``: anything else. ``not_testable``: no case was run.
    """
    cases = [ruling for ruling in rulings if ruling != "beside"]
    held = sum(ruling in ("holds", "trivial") for ruling in cases)
    failed, missing = cases.count("fails"), cases.count("missing")
    if len(cases) == missing:
        return "not_testable"
    if held == len(cases):
        return "trivial" if cases.count("trivial") == held else "reproduced"
    if not held and 2 * failed > len(cases) - missing:
        return "contradicted"
    if 2 * held > len(cases):
        return "mostly"
    return "mixed" if 2 * (held + failed) > len(cases) else "unclear"


@dataclass(frozen=True)
class CaseRuling:
    """The ruling on one case of a claim.

    Attributes
    ----------
    dataset : str
        The paper's data set; empty for a claim without data sets.
    ruling : Ruling
    measured, note : str
        The measurement, and why the case was not run or what weakens it; either may be empty.
    statistic : mapping of str to Any
    """

    dataset: str
    ruling: Ruling
    measured: str = ""
    note: str = ""
    statistic: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """The outcome of a claim under one reading.

    Attributes
    ----------
    id, says, quote, section : str
        As in the figure's file; `id` and `says` are empty for a claim without readings.
    outcome : str
        An `Outcome`.
    held, cases : int
        How many of the claim's cases hold; cases that were not run count.
    exceptions : sequence of str
        The cases that do not hold, each with the reason.
    on_stand_ins : bool
        Whether all cases that were run are on stand-ins.
    more_runs : int or None
        Runs of each method, in addition, after which all unclear cases would be settled if the estimates stay. None
        without unclear cases, or where more runs do not help.
    measured : str
        One or two sentences with the deciding numbers.
    statistic : mapping of str to Any
        These numbers: JSON-able, without NaN; mappings may be nested.
    shows : ShownSpec
        The curves by which it is judged, without grids; no series where it is judged by data alone.
    decided_by : str
        Measurement of the case that decided, for the console; verdict.json does not have it.
    rulings : sequence of CaseRuling
        The cases one by one; verdict.json does not have them.
    """

    id: str
    says: str
    quote: str
    section: str
    outcome: Outcome
    held: int
    cases: int
    exceptions: Sequence[str] = ()
    on_stand_ins: bool = False
    more_runs: int | None = None
    measured: str = ""
    statistic: Mapping[str, Any] = field(default_factory=dict)
    shows: ShownSpec = field(default_factory=ShownSpec)
    decided_by: str = ""
    rulings: Sequence[CaseRuling] = ()

    @property
    def text(self) -> str:
        """The outcome in words: ``mostly reproduced (2 of 3)``."""
        if not self.cases or self.outcome == "not_testable":
            return in_words(self.outcome)
        place = " on stand-ins" if self.on_stand_ins else ""
        return f"{in_words(self.outcome)}{place} ({self.held} of {self.cases})"


@dataclass(frozen=True)
class Sensitivity:
    """Outcomes at half and at double of a constant that the paper does not give.

    Attributes
    ----------
    constant : str
    value : float
    half, double : str
        `Reading.text` at half and at double of the value.
    """

    constant: str
    value: float
    half: str
    double: str


@dataclass(frozen=True)
class Claim:
    """A judged claim of a paper.

    Attributes
    ----------
    id, paper_says, quote, section : str
        As in the figure's file.
    rule : str
        How one case is judged.
    readings : sequence of Reading
        The first is the one to which the paper's own words come nearest; its outcome is the verdict.
    sensitivity : sequence of Sensitivity
        Of the first reading.
    lacking : sequence of str
        Data sets that the claim is about and that were not run.
    statistic, code : str
        Kind of its statistic (`ClaimSpec`), and the file that computes it, from the project's folder.
    """

    id: str
    paper_says: str
    quote: str
    section: str
    rule: str
    readings: Sequence[Reading]
    sensitivity: Sequence[Sensitivity] = ()
    lacking: Sequence[str] = ()
    statistic: str = ""
    code: str = ""

    @property
    def nearest(self) -> Reading:
        """The reading to which the paper's own words come nearest."""
        return self.readings[0]

    @property
    def verdict(self) -> Outcome:
        """Outcome of the nearest reading."""
        return self.nearest.outcome

    @property
    def agreement(self) -> str:
        """In how many readings the claim is reproduced: ``reproduced under 5 of 6 readings``; empty with one."""
        if len(self.readings) < 2:
            return ""
        held = sum(reading.outcome in ("reproduced", "trivial") for reading in self.readings)
        return f"reproduced under {held} of {len(self.readings)} readings"


@dataclass(frozen=True)
class Number:
    """A printed number and ours.

    Attributes
    ----------
    name, paper, unit
        As in the figure's file (`NumberSpec`).
    measured : float or None
        Mean of our runs (geometric mean for numbers that are compared by their ratio); None without runs.
    runs : int
    low, high : float or None
        95 % prediction interval for the printed number. None if the numbers are not compared.
    z : float or None
        Distance of the printed number from ours in standard errors of the difference. None if the numbers are not
        compared, or our runs do not vary.
    note : str
        Remark on the comparison; may be empty.
    """

    name: str
    paper: float
    measured: float | None
    unit: str = ""
    runs: int = 0
    low: float | None = None
    high: float | None = None
    z: float | None = None
    note: str = ""

    @property
    def agrees(self) -> bool | None:
        """Whether the printed number lies in the prediction interval; None if the numbers are not compared."""
        if self.low is None or self.high is None:
            return None
        # a decimal difference equal to the rounding may exceed it in binary
        rounding = 1e-12 * max(abs(self.paper), abs(self.low), abs(self.high))
        return self.low - rounding <= self.paper <= self.high + rounding


def number(
    spec: NumberSpec, values: ArrayLike | None, note: str = "", *, deviation: float = 0.0, compared: bool = True
) -> Number:
    """Compare a printed number with our runs.

    The printed number is a mean of `NumberSpec.runs` runs, rounded. If its runs vary as ours do, it lies in

        mean +- (t s sqrt(1/r + 1/R) + rounding)

    with a probability of 95 %: our r runs have the mean and the standard deviation s, R are the paper's runs, and t is
    the 97.5 % quantile of Student's distribution with r - 1 degrees of freedom.

    Parameters
    ----------
    spec : NumberSpec
    values : array_like, (runs,) or None
        One for each of our runs, in the number's unit; NaN and infinite values are left out.
    note : str
    deviation : float
        Standard deviation of one run where ours do not show it: one run on a random split, or one order of the data.
        It is used where it exceeds s.
    compared : bool
        False where the data differ from the paper's: then the numbers stand side by side.
    """
    known = np.asarray([] if values is None else values, dtype=np.float64).ravel()
    known = known[np.isfinite(known)]
    if spec.log:
        known = known[known > 0]
    if not known.size:
        return Number(spec.name, spec.paper, None, spec.unit, note=note)
    scaled = np.log(known) if spec.log else known
    mean, printed = float(scaled.mean()), math.log(spec.paper) if spec.log else spec.paper
    ours = math.exp(mean) if spec.log else mean
    if spec.rounding is None or not compared:
        return Number(spec.name, spec.paper, ours, spec.unit, known.size, note=note)
    own = float(scaled.std(ddof=1)) if known.size > 1 else 0.0
    per_run = max(own, deviation)
    error = per_run * math.sqrt(1 / known.size + 1 / spec.runs)
    quantile = _student(known.size - 1) if own >= deviation and known.size > 1 else 1.96
    reach = quantile * error + spec.rounding
    ends = [math.exp(mean - reach), math.exp(mean + reach)] if spec.log else [mean - reach, mean + reach]
    spread = math.hypot(error, spec.rounding / math.sqrt(3))  # a rounding error is uniform
    z = (printed - mean) / spread if error else None  # rounding alone has no standard error
    return Number(spec.name, spec.paper, ours, spec.unit, known.size, ends[0], ends[1], z, note)


def _student(freedom: int) -> float:
    """97.5 % quantile of Student's distribution."""
    from scipy.special import stdtrit  # scipy.stats takes half a second to import

    return float(stdtrit(freedom, 0.975))


@dataclass(frozen=True)
class Verdict:
    """The verdict of a figure.

    Attributes
    ----------
    figure, scale : str
    stand_in : mapping of str to str
        Stand-ins and their reasons.
    commit : str or None
    dirty : bool or None
    command : str
        The command line.
    claims : sequence of Claim
    numbers : sequence of Number
    absent : mapping of str to str
        Data sets that were not available, or left out, and why.
    missing : mapping of str to str
        Series on a data set (``adult: sbp``) with missing runs, and why.
    left_out : mapping of str to str
        Series that cannot solve the problem, and why.
    run_commits : sequence of str
        Commits of the runs, other than `commit`.
    disturbed : mapping of str to str
        Data sets on which other processes disturbed timed runs, how many of the runs, and how much.
    """

    figure: str
    scale: str
    stand_in: Mapping[str, str]
    commit: str | None
    dirty: bool | None
    command: str
    claims: Sequence[Claim]
    numbers: Sequence[Number]
    absent: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    run_commits: Sequence[str] = ()
    disturbed: Mapping[str, str] = field(default_factory=dict)

    @property
    def uncommitted(self) -> bool:
        """Whether the figure, or one of its runs, was made with uncommitted changes."""
        return bool(self.dirty) or any(commit.endswith(UNCOMMITTED) for commit in self.run_commits)
