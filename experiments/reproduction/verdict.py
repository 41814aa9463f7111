"""Verdicts: whether the measurements support the paper's claims and printed numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, get_args

from ...support.values import plain
from ..provenance import UNCOMMITTED
from .claim_spec import ClaimType, ShownSpec
from .data_statement import Origin
from .numbers import Number
from .statistics.interval import Ruling

Outcome = Literal["reproduced", "mostly", "mixed", "unclear", "contradicted", "trivial", "not_testable"]
"""Outcome of a claim under one reading (`outcome_of`)."""

_WORDS: Final[Mapping[ClaimType, Mapping[Outcome, str]]] = {
    "empirical": {
        "reproduced": "reproduced",
        "mostly": "mostly reproduced",
        "contradicted": "contradicted",
        "not_testable": "not testable here",
    },
    "checked": {
        "reproduced": "holds",
        "mostly": "mostly holds",
        "contradicted": "fails",
        "not_testable": "not testable here",
    },
    "program": {"not_testable": "not testable with another program"},
}
_ORIGINS: Final[Mapping[Origin, str]] = {
    "paper": "the paper's data",
    "part": "part of the paper's data",
    "surrogate": "surrogate data",
    "own": "our own data",
}


def in_words(outcome: Outcome, kind: ClaimType = "empirical") -> str:
    """Return an outcome as text; a claim that is checked is never called reproduced.

    Raises ValueError if it is not an outcome.
    """
    if outcome not in get_args(Outcome):
        raise ValueError(f"{outcome!r} is no outcome")
    return {"trivial": "holds trivially", **_WORDS[kind]}.get(outcome, outcome)


def on_data(origins: Sequence[Origin]) -> str:
    """Return the data of some cases in words: ``the paper's data and surrogate data``; empty for cases without data."""
    texts = [_ORIGINS[origin] for origin in get_args(Origin) if origin in origins]
    if "paper" in origins and "part" in origins:
        texts[1] = "parts of them"
    return f"{', '.join(texts[:-1])}{' and ' if texts[1:] else ''}{texts[-1]}" if texts else ""


def outcome_of(rulings: Sequence[Ruling]) -> Outcome:
    """Combine the rulings of a claim's cases; those that were not run do not count.

    ``reproduced``: all cases hold. ``trivial``: all hold trivially. ``contradicted``: no case holds, and more than half
    fail. ``mostly``: more than half hold. ``unclear``: at least half are unclear. ``mixed``: anything else.
    ``not_testable``: no case was run.
    """
    run = [ruling for ruling in rulings if ruling not in ("beside", "missing")]
    held, failed = sum(ruling in ("holds", "trivial") for ruling in run), run.count("fails")
    if not run:
        return "not_testable"
    if held == len(run):
        return "trivial" if run.count("trivial") == held else "reproduced"
    if not held and 2 * failed > len(run):
        return "contradicted"
    if 2 * held > len(run):
        return "mostly"
    return "mixed" if 2 * (held + failed) > len(run) else "unclear"


@dataclass(frozen=True)
class Case:
    """The ruling on one case of a claim."""

    dataset: str
    """The paper's data set; empty for a claim without data sets."""
    ruling: Ruling
    measured: str = ""
    note: str = ""
    """The measurement, and why the case was not run or what weakens it; either may be empty."""
    statistic: Mapping[str, Any] = field(default_factory=dict)
    """The numbers of the measurement: JSON-able, without NaN; mappings may be nested."""
    name: str = ""
    """Name among the cases on the data set: ``pegasos b=16``."""
    about: str = ""
    """Label in sentences: the name of the data set, a method."""
    more_runs: int | None = None
    """As in `Decision`; verdict.json has it of the reading only."""

    @property
    def sentence(self) -> str:
        """Label and measurement; empty without a measurement."""
        return f"{self.about}: {self.measured}" if self.measured else ""


_EXCEPTIONS: Final[Mapping[Ruling, str]] = {"fails": "fails", "unclear": "unclear", "missing": "not run"}


