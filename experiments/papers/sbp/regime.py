"""Table 1 in the regime of its bounds: the number of examples grows as the wanted error falls (equation 3.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...plotting import STYLES
from ...plotting.bands import Band
from ...reproduction.evidence import Evidence, FigureResult, Panel, Table
from ...reproduction.statistics.interval import MISSING, Interval, at_most
from ...reproduction.statistics.regression import exponent
from .. import layout
from ..cases import Case, Statistic, case_on, interval_text, judge_claims
from ..panels import heading, name_of
from ..samples import samples
from .growth import ErrorCosts, points_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXAMPLES: Final = 40.0
"""n times the wanted error; a constant that equation 3.5 leaves open."""
EXPONENTS: Final[Mapping[str, int]] = {"sbp": 1, "smo": 2, "pegasos": 3}
"""Exponents of 1/ε in the right column of Table 1."""

Sizes = Mapping[int, ErrorCosts]
"""Kernel evaluations to the wanted error, by rising n."""


def sizes_of(evidence: Evidence, panel: Panel, method: str) -> Sizes:
    """Return a method's runs, each iteration charged n evaluations; sizes without runs are left out."""
    by_size = {int(sample.value): sample for sample in samples(evidence, [method], [panel])}
    points = {n: points_of(sample.frames, "iterations", n) for n, sample in by_size.items()}
    return {n: ErrorCosts(runs, np.array([EXAMPLES / n])) for n, runs in points.items() if runs}


def growth(sizes: Sizes, less: Sizes | None = None) -> Interval | None:
    """Return a in evaluations ~ (1/ε)^a, with its interval over the runs; with `less`, a - the a of `less`.

    The difference is taken over the sizes that both have. None with fewer than `LEAST_POINTS` errors that are reached.
    """
    common = [n for n in sizes if less is None or n in less]
    second = () if less is None else _costs([less[n] for n in common])
    return exponent([n / EXAMPLES for n in common], *_costs([sizes[n] for n in common]), *second)


def _costs(sizes: Sequence[ErrorCosts]) -> tuple[Callable[..., NDArray[np.float64]], list[int]]:
    """Return the function from the runs drawn of each size to the sizes' costs, and the numbers of runs."""
    return (
        lambda *runs: np.hstack([size.costs_of(chosen) for size, chosen in zip(sizes, runs, strict=True)]),
        [size.runs for size in sizes],
    )


@dataclass(frozen=True)
class Scaling:
    """The methods' runs on growing numbers of examples of one data set."""

    panel: Panel
    sizes: Mapping[str, Sizes]
    """By method."""

    @cached_property
    def exponents(self) -> dict[str, Interval | None]:
        """Growth of each method's evaluations."""
        return {method: growth(sizes) for method, sizes in self.sizes.items()}

    @cached_property
    def differences(self) -> dict[str, Interval | None]:
        """The SBP's growth exponent - the exponent of each other method."""
        return {rival: growth(self.sizes["sbp"], self.sizes[rival]) for rival in ("smo", "pegasos")}

    @cached_property
    def points(self) -> pd.DataFrame:
        """The evaluations of each method at each size; inf: the error is not reached; 0: from the start."""
        rows = [
            (self.panel.dataset, method, n, size.targets[0], size.costs[0], size.runs)
            for method, sizes in self.sizes.items()
            for n, size in sizes.items()
        ]
        return pd.DataFrame(rows, columns=COLUMNS)


COLUMNS: Final = ["dataset", "series", "n", "error", "evaluations", "runs"]


@dataclass(frozen=True, kw_only=True)
class GrowthWithinBounds(Statistic, kind="growth_within_bounds"):
    """Each method's exponent is at most its bound's, and the SBP's is below the others'."""

    logs: float
    """Added to the bounds' exponents, for their log factors over the range of the errors."""

    def cases(self, scaling: Scaling, evidence: Evidence) -> Iterator[Case]:
        """Compare each exponent with its bound, and the SBP's with the others'."""
        for method, interval in scaling.exponents.items():
            label, limit = f"{STYLES[method].name} within its bound", EXPONENTS[method] + self.logs
            yield _case(scaling.panel, label, interval, limit)
        for method, interval in scaling.differences.items():
            yield _case(scaling.panel, f"SBP less {STYLES[method].name}", interval, 0.0)


def _case(panel: Panel, label: str, interval: Interval | None, limit: float) -> Case:
    if interval is None:
        return case_on(panel, label, MISSING, note="too few of the wanted errors are reached", about=label)
    text = f"exponent {interval_text(interval, '.2f')}"
    return case_on(panel, label, at_most(interval, limit), text, {"exponent": interval.as_dict()}, about=label)


_CAPTION: Final = (
    f"Kernel evaluations from which on the mean test error over the runs is at most ε; n = {EXAMPLES:g}/ε examples.\n"
    "Dotted: the bounds 1/ε (SBP), 1/ε² (SMO) and 1/ε³ (Pegasos), each through its method's first symbol."
)


def make(evidence: Evidence) -> FigureResult:
    """Draw the evaluations against 1/ε and judge the claim."""
    scalings = [
        Scaling(panel, {method: sizes_of(evidence, panel, method) for method in EXPONENTS}) for panel in evidence.panels
    ]
    drawn = [scaling for scaling in scalings if len(scaling.points)]
    rows = [
        [
            *(name_of(scaling.panel), STYLES[row["series"]].name, f"{row['n']:,}"),
            *(f"{row['error']:g}", f"{row['evaluations']:.3g}", str(row["runs"])),
        ]
        for scaling in drawn
        for row in scaling.points.to_dict("records")
    ]
    return FigureResult(
        lambda: pd.concat([scaling.points for scaling in drawn]) if drawn else pd.DataFrame(columns=COLUMNS),
        *layout.drawing(
            drawn, [STYLES[method] for method in EXPONENTS], _CAPTION, ("1/ε", "Kernel evaluations"), _draw, columns=1
        ),
        table=partial(Table, ["data set", "method", "n", "ε", "evaluations", "runs"], rows),
        claims=judge_claims(evidence, data=scalings),
    )


def _draw(axes: Axes, scaling: Scaling) -> None:
    """Draw one data set, and each method's bound through its first point."""
    points = scaling.points
    for method, bound in EXPONENTS.items():
        positive = points[(points["series"] == method) & points["evaluations"].between(0, np.inf, inclusive="neither")]
        if not positive.empty:
            x, y = 1 / positive["error"].to_numpy(), positive["evaluations"].to_numpy()
            layout.draw_line(axes, Band(x, y, y, y, 1), STYLES[method], steps=False)
            line, color = y[0] * (x / x[0]) ** bound, STYLES[method].color
            axes.plot(x, line, color=color, linewidth=1.1, linestyle=(0, (0.8, 1.6)))
    layout.plain_ticks(axes.xaxis)
    heading(axes, scaling.panel, f"to {points['n'].max():,}")
