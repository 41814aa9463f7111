"""Figure 1: test error against the size of the approximation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column, value_at
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.asset import sweep
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, judge_claims
from svm_cost_curves.experiments.papers.panels import called, heading, name_of
from svm_cost_curves.experiments.plotting import INK, STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import (
    Interval,
    above,
    at_most,
    bootstrap_means,
    difference,
    trend,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

EXACT: Final = "svmlight"
"""Series with the exact kernel, which has no s."""
COSINES: Final = "fourier"
"""Series that solves the linear SVM on random features: ``asset_online`` after many epochs. One run has all sizes."""
FIRST: Final = 5
"""First iteration of `COSINES` that counts: 32 features."""
ONE_EPOCH: Final = "asset, one epoch"
"""The runs of ASSET after one epoch, when they have seen as many examples as a stream."""

Errors = NDArray[np.float64]
"""Test errors of runs in per cent, (runs,)."""
DataSets = Sequence[sweep.Swept[Errors]]
"""By series and s."""


def swept_methods(spec: FigureSpec) -> list[str]:
    """Series that are swept over s, in the figure's order."""
    return [series.name for series in spec.series if series.grid]


def all_sizes(evidence: Evidence) -> DataSets:
    """Return the errors on all data sets, those of ASSET after one epoch besides."""
    data = sweep.measured(evidence, swept_methods(evidence.spec), sweep.last_errors, whole=True)
    early = sweep.measured(evidence, ["asset"], _errors_after_one_epoch, whole=True)
    exact = sweep.measured(evidence, [EXACT], sweep.last_errors, whole=True)
    complete = []
    for one, one_early, one_exact in zip(data, early, exact, strict=True):
        others = {
            ONE_EPOCH: one_early.of.get("asset", {}),
            COSINES: _errors_of_pairs(sweep.runs_of(one.panel, COSINES)),
        }
        known = {name: errors for name, errors in others.items() if errors}
        complete.append(sweep.Swept(one.panel, {**one.of, **known, **one_exact.of}))
    return complete


def _errors_after_one_epoch(frames: sweep.Frames) -> Errors:
    curves = [(column(frame, "epochs"), column(frame, "test_error")) for frame in frames]
    return np.array([100 * float(value_at(*curve, [1.0])[0]) for curve in curves])


def _errors_of_pairs(frames: sweep.Frames) -> dict[float, Errors]:
    """Return the errors by the number of features: iteration k of a run has 2^(k - 1) pairs of cosine and sine.

    Smaller problems are left out: with a large C some are not solved to the relative gap in 10,000 epochs.
    """
    errors: dict[int, list[float]] = {}
    for frame in frames:
        rows = frame[column(frame, "iterations") >= FIRST]
        for iteration, error in dict(zip(column(rows, "iterations"), column(rows, "test_error"), strict=True)).items():
            errors.setdefault(2 ** int(iteration), []).append(100 * error)
    return {d: np.array(errors[d]) for d in sorted(errors)}


def _shared(one: sweep.Swept[Errors], first: str, second: str, least: float = 0.0) -> tuple[list[Errors], list[Errors]]:
    """Return the errors of two methods at the sizes that both have; the exact one is compared at the largest."""
    errors, others = one.of.get(first, {}), one.of.get(second, {})
    if second == EXACT and errors and others:
        others = {max(errors): others[0]}
    sizes = [s for s in errors if s in others and s >= least]
    return [errors[s] for s in sizes], [others[s] for s in sizes]


@dataclass(frozen=True, kw_only=True)
class GainByDoubling(Statistic):
    """The error that a method gains when s doubles is above 0; on some data sets a small s is enough instead.

    Attributes
    ----------
    methods : list of str
        Series; one case for each.
    over : str
        The gain is the slope over ``all`` sizes against log2 s, or that of the ``last`` doubling.
    enough_on : list of str
        The paper's data sets on which the error at the size `small` is to be at most `enough` points above that at the
        largest size.
    small, enough : float
    """

    methods: list[str]
    over: Literal["all", "last"] = "all"
    enough_on: list[str]
    small: float
    enough: float

    def findings(self, data: DataSets, evidence: Evidence) -> Findings:
        """Measure the gain, or the excess of the small size, on each data set."""
        return Findings([self._case(one, method) for one in data for method in self.methods])

    def _case(self, one: sweep.Swept[Errors], method: str) -> Case:
        errors, about = one.of.get(method, {}), _about(one, method)
        if one.panel.paper_dataset in self.enough_on:
            largest, decide = max(errors, default=0), partial(at_most, limit=self.enough)
            known = self.small in errors and self.small < largest
            excess = difference([errors[self.small]], [errors[largest]]) if known else None
            text = f"at s = {self.small:g} {{}} points above that at the largest s"
            return sweep.interval_case(one.panel, f"enough {method}", excess, text, decide, about=about)
        sizes = list(errors) if self.over == "all" else list(errors)[-2:]
        gain = trend(sizes, [errors[s] for s in sizes], lambda means: -means) if len(errors) > 2 else None
        return sweep.interval_case(one.panel, f"gain {method}", gain, "doubling s gains {} points", about=about)


