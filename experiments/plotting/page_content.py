"""The content of an interactive page: curves of runs, and the claims that are judged by them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from svm_cost_curves.experiments.plotting.styles import Style

if TYPE_CHECKING:
    import pandas as pd

CHARGED: Final = "charged_evaluations"
"""A cost that only a page has: the iterations times n."""
SUBOPTIMALITY: Final = "suboptimality"
"""A measure that only a page has: (P - L) / L, with L a lower bound on the optimum of P."""


@dataclass(frozen=True)
class RunCurve:
    """The curve of one run, and what a reader wants to know of the run.

    Attributes
    ----------
    dataset, series : str
        Name of the data set and of the curve.
    seed : int
    curve : DataFrame
        With some or all columns of a curve (`experiments.curve`), and perhaps `CHARGED` and `SUBOPTIMALITY`.
    command : str
        Makes the run again.
    settings : mapping of str to str
    """

    dataset: str
    series: str
    seed: int
    curve: pd.DataFrame
    command: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class JudgedReading:
    """A reading of a claim, and the curves by which it is judged.

    Attributes
    ----------
    id, says, outcome, measured : str
    datasets, series : sequence of str
        Names as in `RunCurve`; without series the page shows no button.
    cost, measure : str
        Columns; empty if several or none were read.
    """

    id: str
    says: str
    outcome: str
    measured: str = ""
    datasets: Sequence[str] = ()
    series: Sequence[str] = ()
    cost: str = ""
    measure: str = ""


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its readings; the first is nearest to the paper's words."""

    id: str
    says: str
    readings: Sequence[JudgedReading]


@dataclass(frozen=True)
class Swept:
    """The one number that differs between the curves of an algorithm.

    Attributes
    ----------
    name : str
        Of the setting, for the reader.
    families : sequence of Style
        Of each algorithm.
    places : mapping of str to (int, float)
        For each series its algorithm, a place in `families`, and its number.
    """

    name: str
    families: Sequence[Style]
    places: Mapping[str, tuple[int, float]]


@dataclass(frozen=True)
class Curves:
    """The content of a page.

    Attributes
    ----------
    title : str
    runs : sequence of RunCurve
        At least one. Data sets are listed in the order of their first run.
    styles : mapping of str to Style
        Of each series, in the order of the page.
    datasets : mapping of str to str
        Names of data sets for the reader; others keep theirs.
    claims : sequence of JudgedClaim
    facts : str
        One line below the title: scale, number of runs, stand-ins.
    small_print : str
        Last line: commit, command.
    pictures : sequence of bytes
        PNGs that a browser without scripts shows.
    cost, measure : str
        Columns that are drawn first. If no run has the cost, the one of `STEP_COSTS` that most runs have.
    middle : {"mean", "median"}
        What is drawn first of several runs.
    first : collection of str
        Series that are drawn first; empty: all.
    highlight : str
        Series that is highlighted first; empty: none.
    target : float or None
        The first target, in the unit of the measure; None: one that the page chooses.
    stays : bool
        Whether the target is reached where the mean stays at or below it, or else at a run's first evaluation there.
    swept : Swept or None
        Then the page also draws last values and costs against the number, and the last values first.
    """

    title: str
    runs: Sequence[RunCurve]
    styles: Mapping[str, Style]
    datasets: Mapping[str, str] = field(default_factory=dict)
    claims: Sequence[JudgedClaim] = ()
    facts: str = ""
    small_print: str = ""
    pictures: Sequence[bytes] = ()
    cost: str = ""
    measure: str = "test_error"
    middle: Literal["mean", "median"] = "mean"
    first: Collection[str] = ()
    highlight: str = ""
    target: float | None = None
    stays: bool = True
    swept: Swept | None = None
