"""The methods of the SBP paper: the names of their series, and their styles where points are no curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from svm_cost_curves.experiments.plotting import STYLES, Style

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
