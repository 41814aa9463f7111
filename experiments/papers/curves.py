"""Any figure of curves: test error against kernel evaluations and against time.

The maker for a figure of one's own, which then is one file of ``conf/figure/``. It judges no claims.
"""

from __future__ import annotations

from experiments.papers.panels import CurveFigure, Row
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made
from experiments.reproduction.verdict import number, undecided

ROWS = (
    Row("kernel_evaluations", "Means over {runs}", bands=True),
    Row("cpu_seconds", "The same runs against time", bands=True),
)


def make(evidence: Evidence) -> Made:
    """Draw the figure."""
    figure = CurveFigure(evidence, ROWS)
    why = "No function judges it: give the figure a maker of its own."
    return Made(
        figure.data,
        figure.draw,
        figure.size,
        claims=[undecided(spec, why) for spec in evidence.spec.claims],
        numbers=[number(spec, None) for spec in evidence.spec.numbers],
    )
