"""Verdicts, numbers and facts as text, the same on every page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from svm_cost_curves.experiments.provenance import UNCOMMITTED
from svm_cost_curves.experiments.reproduction.verdict import Claim, Number, Outcome, Verdict, in_words, outcome_of

if TYPE_CHECKING:
    from svm_cost_curves.experiments.reproduction.report.verdict_reader import VerdictFile

State = Outcome | Literal["no_claim", "not_made", "damaged"]
"""What the scorecard shows for a figure or a claim: its outcome, or the reason why there is none."""


@dataclass(frozen=True)
class Label:
    """A state as text, and a symbol that distinguishes it from the others without colour."""

    symbol: str
    text: str

    def __str__(self) -> str:
        return f"{self.symbol} {self.text}"


LABELS: Final[Mapping[State, Label]] = {
    "reproduced": Label("\N{CHECK MARK}", in_words("reproduced")),
    "trivial": Label("\N{LESS-THAN OR EQUAL TO}", in_words("trivial")),
    "mostly": Label("\N{CIRCLE WITH UPPER RIGHT QUADRANT BLACK}", in_words("mostly")),
    "mixed": Label("\N{CIRCLE WITH LEFT HALF BLACK}", in_words("mixed")),
    "unclear": Label("?", in_words("unclear")),
    "contradicted": Label("\N{BALLOT X}", in_words("contradicted")),
    "not_testable": Label("\N{EN DASH}", in_words("not_testable")),
    "no_claim": Label("\N{MIDDLE DOT}", "nothing to judge"),
    "not_made": Label("\N{WHITE CIRCLE}", "not made"),
    "damaged": Label("!", "damaged"),
}

NOTHING: Final = "\N{EM DASH}"
"""Stands in a table where there is no number."""


def state_of(claims: Sequence[Claim], numbers: Sequence[Number]) -> State:
    """Return the state of a figure: its claims combined; without claims, its numbers combined.

    Equal outcomes stay. ``reproduced`` and ``trivial`` are reproduced together; with claims that are ``mostly``
    reproduced or ``not_testable`` they are ``mostly``; anything else is ``mixed``.
    """
    if not claims:
        return outcome_of(["holds" if each.agrees else "fails" for each in _judged(numbers)]) if numbers else "no_claim"
    outcomes = {claim.verdict for claim in claims}
    if len(outcomes) == 1:
        return outcomes.pop()
    if outcomes == {"reproduced", "trivial"}:
        return "reproduced"
    return "mostly" if outcomes <= {"reproduced", "trivial", "mostly", "not_testable"} else "mixed"


def _judged(numbers: Sequence[Number]) -> list[Number]:
    return [number for number in numbers if number.agrees is not None]


def agreement(numbers: Sequence[Number]) -> str:
    """Return how many of the numbers that can be judged agree: ``5 of 6 agree``; empty without numbers."""
    if judged := _judged(numbers):
        return f"{sum(number.agrees is True for number in judged)} of {len(judged)} agree"
    return "not judged" if numbers else ""


_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def quantity(value: float | None, unit: str = "", *, sign: bool = False) -> str:
    """Return a number with four significant digits: ``14.9 %``, ``126,000``, ``6.34×10⁻⁴``."""
    if value is None or not abs(value) < 1e300:  # JSON has integers that no float holds
        return NOTHING
    prefix = "\N{MINUS SIGN}" if value < 0 else "+" if sign and value > 0 else ""
    size = abs(value)
    if size and not 0.000_999_95 <= size < 9_999_500:
        digits, _, exponent = f"{size:.3e}".partition("e")
        text = f"{float(digits):g}\N{MULTIPLICATION SIGN}10{str(int(exponent)).translate(_SUPERSCRIPT)}"
    else:
        text = f"{size:,.0f}" if size >= 999.95 else f"{size:.4g}"
    return prefix + text + (f"\N{NO-BREAK SPACE}{unit}" if unit else "")


@dataclass(frozen=True)
class Comparison:
    """A paper's number and ours as text: one row of the table of numbers.

    Attributes
    ----------
    name, paper, ours, note : str
    difference : str
        Ours less the paper's; a ratio if they are not compared.
    expected : str
        Prediction interval for the printed number.
    z : str
    state : State
    agrees : str
    """

    name: str
    paper: str
    ours: str
    difference: str
    expected: str
    z: str
    state: State
    agrees: str
    note: str


def comparison(number: Number) -> Comparison:
    """Compare a paper's number with ours."""
    states: Mapping[bool | None, tuple[State, str]] = {
        True: ("reproduced", "agrees"),
        False: ("contradicted", "differs"),
        None: ("not_testable", "not judged"),
    }
    state, agrees = states[number.agrees]
    bounded = number.low is not None and number.high is not None
    runs = f" ({number.runs} runs)" if number.runs > 1 else ""
    return Comparison(
        name=number.name,
        paper=quantity(number.paper, number.unit),
        ours=quantity(number.measured, number.unit) + runs,
        difference=_difference(number),
        expected=f"{quantity(number.low)} to {quantity(number.high)}" if bounded else "",
        z="" if number.z is None else quantity(round(number.z, 1), sign=True),
        state=state,
        agrees=agrees if number.measured is not None else "not measured",
        note=number.note,
    )


