"""A row of panels in a figure of curves: its axes, and which series it shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from svm_cost_curves.experiments.columns import COSTS, MEASURES
from svm_cost_curves.experiments.reproduction.claim_spec import Described
from svm_cost_curves.support.text import nearest

MEASURE: Final = "test_error"
"""The measure of a row that names none."""


@dataclass
class RowSpec(Described):
    """A row of panels.

    Attributes
    ----------
    cost : str
        Column of the curves: the horizontal axis.
    heading : str
        ``{runs}`` in it becomes the number of runs of the means.
    bands : bool
        Whether the spread over runs is drawn.
    series : dict of str to str
        Series by name in the legend; empty: all series.
    facts : dict of str to str
        Text in the upper right corner of a panel, by the paper's data set.
    measure : str
        Column of the curves: the vertical axis.
    compared : bool
        Whether the vertical range is that from the costs at which all curves have begun (`draw_panel`).
    """

    cost: str
    heading: str = "Means over {runs}"
    bands: bool = True
    series: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    measure: str = MEASURE
    compared: bool = True

    def __post_init__(self) -> None:
        """Check the names of the columns. Raises ValueError."""
        for name, known in ((self.cost, COSTS), (self.measure, MEASURES)):
            if name not in known:
                raise ValueError(
                    f"a row has the unknown column {name!r}; known: {', '.join(known)}{nearest(name, known)}"
                )

    def shown(self, names: Iterable[str]) -> dict[str, str]:
        """Return the series to draw, by their names in the legend, among `names`."""
        there = list(names)
        chosen = self.series or {name: name for name in there}
        return {label: name for label, name in chosen.items() if name in there}
