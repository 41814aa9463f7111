"""Figure 1: test error against the size of the approximation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pandas as pd

from ...curve import column, value_at
from ...plotting import INK, STYLES
from ...reproduction.evidence import Evidence, FigureResult, Table
from ...reproduction.statistics.comparison import difference
from ...reproduction.statistics.interval import Interval, above, at_most, bootstrap_means
from ...reproduction.statistics.regression import trend
from .. import layout
from ..cases import Case, Findings, Statistic, judge_claims
from ..panels import called, heading, name_of
from . import sweep
from .sweep import Values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXACT: Final = "svmlight"
"""Series with the exact kernel, which has no s."""
COSINES: Final = "fourier"
"""Series that solves the linear SVM on random features: ``asset_online`` after many epochs. One run has all sizes."""
ONE_EPOCH: Final = "asset, one epoch"
"""The runs of ASSET after one epoch, when they have seen as many examples as a stream."""

Errors = sweep.Swept[Values]
"""One data set: test errors of runs in per cent, by series and s."""


def all_sizes(evidence: Evidence, methods: Sequence[str]) -> list[Errors]:
    """Return the methods' errors on each data set, also those of ASSET after one epoch and of the exact method."""
    data, exact = (sweep.measured(evidence, names, sweep.last_errors, whole=True) for names in (methods, [EXACT]))
    early = sweep.measured(evidence, ["asset"], _errors_after_one_epoch, whole=True)
    complete = []
    for swept, swept_early, swept_exact in zip(data, early, exact, strict=True):
        cosines = _errors_of_pairs(sweep.runs_of(swept.panel, COSINES))
        extra = {ONE_EPOCH: swept_early.of.get("asset", {}), COSINES: cosines}
        measured = {name: errors for name, errors in extra.items() if errors}
        complete.append(sweep.Swept(swept.panel, {**swept.of, **measured, **swept_exact.of}))
    return complete


def _errors_after_one_epoch(frames: sweep.Frames) -> Values:
    curves = [(column(frame, "epochs"), column(frame, "test_error")) for frame in frames]
    return np.array([100 * float(value_at(*curve, [1.0])[0]) for curve in curves])


def _errors_of_pairs(frames: sweep.Frames) -> dict[float, Values]:
    """Return the errors by the number of features, from 32 on: iteration k has 2^(k - 1) pairs of cosine and sine.

    Smaller problems are left out: with a large C some are not solved to the relative gap in 10,000 epochs.
    """
    if not frames:
        return {}
    rows = pd.concat([frame.drop_duplicates("iterations", keep="last") for frame in frames])
    iterations, errors = column(rows, "iterations").astype(int), 100 * column(rows, "test_error")
    return {2**k: errors[iterations == k] for k in np.unique(iterations[iterations >= 5]).tolist()}


def _shared(swept: Errors, first: str, second: str, least: float = 0.0) -> dict[float, tuple[Values, Values]]:
    """Return the errors of two methods by the sizes that both have; the exact one is compared at the largest."""
    errors, second_errors = swept.of.get(first, {}), swept.of.get(second, {})
    if second == EXACT and errors and second_errors:
        second_errors = {max(errors): second_errors[0]}
    return {s: (errors[s], second_errors[s]) for s in errors if s in second_errors and s >= least}


def _sides(shared: Mapping[float, tuple[Values, Values]]) -> tuple[list[Values], list[Values]]:
    return [first for first, _ in shared.values()], [second for _, second in shared.values()]


@dataclass(frozen=True, kw_only=True)
class GainByDoubling(Statistic, kind="gain_by_doubling"):
    """The error that a method gains when s doubles is above 0; one case for each of the `methods`.

    The gain is the slope over ``all`` sizes against log2 s, or that of the ``last`` doubling. On the paper's data sets
    in `enough_on`, the error at the size `small` is to be at most `enough` points above that at the largest size
    instead.
    """

    methods: list[str]
    over: Literal["all", "last"] = "all"
    enough_on: list[str]
    small: float
    enough: float

    def cases(self, swept: Errors, evidence: Evidence) -> Iterator[Case]:
        """Measure the gain, or the excess of the small size, of each method."""
        for method in self.methods:
            errors, about = swept.of.get(method, {}), _about(swept, method)
            if swept.panel.paper_dataset in self.enough_on:
                largest, decide = max(errors, default=0), partial(at_most, limit=self.enough)
                both = self.small in errors and self.small < largest
                excess = difference([errors[self.small]], [errors[largest]]) if both else None
                text = f"at s = {self.small:g} {{}} points above that at the largest s"
                yield sweep.interval_case(swept.panel, f"enough {method}", excess, text, decide, about=about)
            else:
                sizes = list(errors) if self.over == "all" else list(errors)[-2:]
                groups = [errors[s] for s in sizes]
                gain = trend(sizes, groups, lambda means: -means) if len(errors) > 2 else None
                yield sweep.interval_case(
                    swept.panel, f"gain {method}", gain, "doubling s gains {} points", about=about
                )


