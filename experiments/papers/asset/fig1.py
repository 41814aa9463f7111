"""Figure 1: test error against the size of the approximation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.curve import column, value_at
from experiments.papers import layout
from experiments.papers.asset.errors import difference, lead, spread, written
from experiments.papers.bands import Band
from experiments.papers.cases import (
    Case,
    Judge,
    above,
    at_most,
    cases_of,
    claim_from_groups,
    exclude_undeclared,
    interval_text,
    judge_claims,
    summarize,
)
from experiments.papers.panels import NAMES, called, heading, name_of
from experiments.plotting import INK, PANEL, STYLES
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult, Table
from experiments.reproduction.spec import ClaimSpec, FigureSpec
from experiments.reproduction.statistics import bootstrap_means
from experiments.reproduction.verdict import Claim

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

EXACT: Final = "svmlight"
"""Series with the exact kernel."""
ONE_EPOCH, TENTH = "asset, one epoch", "asset, a tenth of the epochs"
"""The same runs of ASSET at earlier times: after one epoch (as on a stream) and after a tenth of the epochs."""
COLUMNS: Final = ("panel", "dataset", "series", "s", "error", "sd", "runs")

Errors = Mapping[int, NDArray[np.float64]]
"""By size s, rising: test errors in per cent, one for each run."""


@dataclass(frozen=True)
class Sizes:
    """One data set.

    Attributes
    ----------
    panel : Panel
    errors : mapping of str to mapping of int to array
        For each method that has runs, and for `ONE_EPOCH` and `TENTH`, its errors.
    exact : array or None
        Errors of the exact solver's runs, in per cent; None without any.
    """

    panel: Panel
    errors: Mapping[str, Errors]
    exact: NDArray[np.float64] | None

    def of(self, method: str) -> Errors:
        """Return the errors of one method; empty without runs."""
        return self.errors.get(method, {})

    @property
    def sizes(self) -> list[int]:
        """All s with runs."""
        return sorted({s for errors in self.errors.values() for s in errors})


def swept_methods(spec: FigureSpec) -> list[str]:
    """Series that are swept over s, in the figure's order."""
    return [series.name for series in spec.series if series.grid]


def all_sizes(evidence: Evidence) -> list[Sizes]:
    """Return the data sets of the figure's panels."""
    return [_sizes(panel, evidence.spec) for panel in evidence.panels]


def _sizes(panel: Panel, spec: FigureSpec) -> Sizes:
    errors = {method: _errors(panel, spec.members(method), 1.0) for method in swept_methods(spec)}
    members = spec.members("asset")
    errors |= {ONE_EPOCH: _errors(panel, members, None), TENTH: _errors(panel, members, 0.1)}
    exact = [_error_at(frame, 1.0) for frame in panel.curves(EXACT) if len(frame)]
    return Sizes(panel, {name: own for name, own in errors.items() if own}, np.array(exact) if exact else None)


def _errors(panel: Panel, members: Mapping[float, str], share: float | None) -> Errors:
    """Return the errors of a swept series after a share of the epochs, or, with None, after one epoch."""
    runs = {int(s): [frame for frame in panel.curves(name) if len(frame)] for s, name in members.items()}
    return {s: np.array([_error_at(frame, share) for frame in frames]) for s, frames in runs.items() if frames}


def _error_at(frame: pd.DataFrame, share: float | None) -> float:
    epochs = column(frame, "epochs")
    at = 1.0 if share is None else share * epochs[-1]
    return 100 * float(value_at(epochs, column(frame, "test_error"), [at])[0])


def _points(found: Sequence[Sizes]) -> pd.DataFrame:
    """Return the figure's points: one row per data set, method and s."""
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
        for method, errors in each.errors.items()
        for s, own in errors.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


EASY, HARD = "adult", "covtype"
SMALL: Final = 64
"""A small s."""
ENOUGH: Final = 1.0
"""Percentage points: s is enough if its error exceeds the error at the largest s by at most this."""
FALLS_RULE: Final = (
    "By mean test errors of ASSET at the end of its runs. Falls: on each data set the error falls with log2 s, by the "
    f"slope of a line through all sizes. Enough: on Adult the error at s = {SMALL} is at most {ENOUGH:g} point above "
    "that at the largest s. Suffers most: at the largest s that all data sets have, the error minus the error of "
    "SVMlight, with the exact kernel, is larger on Covertype than on every other data set. Each by its 95 % "
    "interval over the runs; if it contains the limit, the case is unclear. (The paper shows pictures; the limits are "
    "ours.)"
)


