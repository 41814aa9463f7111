"""Figure 1: test error against the size of the approximation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.asset.errors import difference, lead, spread, written
from svm_cost_curves.experiments.papers.asset.sizes import (
    COSINES,
    EXACT,
    ONE_EPOCH,
    STREAM,
    Errors,
    Sizes,
    all_sizes,
    swept_methods,
)
from svm_cost_curves.experiments.papers.bands import Band
from svm_cost_curves.experiments.papers.cases import (
    MISSING,
    Case,
    Choice,
    Decision,
    Findings,
    Judge,
    above,
    at_most,
    case_on,
    interval_text,
    judge_claims,
    summarize,
)
from svm_cost_curves.experiments.papers.effort import multiple_text
from svm_cost_curves.experiments.papers.panels import called, heading, name_of
from svm_cost_curves.experiments.plotting import INK, STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap_means

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

Found = Sequence[Sizes]
Decides = Callable[[Interval], Decision]
EASY: Final = "adult"
HARD: Final = "covtype"
CCAT: Final = "rcv1_ccat"


def _case(each: Sizes, what: str, methods: str, interval: Interval | None, decide: Decides, unit: str = "") -> Case:
    """Return a case of one data set and one or two methods."""
    about, key = f"{called(each.panel)}, {methods}", f"{what} {methods}"
    if interval is None:
        return case_on(each.panel, key, MISSING, note="no finished runs to judge it by", about=about)
    measured = interval_text(interval, "+.2f", unit or " points")
    return case_on(each.panel, key, decide(interval), measured, interval.as_dict(), about=about)


def _name(method: str) -> str:
    return STYLES[method].name


def judge_improves(found: Found, evidence: Evidence, choice: Choice) -> Findings:
    """Judge claim 3: on Adult a small s is enough; elsewhere the error falls as s rises."""
    small, gained = int(choice["small"]), choice.option("gained")
    answers: dict[str, list[Case]] = {}
    for each in found:
        for method in swept_methods(evidence.spec):
            if each.panel.paper_dataset == EASY:
                title, what, interval = f"Error at s = {small} above that at the largest s", "enough", None
                interval = _excess(each, method, small)
                decide = partial(at_most, limit=choice["enough"])
            else:
                title, what = "Error gained by doubling s", "improves"
                interval = _gain(each, method, gained)
                decide = partial(above, limit=0.0)
            answers.setdefault(title, []).append(_case(each, what, _name(method), interval, decide))
    return Findings([case for cases in answers.values() for case in cases], summarize(answers))


@lru_cache(maxsize=256)
def _excess(each: Sizes, method: str, small: int) -> Interval | None:
    errors = each.of(method)
    largest = max(errors, default=0)
    return difference([errors[small]], [errors[largest]]) if small in errors and largest > small else None


@lru_cache(maxsize=256)
def _gain(each: Sizes, method: str, kind: str) -> Interval | None:
    """Return the error gained by doubling s: over all sizes by least squares, or from the last but one size on."""
    errors = each.of(method)
    if len(errors) < 3:
        return None
    logs = np.log2(list(errors)[-2:] if kind == "last" else list(errors))
    line = (logs - logs.mean()) / np.square(logs - logs.mean()).sum()  # @ means: least-squares slope
    return bootstrap_means(lambda means: -(means @ line), list(errors.values())[-len(logs) :])


def judge_suffers(found: Found, evidence: Evidence, choice: Choice) -> Findings:
    """Judge whether all methods with an approximate kernel suffer from its dimension on Covertype."""
    most = choice.option("than") == "others"
    decide = partial(above, limit=0.0 if most else choice["considerable"])
    cases = [
        _case(
            each,
            "suffers",
            _name(method),
            (_ahead(each, found, method) if most else _above_exact(each, method)),
            decide,
        )
        for each in found
        for method in swept_methods(evidence.spec)
    ]
    return Findings([case for case in cases if case.place[0] == "covtype"])


@lru_cache(maxsize=256)
def _above_exact(each: Sizes, method: str) -> Interval | None:
    return each.above_exact(method)


def _ahead(each: Sizes, found: Found, method: str) -> Interval | None:
    """Error above the exact one, minus the largest such error of the other data sets."""
    able = [own for own in found if own.exact is not None and own.of(method)]
    if each not in able or len(able) < 2:
        return None
    k = len(able)
    groups = [own.of(method)[max(own.of(method))] for own in able] + [
        own.exact for own in able if own.exact is not None
    ]
    return bootstrap_means(lambda means: lead(means[:, :k] - means[:, k:], able.index(each)), groups)


def judge_exact_is_best(found: Found, evidence: Evidence, choice: Choice) -> Findings:
    """Judge whether no method with an approximate kernel has an error below SVMlight's."""
    decide = partial(above, limit=-choice["slack"])
    methods = swept_methods(evidence.spec)
    return Findings(
        [
            _case(each, "above", _name(method), _above_exact(each, method), decide)
            for each in found
            for method in methods
        ]
    )