@dataclass(frozen=True, kw_only=True)
class ErrorDifference(Statistic, kind="error_difference"):
    """Difference of two methods' errors, at each size or as mean over all sizes; holds above a number of points."""

    first: list[str]
    second: list[str]
    """Series, compared each with each: ``svmlight``, which has no s, with the largest s of the other."""
    each_size: bool = False
    """Whether each size is a case."""
    least: float = 0.0
    """The least s."""
    by: float = 0.0
    slack: float = 0.0
    """The limit, and what is taken from it for noise, in points."""
    datasets: list[str] = field(default_factory=list)
    """The paper's data sets; empty: all."""
    largest: bool = False
    """Compare with the largest difference on the other data sets, not with the limit."""
    largest_on: str = ""
    """The paper's data set on which the difference of the first pair is to be so besides; empty: none."""

    def findings(self, data: Sequence[Errors], evidence: Evidence) -> Findings:
        """Compare each pair on each data set."""
        chosen = [swept for swept in data if not self.datasets or swept.panel.paper_dataset in self.datasets]
        decide, cases = partial(above, limit=self.by - self.slack), []
        for swept, first, second in product(chosen, self.first, self.second):
            shared = _shared(swept, first, second, self.least)
            if self.largest:
                cases.append(self._largest(data, swept, first, second))
                continue
            parts = {"": (_about(swept, first), shared)}
            if self.each_size and shared:
                parts = {f" s={s}": (f"{called(swept.panel)}, d = {s:,}", {s: shared[s]}) for s in shared}
            for at, (about, part) in parts.items():
                key, text = f"{first} {second}{at}", f"{{}} points above {_name(second)}"
                interval = difference(*_sides(part))
                cases.append(sweep.interval_case(swept.panel, key, interval, text, decide, about=about))
        hardest = [swept for swept in data if swept.panel.paper_dataset == self.largest_on]
        return Findings([*cases, *(self._largest(data, swept, self.first[0], self.second[0]) for swept in hardest)])

    def _largest(self, data: Sequence[Errors], swept: Errors, first: str, second: str) -> Case:
        shared = {on_data: _shared(on_data, first, second, self.least) for on_data in data}
        sides = {on_data: _sides(pairs) for on_data, pairs in shared.items() if pairs}
        lead = _lead([*sides.values()], [*sides].index(swept)) if swept in sides and len(sides) > 1 else None
        text = "gap {} points larger than elsewhere"
        return sweep.interval_case(swept.panel, f"largest {first} {second}", lead, text, about=_about(swept, first))


def _lead(sides: Sequence[tuple[list[Values], list[Values]]], k: int) -> Interval:
    """Return the k-th gap of mean errors (first - second) - the largest gap of the other data sets."""
    splits = np.cumsum([2 * len(first) for first, _ in sides])[:-1]

    def statistic(means: Values) -> Values:
        # each data set has equally many columns of either method
        halves = [np.split(columns, 2, axis=1) for columns in np.split(means, splits, axis=1)]
        gaps = np.stack([first.mean(axis=1) - second.mean(axis=1) for first, second in halves], axis=1)
        return np.asarray(gaps[:, k] - np.delete(gaps, k, axis=1).max(axis=1))

    return bootstrap_means(statistic, [errors for first, second in sides for errors in (*first, *second)])


