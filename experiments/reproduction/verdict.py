"""Verdicts: whether the measurements support the paper's claims."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from experiments.reproduction.spec import ClaimSpec, NumberSpec

Ruling = Literal["reproduced", "partly", "not_reproduced", "not_applicable"]
"""`not_applicable`: not judged, because runs or the paper's data are missing."""


def in_words(ruling: Ruling) -> str:
    """Return a ruling as text.

    Raises
    ------
    ValueError
        It is not a ruling.
    """
    if ruling not in get_args(Ruling):
        raise ValueError(f"{ruling!r} is no ruling")
    return ruling.replace("_", " ")


@dataclass(frozen=True)
class Claim:
    """A judged claim of a paper.

    Attributes
    ----------
    id : str
        As in conf/figure/.
    paper_says : str
    measured : str
        One or two sentences with the deciding numbers.
    statistic : mapping of str to Any
        These numbers: JSON-able, without NaN; mappings may be nested.
    verdict : str
        A `Ruling`.
    why : str
        The rule for the verdict.
    """

    id: str
    paper_says: str
    measured: str
    statistic: Mapping[str, Any]
    verdict: Ruling
    why: str


@dataclass(frozen=True)
class Number:
    """A printed number and ours.

    Attributes
    ----------
    name, paper, unit, tolerance
        As in conf/figure/ (`NumberSpec`).
    measured : float or None
        In `unit`; None without runs.
    note : str
        Remark on the comparison; may be empty.
    """

    name: str
    paper: float
    measured: float | None
    unit: str = ""
    tolerance: float | None = None
    note: str = ""

    @property
    def agrees(self) -> bool | None:
        """Whether the numbers differ by at most the tolerance; None if they are not compared."""
        if self.measured is None or self.tolerance is None or not math.isfinite(self.measured):
            return None
        # a decimal difference equal to the tolerance may exceed it in binary
        rounding = 4 * sys.float_info.epsilon * max(abs(self.paper), abs(self.measured))
        return abs(self.measured - self.paper) <= self.tolerance + rounding


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
        Data sets that were not available, and why.
    missing : mapping of str to str
        Series on a data set (``adult: sbp``) with missing runs, and why.
    left_out : mapping of str to str
        Series that cannot solve the problem, and why.
    run_commits : sequence of str
        Commits of the runs, other than `commit`.
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


def claim(spec: ClaimSpec, verdict: Ruling, measured: str, statistic: Mapping[str, Any], why: str) -> Claim:
    """Return a judged claim."""
    return Claim(spec.id, spec.says, measured, statistic, verdict, why)


def undecided(spec: ClaimSpec, why: str) -> Claim:
    """Return a claim that was not judged."""
    return Claim(spec.id, spec.says, "nothing", {}, "not_applicable", why)


def number(spec: NumberSpec, measured: float | None, note: str = "") -> Number:
    """Compare a measured number with a printed one."""
    return Number(spec.name, spec.paper, measured, spec.unit, spec.tolerance, note)


def combined(parts: Sequence[Ruling]) -> Ruling:
    """Combine the rulings of several cases: equal rulings stay, different ones give ``partly``.

    Cases that were not judged are left out; without others the claim is not judged.
    """
    judged = [part for part in parts if part != "not_applicable"]
    if not judged:
        return "not_applicable"
    if all(part == judged[0] for part in judged):
        return judged[0]
    return "partly"
