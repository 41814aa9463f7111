"""What the paper prints of its data sets, and whether a panel's data are those."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from experiments.papers import printed
from experiments.reproduction.evidence import Panel
from experiments.reproduction.spec import NumberSpec
from experiments.reproduction.verdict import Number

SIZES: Final[Mapping[str, tuple[int, int]]] = {
    "reuters_money_fx": (7770, 3229),
    "adult": (31562, 16282),
    "mnist": (60000, 10000),
    "covtype": (522910, 58102),
}
"""Training and test sizes as Table 2 prints them."""

TRAINING: Final[Mapping[str, int]] = {"reuters_money_fx": 7770, "adult": 32561, "mnist": 60000, "covtype": 522910}
"""Training sizes of the data sets as published: Adult's is printed with two digits exchanged."""


def data_difference(panel: Panel) -> str:
    """Why a panel's data are not those of the paper, in a few words; empty where they are, or where there is no run."""
    return printed.data_difference(panel, TRAINING.get(panel.asked))


def compare_number(spec: NumberSpec, panel: Panel | None, measured: float | None, note: str = "") -> Number:
    """Put a measured number beside a printed one; agreement is asked only where the data are the paper's."""
    return printed.compare_number(spec, "" if panel is None else data_difference(panel), measured, note)
