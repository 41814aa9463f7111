"""Test error against kernel evaluations and against CPU time: the maker of figures that users define.

Such a figure is one file in ``conf/figure/``. Its claims are not judged.
"""

from __future__ import annotations

from experiments.papers.panels import CurveFigure, Row
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.figure_result import FigureResult
from experiments.reproduction.verdict import number, undecided

ROWS = (
    Row("kernel_evaluations", "Means over {runs}", bands=True),
    Row("cpu_seconds", "The same runs against time", bands=True),
)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure."""
    figure = CurveFigure(evidence, ROWS)
    why = "No function judges it: give the figure a maker of its own."
    return FigureResult(
        figure.data,
        figure.draw,
        figure.size,
        claims=[undecided(spec, why) for spec in evidence.spec.claims],
        numbers=[number(spec, None) for spec in evidence.spec.numbers],
    )
