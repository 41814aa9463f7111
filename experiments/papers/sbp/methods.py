"""The methods of the SBP paper, their styles where points are no curves, and the sizes of its data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ...plotting import STYLES, Style
from ...reproduction.evidence import Panel
from .. import printed

COST: Final = "kernel_evaluations"
METHODS: Final = ("sbp", "pegasos", "sdca", "smo", "perceptron")
"""Series of the paper's methods."""
RIVALS: Final = ("pegasos", "sdca")
"""Methods that do not have to store all responses."""
KEPT: Final = "_kept"
"""Suffix of a rival's series that is charged for updating all responses."""
POINT_STYLES: Final[Mapping[str, Style]] = {name: STYLES[name] for name in METHODS} | {
    "perceptron": replace(STYLES["perceptron"], name="online Perceptron")
}
"""Styles of the methods for points that are no curve against a cost: nothing is dashed after the first epoch."""
TRAINING: Final[Mapping[str, int]] = {"reuters_money_fx": 7770, "adult": 32561, "mnist": 60000, "covtype": 522910}
"""Training sizes of the published data sets; the paper prints Adult's with two digits exchanged."""


def data_difference(panel: Panel | None) -> str:
    """Say why a panel's data differ from the paper's; empty if they do not, or without a panel or a run."""
    return "" if panel is None else printed.data_difference(panel, TRAINING.get(panel.paper_dataset))