def judge_dimension(found: Found, evidence: Evidence, choice: Choice) -> Findings:
    """Judge whether CPSP needs a lower dimension than the others for the same error."""
    cases = []
    for each in found:
        for method in swept_methods(evidence.spec):
            if method == "cpsp":
                continue
            doublings = _doublings(each, method, choice["same"])
            case = _case(each, "dimension", _name(method), doublings, partial(above, limit=0.0), " doublings")
            cases.append(case)
    texts = [f"{case.about} {multiple_text(2 ** case.statistic['estimate'])}" for case in cases if case.statistic]
    return Findings(cases, f"Their dimension over that of CPSP: {'; '.join(texts)}." if texts else "")


def _doublings(each: Sizes, method: str, same: float) -> Interval | None:
    """Mean over CPSP's sizes of the doublings of s by which another method reaches CPSP's error.

    A method that does not reach it counts with twice its largest s: a lower bound.
    """
    shared = [s for s in each.of("cpsp") if s in each.of(method)]
    if not shared:
        return None
    k = len(shared)

    def statistic(means: NDArray[np.float64]) -> NDArray[np.float64]:
        reached = means[:, None, k:] <= means[:, :k, None] + same  # (m, CPSP's size, the other's size)
        first = np.where(reached.any(axis=2), reached.argmax(axis=2), k)
        mean: NDArray[np.float64] = (first - np.arange(k)).mean(axis=1)
        return mean

    return bootstrap_means(statistic, [each.of(name)[s] for name in ("cpsp", method) for s in shared])


OTHERS: Final = {"all": ("asset", "cpsp", "cpny"), "one_epoch": (ONE_EPOCH,)}
"""Values of the option ``others``."""


def judge_mapping(found: Found, evidence: Evidence, choice: Choice) -> Findings:
    """Judge claim 4: random features are worse than the other approximations of the same dimension."""
    random = choice.option("random")
    others = OTHERS[choice.option("others")]
    least = choice["least"]
    cases = []
    for each in found:
        for other in others:
            interval = _worse(each, random, other, least)
            about = "ASSET after one epoch" if other == ONE_EPOCH else _name(other)
            cases.append(_case(each, "worse", about, interval, partial(above, limit=0.0)))
    hardest = [each for each in found if each.panel.paper_dataset == CCAT]
    cases += [
        _case(
            each, "most", "the largest gap", _gap_lead(each, found, random, others[0], least), partial(above, limit=0.0)
        )
        for each in hardest
    ]
    return Findings(cases)


def _pairs(each: Sizes, random: str, other: str, least: float) -> tuple[list[NDArray[np.float64]], ...]:
    """Return the errors of both methods at the dimensions that both have, from the least on."""
    one, two = each.of(random), each.of(other)
    shared = [s for s in one if s in two and s >= least]
    return [one[s] for s in shared], [two[s] for s in shared]


@lru_cache(maxsize=256)
def _worse(each: Sizes, random: str, other: str, least: float) -> Interval | None:
    return difference(*_pairs(each, random, other, least))


def _gap_lead(each: Sizes, found: Found, random: str, other: str, least: float) -> Interval | None:
    """Gap of two methods on one data set, minus the largest gap on the other data sets."""
    able = [own for own in found if _pairs(own, random, other, least)[0]]
    if each not in able or len(able) < 2:
        return None
    groups = [_pairs(own, random, other, least) for own in able]
    ends = np.cumsum([2 * len(one) for one, _ in groups])[:-1]

    def statistic(means: NDArray[np.float64]) -> NDArray[np.float64]:
        # each data set has equally many columns of either method
        halves = [np.split(own, 2, axis=1) for own in np.split(means, ends, axis=1)]
        gaps = np.stack([one.mean(axis=1) - two.mean(axis=1) for one, two in halves], axis=1)
        return lead(gaps, able.index(each))

    return bootstrap_means(statistic, [errors for one, two in groups for errors in (*one, *two)])