def judge_falls(evidence: Evidence, spec: ClaimSpec, found: Sequence[Sizes]) -> Claim:
    """Judge claim 3: the error falls with s; on Adult a small s is enough; Covertype suffers most from a small s."""
    falls = cases_of(evidence, found, _falls_case)
    easy = cases_of(evidence, [each for each in found if each.panel.paper_dataset == EASY], _enough_case)
    answers = {
        "Error gained by doubling s": falls,
        f"Error at s = {SMALL} above that at the largest s": easy or [_missing_case(EASY, "enough")],
        "Error above SVMlight's": [_suffers_case(evidence, found)],
    }
    return claim_from_groups(spec, FALLS_RULE, list(answers.values()), summarize(answers))


def _falls_case(each: Sizes) -> Case:
    place, about = (each.panel.paper_dataset, "falls"), called(each.panel)
    errors = each.of("asset")
    if len(errors) < 3:
        return Case(place, about, "not_applicable", note="fewer than three sizes of ASSET have finished runs")
    logs = np.log2(list(errors))
    line = (logs - logs.mean()) / np.square(logs - logs.mean()).sum()  # @ means: least-squares slope
    interval = bootstrap_means(lambda means: -(means @ line), list(errors.values()))
    return Case(place, about, above(interval, 0.0), interval_text(interval, ".2f", " points"), interval.as_dict())


def _enough_case(each: Sizes) -> Case:
    place, about = (each.panel.paper_dataset, "enough"), called(each.panel)
    errors = each.of("asset")
    largest = max(errors, default=0)
    if SMALL not in errors or largest <= SMALL:
        return Case(place, about, "not_applicable", note=f"no finished runs of ASSET with s = {SMALL} and a larger s")
    interval = difference([errors[SMALL]], [errors[largest]])
    assert interval is not None
    statistic = interval.as_dict() | {"largest": largest}
    return Case(place, about, at_most(interval, ENOUGH), interval_text(interval, "+.2f", " points"), statistic)


def _suffers_case(evidence: Evidence, found: Sequence[Sizes]) -> Case:
    place, about = (HARD, "suffers most"), "Covertype"
    exact = {each.panel.paper_dataset: each.exact for each in found if each.exact is not None and each.of("asset")}
    able = [each for each in found if each.panel.paper_dataset in exact]
    shared = set.intersection(*(set(each.of("asset")) for each in able)) if able else set()
    if HARD not in exact or len(able) < 2 or not shared:
        return _missing_case(HARD, "suffers most")
    s = max(shared)
    hard = [each.panel.paper_dataset for each in able].index(HARD)
    groups = [*(each.of("asset")[s] for each in able), *(exact[each.panel.paper_dataset] for each in able)]

    interval = bootstrap_means(lambda means: lead(means[:, : len(able)] - means[:, len(able) :], hard), groups)
    over = {
        each.panel.paper_dataset: float(each.of("asset")[s].mean() - exact[each.panel.paper_dataset].mean())
        for each in able
    }
    values = ", ".join(f"{called(each.panel)} {over[each.panel.paper_dataset]:+.2f}" for each in able)
    measured = f"{interval_text(interval, '+.2f')} more than the next (s = {s:,}; {values} points)"
    case = Case(place, about, above(interval, 0.0), measured, interval.as_dict() | {"s": s, "over_exact": over})
    for each in able:
        case = exclude_undeclared(case, evidence, each.panel)
    return case


def _missing_case(paper_dataset: str, what: str) -> Case:
    return Case((paper_dataset, what), NAMES[paper_dataset], "not_applicable", note="no finished runs to judge it by")


MOST: Final = "rcv1_ccat"
FROM: Final = 64
"""Smallest dimension that counts: with fewer features both methods may still guess."""
MAPPING_RULE: Final = (
    f"Mean test error of ASSET on a stream, d random features, minus that of ASSET with s = d, over all d >= {FROM}. "
    "Worse: on each data set it lies above 0, after equally many examples, one epoch. Most: on CCAT it is larger than "
    "on every other data set. Each by its 95 % interval over the runs; if it contains 0, the case is unclear. Also "
    "measured, not judged: ASSET at the end of its runs."
)

Groups = Sequence[NDArray[np.float64]]


def judge_mapping(evidence: Evidence, spec: ClaimSpec, found: Sequence[Sizes]) -> Claim:
    """Judge claim 4: random features on a stream are worse than Nystrom features of the same dimension."""
    worse = cases_of(evidence, found, _worse_case)
    most = _most_case(evidence, found)
    sentences = [summarize({"Error above that of ASSET": worse}), f"CCAT: {most.measured}." if most.measured else ""]
    return claim_from_groups(spec, MAPPING_RULE, [worse, [most]], " ".join(filter(None, sentences)))


def pairs(each: Sizes, of: str) -> tuple[Groups, Groups]:
    """Return the errors of ASSET on a stream and of ASSET, at the dimensions that both have runs for."""
    stream, asset = each.of("asset_online"), each.of(of)
    shared = [s for s in stream if s in asset and s >= FROM]
    return [stream[s] for s in shared], [asset[s] for s in shared]


