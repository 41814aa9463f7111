"""A measure against costs, as means over the runs: figures whose file says all, without a module of their own."""

from __future__ import annotations

from ..reproduction.evidence import Evidence, FigureResult
from ..reproduction.numbers import number
from ..reproduction.series_spec import RowSpec
from .cases import judge_claims
from .panels import CurveFigure

ROWS = (RowSpec("kernel_evaluations"), RowSpec("cpu_seconds", "The same runs against time"))
"""Rows of a figure whose file has none."""


def make(evidence: Evidence) -> FigureResult:
    """Draw the rows of the figure's file, and judge its claims."""
    figure = CurveFigure(evidence, evidence.spec.rows or ROWS)
    return FigureResult(
        lambda: figure.data,
        figure.draw,
        figure.size,
        claims=judge_claims(evidence),
        numbers=[number(spec, None) for spec in evidence.spec.numbers],
    )