_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    "Means over the runs, bands from the least to the largest. Dotted: SVMlight, with the exact kernel. "
    "s: points sampled, basis vectors, or random features."
)


def _draw(figure: Figure | SubFigure, found: Found, names: Sequence[str]) -> None:
    """Draw one panel per data set."""
    styles = [STYLES[name] for name in names if any(each.of(name) for each in found)]
    for place, each in layout.each_panel(figure, found, styles, [_CAPTION], _HEAD, ("$s$", "Test error, %")):
        for name in names:
            if errors := each.of(name):
                layout.draw_band(place, _band(errors), STYLES[name], steps=False)
        _draw_exact(place, each)
        _ticks(place, each.sizes)
        heading(place, each.panel)


def _band(errors: Errors) -> Band:
    """Return mean, least and largest error against the sizes."""
    middle, low, high = (np.array([pick(own) for own in errors.values()]) for pick in (np.mean, np.min, np.max))
    return Band(np.array(list(errors), dtype=np.float64), middle, low, high, max(map(len, errors.values())))


def _draw_exact(axes: Axes, each: Sizes) -> None:
    if each.exact is None:
        return
    error = float(each.exact.mean())
    axes.axhline(error, color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1.5)
    low, high = axes.get_ylim()
    axes.set_ylim(low * (low / high) ** 0.06, high)  # free room below the line, for its label
    place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "top"}
    axes.annotate(f"SVMlight {error:.2f} %", (0.0, error), (3, -3), **place, color=INK)


def _ticks(axes: Axes, sizes: Sequence[int]) -> None:
    """Write plain numbers on both axes; every second size."""
    layout.doubling_axis(axes, sizes[:: 2 if len(sizes) > 5 else 1])
    low, high = axes.get_ylim()
    layout.plain_ticks(axes.yaxis, range(1, 10) if high / low < 3 else (1.0, 2.0, 5.0))


COLUMNS: Final = ("panel", "dataset", "series", "s", "error", "sd", "runs")


OPTIONS = {
    "asset.3": {"gained": ("slope", "last")},
    "asset.covtype": {"than": ("exact", "others")},
    "asset.4": {"random": (STREAM, COSINES), "others": tuple(OTHERS)},
}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claims."""
    found, names = all_sizes(evidence), [*swept_methods(evidence.spec), COSINES]
    shown = [each for each in found if each.errors]
    judges: dict[str, Judge] = {
        "asset.3": partial(judge_improves, found),
        "asset.covtype": partial(judge_suffers, found),
        "asset.baseline": partial(judge_exact_is_best, found),
        "asset.dimension": partial(judge_dimension, found),
        "asset.4": partial(judge_mapping, found),
    }
    return FigureResult(
        _points(found),
        partial(_draw, found=shown, names=names),
        layout.size(len(shown), _HEAD),
        table=_table(shown, names),
        claims=judge_claims(evidence, judges),
    )


def _points(found: Found) -> pd.DataFrame:
    """Return the figure's points: one row per data set, method and s; the exact method has s = 0."""
    rows = [
        {
            "panel": each.panel.paper_dataset,
            "dataset": each.panel.dataset,
            "series": method,
            "s": s,
            "error": own.mean(),
            "sd": spread(own),
            "runs": len(own),
        }
        for each in found
        for method, errors in [*each.errors.items(), *([] if each.exact is None else [(EXACT, {0: each.exact})])]
        for s, own in errors.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _table(shown: Found, names: Sequence[str]) -> Table:
    first, *others = names
    kinds = [first, ONE_EPOCH, *others]
    head = {ONE_EPOCH: "one epoch"}
    columns = ["data set", "s", *(head.get(kind) or _name(kind) for kind in kinds), _name(EXACT)]
    rows = [
        [name_of(each.panel), f"{s:,}", *(_cell(each.of(kind).get(s)) for kind in kinds), _exact(each)]
        for each in shown
        for s in each.sizes
    ]
    notes = [
        "Test error in per cent: mean over the runs ± standard deviation, at the end of the runs. One epoch: the same "
        "runs of ASSET earlier. A run on a stream ends after one epoch; the paper ran it for 1,000. Fourier features: "
        "the linear SVM on random features, solved by dual coordinate descent to a relative gap of 0.001."
    ]
    return Table(columns, rows, notes)


def _cell(own: NDArray[np.float64] | None) -> str:
    return "" if own is None else written(float(own.mean()), spread(own), len(own))


def _exact(each: Sizes) -> str:
    return "" if each.exact is None else f"{each.exact.mean():.2f}"
