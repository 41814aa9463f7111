"""Training sizes of the published data sets, and comparison of a panel's data with the paper's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from svm_cost_curves.experiments.papers import printed
from svm_cost_curves.experiments.reproduction.evidence import Panel

TRAINING: Final[Mapping[str, int]] = {"reuters_money_fx": 7770, "adult": 32561, "mnist": 60000, "covtype": 522910}
"""Training sizes of the published data sets; the paper prints Adult's with two digits exchanged."""


def data_difference(panel: Panel | None) -> str:
    """Say why a panel's data differ from the paper's; empty if they do not, or without a panel or a run."""
    return "" if panel is None else printed.data_difference(panel, TRAINING.get(panel.paper_dataset))