@dataclass(frozen=True, kw_only=True)
class ErrorDifference(Statistic):
    """The error of a method less that of another, at each size or as mean over all sizes, is above a number of points.

    Attributes
    ----------
    first, second : list of str
        Series, compared each with each: ``svmlight``, which has no s, with the largest s of the other.
    each_size : bool
        Whether each size is a case.
    least : float
        The least s.
    by, slack : float
        The limit, and what is taken from it for noise, in points.
    datasets : list of str
        The paper's data sets; empty: all.
    largest : bool
        Whether the difference is to be above those on all other data sets, instead of the limit.
    largest_on : str
        The paper's data set on which the difference of the first pair is to be so besides; empty: none.
    """

    first: list[str]
    second: list[str]
    each_size: bool = False
    least: float = 0.0
    by: float = 0.0
    slack: float = 0.0
    datasets: list[str] = field(default_factory=list)
    largest: bool = False
    largest_on: str = ""

    def findings(self, data: DataSets, evidence: Evidence) -> Findings:
        """Compare each pair on each data set."""
        chosen = [one for one in data if not self.datasets or one.panel.paper_dataset in self.datasets]
        cases: list[Case] = []
        for one, first, second in product(chosen, self.first, self.second):
            if self.each_size and (at_sizes := self._at_sizes(one, first, second)):
                cases += at_sizes
            else:
                cases.append((self._largest if self.largest else self._difference)(data, one, first, second))
        hardest = [one for one in data if one.panel.paper_dataset == self.largest_on]
        return Findings([*cases, *(self._largest(data, one, self.first[0], self.second[0]) for one in hardest)])

    def _at_sizes(self, one: sweep.Swept[Errors], first: str, second: str) -> list[Case]:
        errors, others = one.of.get(first, {}), one.of.get(second, {})
        text, decide = f"{{}} points above {_name(second)}", partial(above, limit=self.by - self.slack)
        cases = []
        for s in [s for s in errors if s in others and s >= self.least]:
            key, about = f"{first} {second} s={s}", f"{called(one.panel)}, d = {s:,}"
            interval = difference([errors[s]], [others[s]])
            cases.append(sweep.interval_case(one.panel, key, interval, text, decide, about=about))
        return cases

    def _difference(self, data: DataSets, one: sweep.Swept[Errors], first: str, second: str) -> Case:
        interval = difference(*_shared(one, first, second, self.least))
        text, decide = f"{{}} points above {_name(second)}", partial(above, limit=self.by - self.slack)
        return sweep.interval_case(one.panel, f"{first} {second}", interval, text, decide, about=_about(one, first))

    def _largest(self, data: DataSets, one: sweep.Swept[Errors], first: str, second: str) -> Case:
        sides = {other: _shared(other, first, second, self.least) for other in data}
        known = {other: groups for other, groups in sides.items() if groups[0]}
        lead = _lead([*known.values()], [*known].index(one)) if one in known and len(known) > 1 else None
        text = "gap {} points larger than elsewhere"
        return sweep.interval_case(one.panel, f"largest {first} {second}", lead, text, about=_about(one, first))


def _lead(sides: Sequence[tuple[list[Errors], list[Errors]]], k: int) -> Interval:
    """Return the k-th difference of mean errors, first less second, less the largest of the others."""
    ends = np.cumsum([2 * len(first) for first, _ in sides])[:-1]

    def statistic(means: NDArray[np.float64]) -> NDArray[np.float64]:
        # each data set has equally many columns of either method
        halves = [np.split(columns, 2, axis=1) for columns in np.split(means, ends, axis=1)]
        gaps = np.stack([first.mean(axis=1) - second.mean(axis=1) for first, second in halves], axis=1)
        lead: NDArray[np.float64] = gaps[:, k] - np.delete(gaps, k, axis=1).max(axis=1)
        return lead

    return bootstrap_means(statistic, [errors for first, second in sides for errors in (*first, *second)])


