"""Verdicts, numbers and facts as text, the same on every page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from ....support.text import command_line, power_of_ten
from ...provenance import UNCOMMITTED
from ..numbers import TIMES, Number, NumberOutcome
from ..statistics.interval import LEAST_RUNS, Ruling
from ..verdict import Claim, Outcome, Verdict, in_words, outcome_of

State = Outcome | Literal["holds", "mostly_holds", "fails", "no_claim", "not_made", "damaged"]
"""What a page shows for a figure or a claim: its outcome, or the reason why there is none.

``holds``, ``mostly_holds`` and ``fails`` are the outcomes of a claim that is checked, not reproduced.
"""

_CHECKED: Final[Mapping[State, State]] = {"reproduced": "holds", "mostly": "mostly_holds", "contradicted": "fails"}
_RULINGS: Final[Mapping[NumberOutcome, Ruling]] = {"agrees": "holds", "differs": "fails", "too few runs": "unclear"}
_OUTCOMES: Final[Mapping[NumberOutcome, State]] = {
    "agrees": "reproduced",
    "differs": "contradicted",
    "too few runs": "unclear",
    "not judged": "not_testable",
}


@dataclass(frozen=True)
class Label:
    """A state as text, and a symbol that distinguishes it from the others without colour."""

    symbol: str
    text: str

    def __str__(self) -> str:
        return f"{self.symbol} {self.text}"


LABELS: Final[Mapping[State, Label]] = {
    "reproduced": Label("\N{CHECK MARK}", in_words("reproduced")),
    "holds": Label("\N{CHECK MARK}", in_words("reproduced", "checked")),
    "trivial": Label("\N{LESS-THAN OR EQUAL TO}", in_words("trivial")),
    "mostly": Label("\N{CIRCLE WITH UPPER RIGHT QUADRANT BLACK}", in_words("mostly")),
    "mostly_holds": Label("\N{CIRCLE WITH UPPER RIGHT QUADRANT BLACK}", in_words("mostly", "checked")),
    "mixed": Label("\N{CIRCLE WITH LEFT HALF BLACK}", in_words("mixed")),
    "unclear": Label("?", in_words("unclear")),
    "contradicted": Label("\N{BALLOT X}", in_words("contradicted")),
    "fails": Label("\N{BALLOT X}", in_words("contradicted", "checked")),
    "not_testable": Label("\N{EN DASH}", in_words("not_testable")),
    "no_claim": Label("\N{MIDDLE DOT}", "nothing to judge"),
    "not_made": Label("\N{WHITE CIRCLE}", "not made"),
    "damaged": Label("!", "damaged"),
}

NOTHING: Final = "\N{EM DASH}"
"""Stands in a table where there is no number."""


RULINGS: Final[Mapping[Ruling, str]] = {
    "holds": "\N{CHECK MARK} holds",
    "trivial": "\N{CHECK MARK} holds trivially",
    "fails": "\N{BALLOT X} fails",
    "unclear": "? unclear",
    "missing": "not run",
    "beside": "not counted",
}
"""Rulings on cases, as pages show them."""


def counted(claims: Sequence[Claim]) -> str:
    """Return how many claims have each outcome, by its sign: ``✓ 3, ◔ 2 of 5``; empty without claims."""
    return tallied([*map(claim_state, claims)])


def tallied(states: Sequence[State]) -> str:
    """Return the number of times each state occurs, beside its sign; `counted` does this for claims."""
    signs = Counter(LABELS[state].symbol for state in sorted(states, key=[*LABELS].index))  # in the order of `LABELS`
    return f"{', '.join(f'{sign} {count}' for sign, count in signs.items())} of {len(states)}" if states else ""


def rounded(count: int) -> str:
    """Return a number of runs with one digit: 627 is an estimate of some 600."""
    digits = 10 ** max(len(str(count)) - 1, 0)
    return f"{round(count / digits) * digits:,}"


def claim_state(claim: Claim) -> State:
    """Return the state of a claim: its outcome, by other words where it is checked."""
    return _CHECKED.get(claim.verdict, claim.verdict) if claim.type == "checked" else claim.verdict


def state_of(claims: Sequence[Claim], numbers: Sequence[Number]) -> State:
    """Return the state of a figure: its claims combined; without claims, its numbers combined.

    Equal states stay. ``reproduced``, ``holds`` and ``trivial`` are reproduced together; with claims that mostly hold
    or are not testable they are ``mostly``; anything else is ``mixed``.
    """
    if not claims:
        rulings = [_RULINGS[number.outcome] for number in numbers if number.outcome != "not judged"]
        return outcome_of(rulings) if numbers else "no_claim"
    states = {claim_state(claim) for claim in claims}
    if len(states) == 1:
        return states.pop()
    if states <= {"holds", "trivial"}:
        return "holds"
    if states <= {"reproduced", "holds", "trivial"}:
        return "reproduced"
    held = {"reproduced", "holds", "trivial", "mostly", "mostly_holds", "not_testable"}
    return "mostly" if states <= held else "mixed"


def agreement(numbers: Sequence[Number]) -> str:
    """Return how many of the numbers that can be judged agree; empty without numbers.

    ``5 of 9 agree, 3 have too few runs``.
    """
    judged = Counter(number.outcome for number in numbers if number.outcome != "not judged")
    if not judged:
        return "not judged" if numbers else ""
    few = f", {judged['too few runs']} have too few runs" if judged["too few runs"] else ""
    return f"{judged['agrees']} of {judged.total()} agree{few}"


def quantity(value: float | None, unit: str = "", *, sign: bool = False) -> str:
    """Return a number with four significant digits: ``14.9 %``, ``126,000``, ``6.34×10⁻⁴``."""
    if value is None or not abs(value) < 1e300:  # JSON has integers that no float holds
        return NOTHING
    prefix = "\N{MINUS SIGN}" if value < 0 else "+" if sign and value > 0 else ""
    size = abs(value)
    if size and not 0.000_999_95 <= size < 9_999_500:
        digits, _, exponent = f"{size:.3e}".partition("e")
        text = f"{float(digits):g}\N{MULTIPLICATION SIGN}{power_of_ten(int(exponent))}"
    else:
        text = f"{size:,.0f}" if size >= 999.95 else f"{size:.4g}"
    return prefix + text + (f"\N{NO-BREAK SPACE}{unit}" if unit else "")


@dataclass(frozen=True)
class Comparison:
    """A paper's number and ours as text: one row of the table of numbers."""

    name: str
    paper: str
    ours: str
    """With the interval of several runs: ``15.17 % [14.94, 15.42] (10 runs)``."""
    limit: str
    """Largest difference, or factor, with which the two agree."""
    state: State
    outcome: str
    note: str


