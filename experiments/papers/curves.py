"""Test error against kernel evaluations and CPU time: the module of figures that users define.

It draws the series of a file in ``conf/figure/`` and judges no claims.
"""

from __future__ import annotations

from experiments.papers.cases import unjudged
from experiments.papers.panels import CurveFigure, Row
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.figure_result import FigureResult
from experiments.reproduction.verdict import number

ROWS = (
    Row("kernel_evaluations", "Means over {runs}", bands=True),
    Row("cpu_seconds", "The same runs against time", bands=True),
)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure."""
    figure = CurveFigure(evidence, ROWS)
    why = "The figure has no function that judges it."
    return FigureResult(
        figure.data,
        figure.draw,
        figure.size,
        claims=[unjudged(spec, why) for spec in evidence.spec.claims],
        numbers=[number(spec, None) for spec in evidence.spec.numbers],
    )