def _difference(number: Number) -> str:
    if number.measured is None:
        return NOTHING
    if number.agrees is None and number.paper:
        return "\N{MULTIPLICATION SIGN}" + quantity(number.measured / number.paper)  # seconds on two machines
    if math.isclose(number.measured, number.paper, rel_tol=1e-9):
        return quantity(0.0)  # only rounding is left
    return quantity(number.measured - number.paper, sign=True)


def place(section: str) -> str:
    """Return a place in a paper as text: ``section 4.2``; ``Figure 2`` stays."""
    return f"section {section}" if section[:1].isdigit() else section


def command_for(figure: str, scale: str = "paper") -> str:
    """Return the command that makes a figure."""
    return f"python reproduce.py figure={figure} scale={scale}"


def limitations(verdict: Verdict) -> list[tuple[str, str, str]]:
    """Return what restricts a verdict: kind, name of the data set or series, and reason."""
    groups = {
        "Stand-in data": verdict.stand_in,
        "Not available": verdict.absent,
        "Runs missing": verdict.missing,
        "Left out": verdict.left_out,
        "Disturbed timed runs": verdict.disturbed,
        "Uncommitted changes": _uncommitted(verdict),
    }
    return [(kind, name, reason) for kind, reasons in groups.items() for name, reason in reasons.items()]


def _uncommitted(verdict: Verdict) -> dict[str, str]:
    """Return the commits with uncommitted changes, and what was made with them."""
    runs = [commit.removesuffix(f" {UNCOMMITTED}") for commit in verdict.run_commits if commit.endswith(UNCOMMITTED)]
    own = {(verdict.commit or "no commit")[:12]: f"the figure was made {UNCOMMITTED}"} if verdict.dirty else {}
    return {commit[:12]: f"runs were made {UNCOMMITTED}" for commit in runs} | own


def facts(verdict: VerdictFile) -> list[tuple[str, str]]:
    """Return how a figure was made, apart from the command: those facts that are known, each a name and a text."""
    changed = f" {UNCOMMITTED}" if verdict.dirty else ""
    cores = verdict.machine.get("cores")
    machine = [verdict.machine.get("cpu"), f"{cores} cores" if cores else "", verdict.machine.get("os")]
    known = {
        "Data": ", ".join(verdict.data_sets),
        "Seeds": "" if verdict.seeds is None else str(verdict.seeds),
        "Commit": (verdict.commit or "not recorded") + changed,
        "Commits of its runs": ", ".join(commit for commit in verdict.run_commits if commit != verdict.commit),
        "Made": moment(verdict.made),
        "Judged again at commit": verdict.judged_at,
        "Machine": ", ".join(str(part) for part in machine if part),
        "Versions": ", ".join(f"{name} {version}" for name, version in verdict.versions.items()),
    }
    return [(name, text) for name, text in known.items() if text]


def moment(text: str) -> str:
    """Return an ISO time in UTC to the minute; any other text as it is."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    if time.tzinfo is None:
        return f"{time:%Y-%m-%d %H:%M}"
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def leaves(tree: Mapping[str, Any], depth: int = 5) -> Iterator[tuple[str, str]]:
    """Return the values of nested objects as text by dotted names; values nested deeper than `depth` as JSON."""
    for name, value in tree.items():
        if isinstance(value, dict) and value and depth > 1:
            yield from ((f"{name}.{inner}", leaf) for inner, leaf in leaves(value, depth - 1))
        else:
            yield name, _value(value)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or isinstance(value, int | float):
        return quantity(value)
    if isinstance(value, list) and not any(isinstance(item, list | dict) for item in value):
        return ", ".join(map(_value, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
