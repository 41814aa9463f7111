"""Verdicts: what the paper says, what was measured, and whether the one supports the other."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from experiments.reproduction.spec import ClaimSpec, NumberSpec

Ruling = Literal["reproduced", "partly", "not_reproduced", "not_applicable"]
"""`not_applicable`: it could not be judged, for want of runs or of the paper's data."""


def in_words(ruling: Ruling) -> str:
    """Write a ruling for people.

    Raises
    ------
    ValueError
        It is none, as in a damaged file.
    """
    if ruling not in get_args(Ruling):
        raise ValueError(f"{ruling!r} is no ruling")
    return ruling.replace("_", " ")


@dataclass(frozen=True)
class Claim:
    """One claim of a paper, judged.

    Attributes
    ----------
    id : str
        As in conf/figure/.
    paper_says : str
    measured : str
        One or two sentences with the numbers that decide.
    statistic : mapping of str to Any
        Those numbers: JSON-able, nested mappings allowed, NaN not.
    verdict : str
        A `Ruling`.
    why : str
        The rule that led from the statistic to the verdict.
    """

    id: str
    paper_says: str
    measured: str
    statistic: Mapping[str, Any]
    verdict: Ruling
    why: str


@dataclass(frozen=True)
class Number:
    """One number that the paper prints, beside ours.

    Attributes
    ----------
    name, paper, unit, tolerance
        As in conf/figure/ (`NumberSpec`).
    measured : float or None
        In `unit`; None: there is no run.
    note : str
        What a reader must know to compare the two; empty as a rule.
    """

    name: str
    paper: float
    measured: float | None
    unit: str = ""
    tolerance: float | None = None
    note: str = ""

    @property
    def agrees(self) -> bool | None:
        """Whether the two differ by the tolerance at most; None where that cannot be said."""
        if self.measured is None or self.tolerance is None or not math.isfinite(self.measured):
            return None
        # a difference that is the tolerance in decimals may exceed it in binary
        rounding = 4 * sys.float_info.epsilon * max(abs(self.paper), abs(self.measured))
        return abs(self.measured - self.paper) <= self.tolerance + rounding


@dataclass(frozen=True)
class Verdict:
    """The whole verdict of a figure.

    Attributes
    ----------
    figure, scale : str
    stand_in : mapping of str to str
        Data set to why it only stands in for the paper's.
    commit : str or None
    dirty : bool or None
    command : str
        That made the figure.
    claims : sequence of Claim
    numbers : sequence of Number
    absent : mapping of str to str
        Data sets that could not be had, and why.
    missing : mapping of str to str
        Series on a data set (``adult: sbp``) to why runs are missing.
    left_out : mapping of str to str
        The same, for those that its problem is not for.
    run_commits : sequence of str
        Commits that the runs were made at, where it is not `commit` alone.
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
    """Judge a claim of conf/figure/."""
    return Claim(spec.id, spec.says, measured, statistic, verdict, why)


def undecided(spec: ClaimSpec, why: str) -> Claim:
    """Return a claim that could not be judged."""
    return Claim(spec.id, spec.says, "nothing", {}, "not_applicable", why)


def number(spec: NumberSpec, measured: float | None, note: str = "") -> Number:
    """Put a measured number beside one of conf/figure/."""
    return Number(spec.name, spec.paper, measured, spec.unit, spec.tolerance, note)


def combined(parts: Sequence[Ruling]) -> Ruling:
    """Verdict on a claim about several cases: all hold, some hold, none holds.

    Cases that could not be judged are left out; if that is all of them, so is the claim.
    """
    judged = [part for part in parts if part != "not_applicable"]
    if not judged:
        return "not_applicable"
    if all(part == judged[0] for part in judged):
        return judged[0]
    return "partly"