def comparison(number: Number) -> Comparison:
    """Compare a paper's number with ours."""
    return Comparison(
        name=number.name,
        paper=quantity(number.paper, number.unit),
        ours=_ours(number),
        limit=_limit(number),
        state=_OUTCOMES[number.outcome],
        outcome=number.outcome if number.measured is not None else "not measured",
        note=number.note,
    )


def _ours(number: Number) -> str:
    mean = quantity(number.measured, number.unit)
    if number.runs < 2:
        return mean
    limits = f"{quantity(number.low)}, {quantity(number.high)}"
    interval = f"[{limits}]" if number.runs >= LEAST_RUNS else f"range {limits}"
    return f"{mean} {interval} ({number.runs} runs)"


def _limit(number: Number) -> str:
    if number.limit is None:
        return ""
    if number.unit == TIMES:
        return f"a factor of {number.limit:g}"
    return f"\N{PLUS-MINUS SIGN}{quantity(number.limit)}" if number.limit else "equal"


def section_text(section: str) -> str:
    """Return a place in a paper as text: ``section 4.2``; ``Figure 2`` stays."""
    return f"section {section}" if section[:1].isdigit() else section


def command_for(figure: str, scale: str = "paper") -> str:
    """Return the command that makes a figure."""
    return command_line("reproduce", f"figure={figure}", f"scale={scale}")


def limitations(verdict: Verdict) -> list[tuple[str, str, str]]:
    """Return what restricts a verdict: kind, name of the data set or series, and reason."""
    uncommitted = {
        commit.removesuffix(f" {UNCOMMITTED}")[:12]: f"runs were made {UNCOMMITTED}"
        for commit in verdict.run_commits
        if commit.endswith(UNCOMMITTED)
    }
    if verdict.dirty:
        uncommitted[(verdict.commit or "no commit")[:12]] = f"the figure was made {UNCOMMITTED}"
    groups = {
        "Stand-in data": verdict.stand_in,
        "Not available": verdict.absent,
        "Runs missing": verdict.missing,
        "Left out": verdict.left_out,
        "Disturbed timed runs": verdict.disturbed,
        "Uncommitted changes": uncommitted,
    }
    return [(kind, name, reason) for kind, reasons in groups.items() for name, reason in reasons.items()]


def facts(verdict: Verdict) -> list[tuple[str, str]]:
    """Return how a figure was made, apart from the command: those facts that are known, each a name and a text."""
    changed = f" {UNCOMMITTED}" if verdict.dirty else ""
    cores = verdict.machine.get("cores")
    machine = [verdict.machine.get("cpu"), f"{cores} cores" if cores else "", verdict.machine.get("os")]
    texts = {
        "Data": ", ".join(verdict.data_sets),
        "Seeds, at most": "" if verdict.seeds is None else str(verdict.seeds),
        "Commit": (verdict.commit or "not recorded") + changed,
        "Commits of its runs": ", ".join(commit for commit in verdict.run_commits if commit != verdict.commit),
        "Made": moment(verdict.made),
        "Judged again at commit": verdict.judged_at,
        "Machine": ", ".join(str(part) for part in machine if part),
        "Versions": ", ".join(f"{name} {version}" for name, version in verdict.versions.items()),
    }
    return [(name, text) for name, text in texts.items() if text]


def moment(text: str) -> str:
    """Return an ISO time in UTC to the minute; any other text as it is."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{time:%Y-%m-%d %H:%M}" if time.tzinfo is None else f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