@dataclass(frozen=True, kw_only=True)
class DoublingsToError(Statistic, kind="doublings_to_error"):
    """Other methods need more than the size s of a method for its error: the doublings of s are above 0.

    It is the mean over the method's sizes; where another does not reach the error, twice its largest s counts: a lower
    bound. One case for each of the `others`. Errors up to `same` points above the method's count as the same.
    """

    method: str
    others: list[str]
    same: float

    def cases(self, swept: Errors, evidence: Evidence) -> Iterator[Case]:
        """Count the doublings of each other method."""
        for rival in self.others:
            groups, rival_groups = _sides(_shared(swept, self.method, rival))
            doublings = bootstrap_means(self._doublings, [*groups, *rival_groups]) if groups else None
            text = f"{{}} doublings behind {_name(self.method)}"
            yield sweep.interval_case(swept.panel, f"doublings {rival}", doublings, text, about=_about(swept, rival))

    def _doublings(self, means: Values) -> Values:
        """Return the mean number of doublings, (m,), from the mean errors of both methods at k sizes, (m, 2k)."""
        k = means.shape[1] // 2
        reached = means[:, None, k:] <= means[:, :k, None] + self.same  # (m, the method's size, the other's size)
        first = np.where(reached.any(axis=2), reached.argmax(axis=2), k)
        return np.asarray((first - np.arange(k)).mean(axis=1))


def _about(swept: Errors, method: str) -> str:
    return f"{called(swept.panel)}, {_name(method)}"


def _name(method: str) -> str:
    return "ASSET after one epoch" if method == ONE_EPOCH else STYLES[method].name


_CAPTION: Final = (
    "Means over the runs, bands from the least to the largest. Dotted: SVMlight, with the exact kernel. "
    "s: points sampled, basis vectors, or random features."
)


def _draw(axes: Axes, swept: Errors, names: Sequence[str]) -> None:
    for name in names:
        if name in swept.of:
            layout.draw_band(axes, sweep.band_of(swept.of[name]), STYLES[name], steps=False)
    if EXACT in swept.of:
        error = float(swept.of[EXACT][0].mean())
        axes.axhline(error, color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1.5)
        low, high = axes.get_ylim()
        axes.set_ylim(low * (low / high) ** 0.06, high)  # free room below the line, for its label
        below: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "top"}
        axes.annotate(f"SVMlight {error:.2f} %", (0.0, error), (3, -3), **below, color=INK)
    layout.doubling_axis(axes, list(map(int, swept.values[:: 2 if len(swept.values) > 5 else 1])))
    low, high = axes.get_ylim()
    layout.plain_ticks(axes.yaxis, range(1, 10) if high / low < 3 else (1.0, 2.0, 5.0))
    heading(axes, swept.panel)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claims."""
    methods = [series.name for series in evidence.spec.series if series.grid]
    data, names = all_sizes(evidence, methods), [*methods, COSINES]
    shown = [swept for swept in data if swept.values]
    styles = [STYLES[name] for name in names if any(name in swept.of for swept in shown)]
    return FigureResult(
        lambda: sweep.points(
            data,
            "series s error sd runs",
            lambda _, name, s, runs: (name, s, runs.mean(), sweep.spread(runs), len(runs)),
        ),
        *layout.drawing(shown, styles, _CAPTION, ("$s$", "Test error, %"), partial(_draw, names=names)),
        table=partial(_table, shown, [names[0], ONE_EPOCH, *names[1:]]),
        claims=judge_claims(evidence, data=data),
    )


def _table(shown: Sequence[Errors], names: Sequence[str]) -> Table:
    heads = ["one epoch" if name == ONE_EPOCH else _name(name) for name in names]
    rows = []
    for swept in shown:
        exact = swept.get(EXACT, 0)
        for s in swept.values:
            cells = [sweep.error_text(swept.get(name, s)) for name in names]
            rows.append([name_of(swept.panel), f"{s:,}", *cells, "" if exact is None else f"{exact.mean():.2f}"])
    notes = [
        "Test error in per cent: mean over the runs ± standard deviation, at the end of the runs. One epoch: the same "
        "runs of ASSET earlier. A run on a stream ends after one epoch; the paper ran it for 1,000. Fourier features: "
        "the linear SVM on random features, solved by dual coordinate descent to a relative gap of 0.001. CPSP may end "
        "with fewer than s basis vectors; then its runs with a larger s are the same."
    ]
    return Table(["data set", "s", *heads, _name(EXACT)], rows, notes)