@dataclass(frozen=True, kw_only=True)
class DoublingsToError(Statistic):
    """Other methods need more than the size s of a method for its error: the doublings of s are above 0.

    Attributes
    ----------
    method : str
        Series.
    others : list of str
        Series; one case for each.
    same : float
        Points above the method's error that count as the same error.
    """

    method: str
    others: list[str]
    same: float

    def findings(self, data: DataSets, evidence: Evidence) -> Findings:
        """Count the doublings on each data set."""
        return Findings([self._case(one, other) for one in data for other in self.others])

    def _case(self, one: sweep.Swept[Errors], other: str) -> Case:
        groups, others = _shared(one, self.method, other)
        doublings = self._doublings(groups, others) if groups else None
        text = f"{{}} doublings behind {_name(self.method)}"
        return sweep.interval_case(one.panel, f"doublings {other}", doublings, text, about=_about(one, other))

    def _doublings(self, groups: list[Errors], others: list[Errors]) -> Interval:
        """Return the mean over the method's sizes of the doublings of s by which another reaches its error.

        Where it does not, twice its largest s counts: a lower bound.
        """
        k = len(groups)

        def statistic(means: NDArray[np.float64]) -> NDArray[np.float64]:
            reached = means[:, None, k:] <= means[:, :k, None] + self.same  # (m, the method's size, the other's size)
            first = np.where(reached.any(axis=2), reached.argmax(axis=2), k)
            mean: NDArray[np.float64] = (first - np.arange(k)).mean(axis=1)
            return mean

        return bootstrap_means(statistic, [*groups, *others])


def _about(one: sweep.Swept[Errors], method: str) -> str:
    return f"{called(one.panel)}, {_name(method)}"


def _name(method: str) -> str:
    return "ASSET after one epoch" if method == ONE_EPOCH else STYLES[method].name


STATISTICS = {
    "gain_by_doubling": GainByDoubling,
    "error_difference": ErrorDifference,
    "doublings_to_error": DoublingsToError,
}
_CAPTION: Final = (
    "Means over the runs, bands from the least to the largest. Dotted: SVMlight, with the exact kernel. "
    "s: points sampled, basis vectors, or random features."
)


def _draw(figure: Figure | SubFigure, shown: DataSets, names: Sequence[str]) -> None:
    """Draw one panel per data set."""
    styles = [STYLES[name] for name in names if any(name in one.of for one in shown)]
    for axes, one in layout.each_panel(figure, shown, styles, [_CAPTION], sweep.HEAD, ("$s$", "Test error, %")):
        for name in names:
            if name in one.of:
                layout.draw_band(axes, sweep.band_of(one.of[name]), STYLES[name], steps=False)
        if EXACT in one.of:
            _draw_exact(axes, float(one.of[EXACT][0].mean()))
        layout.doubling_axis(axes, list(map(int, one.values[:: 2 if len(one.values) > 5 else 1])))
        low, high = axes.get_ylim()
        layout.plain_ticks(axes.yaxis, range(1, 10) if high / low < 3 else (1.0, 2.0, 5.0))
        heading(axes, one.panel)


def _draw_exact(axes: Axes, error: float) -> None:
    axes.axhline(error, color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1.5)
    low, high = axes.get_ylim()
    axes.set_ylim(low * (low / high) ** 0.06, high)  # free room below the line, for its label
    below: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "top"}
    axes.annotate(f"SVMlight {error:.2f} %", (0.0, error), (3, -3), **below, color=INK)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claims."""
    data, names = all_sizes(evidence), [*swept_methods(evidence.spec), COSINES]
    shown = [one for one in data if one.values]
    rows = [
        (one.panel, {"series": method, "s": s, **sweep.error_columns(errors)})
        for one in data
        for method, s, errors in one.items()
    ]
    return FigureResult(
        sweep.points(rows, "series s error sd runs"),
        partial(_draw, shown=shown, names=names),
        layout.size(len(shown), sweep.HEAD),
        table=partial(_table, shown, [names[0], ONE_EPOCH, *names[1:]]),
        claims=judge_claims(evidence, data=data),
    )


def _table(shown: DataSets, names: Sequence[str]) -> Table:
    heads = ["one epoch" if name == ONE_EPOCH else _name(name) for name in names]
    rows = []
    for one in shown:
        exact = one.get(EXACT, 0)
        for s in one.values:
            cells = [sweep.error_text(one.get(name, s)) for name in names]
            rows.append([name_of(one.panel), f"{s:,}", *cells, "" if exact is None else f"{exact.mean():.2f}"])
    notes = [
        "Test error in per cent: mean over the runs ± standard deviation, at the end of the runs. One epoch: the same "
        "runs of ASSET earlier. A run on a stream ends after one epoch; the paper ran it for 1,000. Fourier features: "
        "the linear SVM on random features, solved by dual coordinate descent to a relative gap of 0.001. CPSP may end "
        "with fewer than s basis vectors; then its runs with a larger s are the same."
    ]
    return Table(["data set", "s", *heads, _name(EXACT)], rows, notes)
