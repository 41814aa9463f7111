"""How verdicts and numbers are put into words, the same on every page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from experiments.reproduction.verdict import Claim, Number, Ruling, combined, in_words

State = Ruling | Literal["no_claim", "not_made", "damaged"]
"""What the scorecard says of a figure: its ruling, or why there is none."""


@dataclass(frozen=True)
class Word:
    """A state in words, with a symbol that tells it from the others without colour."""

    symbol: str
    text: str


WORDS: Final[Mapping[State, Word]] = {
    "reproduced": Word("\N{CHECK MARK}", in_words("reproduced")),
    "partly": Word("\N{CIRCLE WITH LEFT HALF BLACK}", in_words("partly")),
    "not_reproduced": Word("\N{BALLOT X}", in_words("not_reproduced")),
    "not_applicable": Word("\N{EN DASH}", in_words("not_applicable")),
    "no_claim": Word("\N{MIDDLE DOT}", "nothing to judge"),
    "not_made": Word("\N{WHITE CIRCLE}", "not made"),
    "damaged": Word("!", "damaged"),
}

NOTHING: Final = "\N{EM DASH}"
"""In the place of a number that there is not."""


_AGREEMENT: Final[Mapping[bool | None, tuple[Ruling, str]]] = {
    True: ("reproduced", "agrees"),
    False: ("not_reproduced", "differs"),
    None: ("not_applicable", "not judged"),
}


def state_of(claims: Sequence[Claim], numbers: Sequence[Number]) -> State:
    """State of a figure: that of its claims together; where it has none, that of its numbers."""
    if claims:
        return combined([claim.verdict for claim in claims])
    return combined([_AGREEMENT[number.agrees][0] for number in numbers]) if numbers else "no_claim"


def agreement(numbers: Sequence[Number]) -> str:
    """``5 of 6 agree``, of those that can be judged; empty where there is no number."""
    judged = [number.agrees for number in numbers if number.agrees is not None]
    if judged:
        return f"{sum(judged)} of {len(judged)} agree"
    return "not judged" if numbers else ""


_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def quantity(value: float | None, unit: str = "", *, sign: bool = False) -> str:
    """Write a number with four significant digits: ``14.9 %``, ``126,000``, ``6.34×10⁻⁴``."""
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
    """A paper's number beside ours, in words; the columns of the table of numbers.

    `difference` is a ratio where no difference counts as agreement.
    """

    name: str
    paper: str
    ours: str
    difference: str
    tolerance: str
    state: State
    agrees: str
    note: str


def comparison(number: Number) -> Comparison:
    """Put a paper's number beside ours, and the difference beside the largest that counts as agreement."""
    state, agrees = _AGREEMENT[number.agrees]
    return Comparison(
        name=number.name,
        paper=quantity(number.paper, number.unit),
        ours=quantity(number.measured, number.unit),
        difference=_difference(number),
        tolerance="" if number.tolerance is None else f"\N{PLUS-MINUS SIGN}{quantity(number.tolerance)}",
        state=state,
        agrees=agrees if number.measured is not None else "not measured",
        note=number.note,
    )


def _difference(number: Number) -> str:
    if number.measured is None:
        return NOTHING
    if number.tolerance is None and number.paper:
        # seconds on another machine: what can be compared is how many times as many
        return "\N{MULTIPLICATION SIGN}" + quantity(number.measured / number.paper)
    if math.isclose(number.measured, number.paper, rel_tol=1e-9):
        return quantity(0.0)  # what is left of equal numbers is rounding
    return quantity(number.measured - number.paper, sign=True)


def command_for(figure: str, scale: str = "paper") -> str:
    """Return the command that makes a figure."""
    return f"python reproduce.py figure={figure} scale={scale}"
