"""Text for the format pgf: LaTeX sets it, so characters that are its commands, or that its fonts lack, are replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from matplotlib.text import Text
from matplotlib.ticker import Formatter

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COMMANDS: Final = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{letter: f"\\{letter}" for letter in "_$&#{}"},
}
"""matplotlib itself replaces %, ^ and the minus sign."""
_GREEK: Final = dict(
    zip(
        "αβγδεηλνρσ",
        ("alpha", "beta", "gamma", "delta", "varepsilon", "eta", "lambda", "nu", "rho", "sigma"),
        strict=True,
    )
)
_RAISED: Final = {
    letter: rf"\textsuperscript{{{plain}}}" for letter, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True)
}
_CHARACTERS: Final = {
    **_COMMANDS,
    **_RAISED,
    "⁻": r"\textsuperscript{\ensuremath{-}}",
    **{letter: rf"\ensuremath{{\{name}}}" for letter, name in _GREEK.items()},
    **{letter: rf"\ensuremath{{{name}}}" for letter, name in {"‖": r"\|", "≤": r"\leq", "≥": r"\geq"}.items()},
}


def prepare(figure: Figure) -> None:
    """Write all text of a figure for LaTeX; the figure can then be saved as pgf only."""
    for text in figure.findobj(Text):
        if isinstance(text, Text):
            text.set_text(in_latex(text.get_text(), formulas=text.get_parse_math()))
    for axis in (axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)):
        if not isinstance(axis.get_major_formatter(), _Labels):  # axes that share an axis have one formatter
            axis.set_major_formatter(_Labels(axis.get_major_formatter()))
            axis.set_minor_formatter(_Labels(axis.get_minor_formatter()))


def in_latex(text: str, *, formulas: bool) -> str:
    """Return a text as LaTeX prints it; `formulas`: what is between two ``$`` is a formula, and stays."""
    if formulas and text.count("$") % 2 == 0:
        parts = text.split("$")
        parts[::2] = [in_latex(part, formulas=False) for part in parts[::2]]
        return "$".join(parts).replace(r"\mathdefault", "")  # which only matplotlib knows
    return "".join(_CHARACTERS.get(letter, letter) for letter in text)


class _Labels(Formatter):
    """The labels of another formatter, for LaTeX."""

    def __init__(self, plain: Formatter) -> None:
        self._plain = plain

    def __call__(self, x: float, pos: int | None = None) -> str:
        return in_latex(self._plain(x, pos), formulas=True)

    def format_ticks(self, values: list[float]) -> list[str]:
        return [in_latex(label, formulas=True) for label in self._plain.format_ticks(values)]

    def get_offset(self) -> str:
        return in_latex(self._plain.get_offset(), formulas=True)