@dataclass(frozen=True)
class Reading:
    """The outcome of a claim under one reading."""

    id: str
    says: str
    quote: str
    section: str
    """As in the figure's file; `id` and `says` are empty for a claim without readings."""
    outcome: Outcome
    """An `Outcome`."""
    rulings: Sequence[Case] = ()
    """The cases one by one."""
    summary: str = ""
    """What was measured, for a claim whose statistic says it in one sentence; else empty."""
    more_runs: int | None = None
    """Runs of each method, in addition, after which all unclear cases would be settled if the estimates stay. None
    without unclear cases, or where more runs do not help."""
    shows: ShownSpec = field(default_factory=ShownSpec)
    """The curves by which it is judged, without grids; no series where it is judged by data alone."""
    data: Sequence[Origin] = ()
    """Data of the cases that were run and count."""
    likely: bool = False
    """Whether the authors most likely mean this reading (`ReadingSpec`)."""
    type: ClaimType = "empirical"
    """Of the claim."""

    @property
    def counted(self) -> list[Case]:
        """The cases that the claim is about, also those that were not run."""
        return [case for case in self.rulings if case.ruling != "beside"]

    @property
    def cases(self) -> int:
        """Number of cases that the claim is about."""
        return len(self.counted)

    @property
    def run(self) -> int:
        """Number of these cases that were run."""
        return sum(case.ruling != "missing" for case in self.counted)

    @property
    def held(self) -> int:
        """Number of these cases that hold."""
        return sum(case.ruling in ("holds", "trivial") for case in self.counted)

    @property
    def text(self) -> str:
        """The outcome in words, the data, and how many of the cases that were run hold.

        ``mostly reproduced on surrogate data (2 of 3; 1 not run)``.
        """
        return self._text(f" on {on_data(self.data)}" if self.data else "")

    @property
    def brief(self) -> str:
        """The text without the data."""
        return self._text("")

    def _text(self, where: str) -> str:
        if not self.run or self.outcome == "not_testable":
            return in_words(self.outcome, self.type)
        lacking = f"; {self.cases - self.run} not run" if self.cases > self.run else ""
        return f"{in_words(self.outcome, self.type)}{where} ({self.held} of {self.run}{lacking})"

    @property
    def decided_by(self) -> str:
        """The case that decided, in one sentence; the summary where the cases have no measurement.

        Where the claim is reproduced that is the first case, else the first that fails, else the first unclear one. Of
        a claim about a program it is the first case that was measured.
        """
        order: list[Ruling] = ["fails", "unclear", "holds"]
        if self.outcome in ("reproduced", "trivial"):
            order = ["holds", "trivial"]
        ranked = [case.sentence for ruling in order for case in self.rulings if case.ruling == ruling and case.measured]
        measured = [case.sentence for case in self.rulings if case.measured]
        return next(iter([*ranked, *measured]), self.summary)

    @property
    def measured(self) -> str:
        """The summary, or one sentence for each label with the measurements of all cases."""
        grouped: dict[str, list[str]] = {}
        for case in self.rulings:
            if case.measured and case.measured not in grouped.setdefault(case.about, []):
                grouped[case.about].append(case.measured)
        sentences = (f"{about}: {', '.join(texts)}." for about, texts in grouped.items() if texts)
        return self.summary or " ".join(sentences) or "nothing"

    def exceptions(self, *rulings: Ruling) -> list[str]:
        """Return the cases with some rulings, by default those that fail, are unclear or were not run.

        Label, ruling, measurement and note of each.
        """
        described = []
        for case in self.counted:
            if case.ruling in (rulings or _EXCEPTIONS):
                word = _EXCEPTIONS.get(case.ruling, case.ruling)
                described.append(f"{case.about}: {', '.join(filter(None, [word, case.measured, case.note]))}")
        return described

    @property
    def statistic(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The numbers of the cases that were measured, with the rulings, by data set and case."""
        statistic: dict[str, dict[str, dict[str, Any]]] = {}
        for case in self.rulings:
            if case.statistic:
                statistic.setdefault(case.dataset, {})[case.name] = {**case.statistic, "ruling": case.ruling}
        return statistic


@dataclass(frozen=True)
class Sensitivity:
    """Outcomes at half and at double of a constant that the paper does not give."""

    constant: str
    value: float
    half: str
    double: str
    """`Reading.brief` at half and at double of the value."""


@dataclass(frozen=True)
class Claim:
    """A judged claim of a paper."""

    id: str
    paper_says: str
    quote: str
    section: str
    """As in the figure's file."""
    rule: str
    """How one case is judged."""
    readings: Sequence[Reading]
    """The first is the one to which the paper's own words come nearest; its outcome is the verdict."""
    sensitivity: Sequence[Sensitivity] = ()
    """Of the first reading."""
    lacking: Sequence[str] = ()
    """Data sets that the claim is about and that were not run."""
    statistic: str = ""
    code: str = ""
    """Kind of its statistic (`ClaimSpec`), and the file that computes it, from the project's folder."""

    @property
    def nearest(self) -> Reading:
        """The reading to which the paper's own words come nearest."""
        return self.readings[0]

    @property
    def verdict(self) -> Outcome:
        """Outcome of the nearest reading."""
        return self.nearest.outcome

    @property
    def type(self) -> ClaimType:
        """Whether the claim is empirical, checked, or about a program."""
        return self.nearest.type

    @property
    def agreement(self) -> str:
        """Under how many readings all cases hold: ``holds under 5 of 6 readings``; empty with one reading."""
        if len(self.readings) < 2:
            return ""
        held = sum(reading.outcome in ("reproduced", "trivial") for reading in self.readings)
        return f"holds under {held} of {len(self.readings)} readings"


@dataclass(frozen=True)
class Verdict:
    """The verdict of a figure."""

    figure: str
    scale: str
    stand_in: Mapping[str, str]
    """Stand-ins and their reasons."""
    commit: str | None
    dirty: bool | None
    command: str
    """The command line."""
    claims: Sequence[Claim]
    numbers: Sequence[Number]
    absent: Mapping[str, str] = field(default_factory=dict)
    """Data sets that were not available, or left out, and why."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Series on a data set (``adult: sbp``) with missing runs, and why."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Series that cannot solve the problem, and why."""
    run_commits: Sequence[str] = ()
    """Commits of the runs, other than `commit`."""
    disturbed: Mapping[str, str] = field(default_factory=dict)
    """Data sets on which other processes disturbed timed runs, how many of the runs, and how much."""
    heading: str = ""
    paper: str = ""
    label: str = ""
    title: str = ""
    """As in the figure's file; the heading has the label, the paper and the title."""
    data_sets: Sequence[str] = ()
    seeds: int | None = None
    """Most runs of a series."""
    made: str = ""
    """ISO time."""
    machine: Mapping[str, str | int | None] = field(default_factory=dict)
    """``cpu``, ``cores`` and ``os``."""
    versions: Mapping[str, str] = field(default_factory=dict)
    judged_at: str = ""
    """Commit at which published runs were judged again; empty if they were not."""

    @property
    def uncommitted(self) -> bool:
        """Whether the figure, or one of its runs, was made with uncommitted changes."""
        return bool(self.dirty) or any(commit.endswith(UNCOMMITTED) for commit in self.run_commits)


def as_json(verdict: Verdict) -> dict[str, Any]:
    """Return the content of verdict.json; `judged_at` is left out where it is empty."""
    content = asdict(verdict)
    for claim, entry in zip(verdict.claims, content["claims"], strict=True):
        entry |= {"verdict": claim.verdict, "type": claim.type}
        for reading, row in zip(claim.readings, entry["readings"], strict=True):
            row |= {"text": reading.text, "decided_by": reading.decided_by}
            row |= {"held": reading.held, "run": reading.run, "cases": reading.cases}
            for case in row["rulings"]:
                del case["more_runs"]
    facts = {name: value for name, value in content.items() if value or name != "judged_at"}
    result: dict[str, Any] = plain(facts, "verdict.json")
    return result