def _worse_case(each: Sizes) -> Case:
    place, about = (each.panel.paper_dataset, "worse"), called(each.panel)
    interval = difference(*pairs(each, ONE_EPOCH))
    if interval is None:
        return Case(place, about, "not_applicable", note=f"no finished runs of both with d >= {FROM}")
    end = difference(*pairs(each, "asset"))
    assert end is not None
    measured = f"{interval_text(interval, '+.2f')} points ({interval_text(end, '+.2f')} at its end)"
    statistic = interval.as_dict() | {"at_the_end": end.as_dict()}
    return Case(place, about, above(interval, 0.0), measured, statistic)


def _most_case(evidence: Evidence, found: Sequence[Sizes]) -> Case:
    place, about = (MOST, "most"), "CCAT"
    able = {each.panel.paper_dataset: pairs(each, ONE_EPOCH) for each in found if pairs(each, ONE_EPOCH)[0]}
    if MOST not in able or len(able) < 2:
        why = "it takes finished runs of both on CCAT and on another data set"
        return Case(place, about, "not_applicable", note=why)
    groups = [own for stream, asset in able.values() for own in (*stream, *asset)]
    ends = np.cumsum([len(stream) + len(asset) for stream, asset in able.values()])[:-1]
    most = list(able).index(MOST)

    def ahead(means: NDArray[np.float64]) -> NDArray[np.float64]:
        # each data set has equally many columns of either method
        halves = [np.split(own, 2, axis=1) for own in np.split(means, ends, axis=1)]
        over = np.stack([stream.mean(axis=1) - asset.mean(axis=1) for stream, asset in halves], axis=1)
        return lead(over, most)

    interval = bootstrap_means(ahead, groups)
    measured = f"{interval_text(interval, '+.2f')} points more than on the next"
    case = Case(place, about, above(interval, 0.0), measured, interval.as_dict())
    for each in found:
        if each.panel.paper_dataset in able:
            case = exclude_undeclared(case, evidence, each.panel)
    return case


_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    "Means over the runs, bands from the least to the largest. Dotted: SVMlight, with the exact kernel. "
    "s: points sampled, basis vectors, or random features."
)


def _draw(figure: Figure | SubFigure, found: Sequence[Sizes], names: Sequence[str]) -> None:
    """Draw one panel per data set."""
    styles = [STYLES[name] for name in names if any(each.of(name) for each in found)]
    for place, each in layout.each_panel(figure, found, styles, [_CAPTION], _HEAD, ("s", "Test error, %")):
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
    axes.annotate(f"SVMlight {error:.2f} %", (0.0, error), (3, -3), **place, size=PANEL.note, color=INK)


def _ticks(axes: Axes, sizes: Sequence[int]) -> None:
    """Write plain numbers on both axes; every second size."""
    layout.doubling_axis(axes, sizes[:: 2 if len(sizes) > 5 else 1])
    low, high = axes.get_ylim()
    layout.plain_ticks(axes.yaxis, range(1, 10) if high / low < 3 else (1.0, 2.0, 5.0))


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claims."""
    found, names = all_sizes(evidence), swept_methods(evidence.spec)
    shown = [each for each in found if each.errors]
    judges: dict[str, Judge] = {
        "asset.3": partial(judge_falls, found=found),
        "asset.4": partial(judge_mapping, found=found),
    }
    return FigureResult(
        _points(shown),
        partial(_draw, found=shown, names=names),
        layout.size(len(shown), _HEAD),
        table=_table(shown, names),
        claims=judge_claims(evidence, judges),
    )


def _table(shown: Sequence[Sizes], names: Sequence[str]) -> Table:
    first, *others = names
    kinds = [first, TENTH, ONE_EPOCH, *others]
    head = {TENTH: "a tenth of its epochs", ONE_EPOCH: "one epoch"}
    columns = ["data set", "s", *(head.get(kind) or STYLES[kind].name for kind in kinds), STYLES[EXACT].name]
    rows = [
        [name_of(each.panel), f"{s:,}", *(_cell(each, kind, s) for kind in kinds), _exact(each)]
        for each in shown
        for s in each.sizes
    ]
    notes = [
        "Test error in per cent: mean over the runs ± standard deviation, at the end of the runs. A tenth of its "
        "epochs, one epoch: the same runs of ASSET earlier. A run on a stream ends after one epoch."
    ]
    return Table(columns, rows, notes)


def _cell(each: Sizes, kind: str, s: int) -> str:
    own = each.of(kind).get(s)
    return "" if own is None else written(float(own.mean()), spread(own), len(own))


def _exact(each: Sizes) -> str:
    return "" if each.exact is None else f"{each.exact.mean():.2f}"
