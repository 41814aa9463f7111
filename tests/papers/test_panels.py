"""Names of data sets above panels and in sentences."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.reproduction.evidence import Panel


@pytest.mark.parametrize(
    ("panel", "above", "name"),
    [
        (Panel("digits", "digits"), "a fact", "Digits"),
        (
            Panel("covtype_subset", "covtype", "a part only"),
            "STAND-IN for Forest (covtype); a fact",
            "Forest, part of it (stand-in for Forest (covtype))",
        ),
        (Panel("digits", "digits", "chosen by name"), "NOT THE PAPER'S; a fact", "Digits (not the paper's)"),
    ],
    ids=["the paper's", "stand-in", "chosen by name"],
)
def test_a_stand_in_is_named_above_its_panel(panel: Panel, above: str, name: str) -> None:
    axes = Figure().add_subplot()
    heading(axes, panel, "a fact")
    assert [text.get_text() for text in axes.texts] == [name.split(" (")[0], above]
    assert name_of(panel) == name
