"""Printed sizes of the data sets, and comparison of a panel's data with them."""

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
"""Training sizes of the published data sets; the paper prints Adult's with two digits exchanged."""


def data_difference(panel: Panel) -> str:
    """Say why a panel's data differ from the paper's; empty if they do not, or if there is no run."""
    return printed.data_difference(panel, TRAINING.get(panel.paper_dataset))


def compare_number(spec: NumberSpec, panel: Panel | None, measured: float | None, note: str = "") -> Number:
    """Compare a measured number with a printed one; agreement is judged on the paper's data only."""
    return printed.compare_number(spec, "" if panel is None else data_difference(panel), measured, note)
