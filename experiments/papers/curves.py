"""Test error against kernel evaluations and CPU time: the module of figures that users define.

It draws the series of a file in ``conf/figure/`` and judges no claims.
"""

from __future__ import annotations

from svm_cost_curves.experiments.papers.cases import unjudged
from svm_cost_curves.experiments.papers.panels import CurveFigure, Row
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.verdict import number

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
