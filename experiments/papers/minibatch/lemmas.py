"""Lemmas 1 to 3: the expected squared norm of a sum over a mini-batch, on the data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import Case, Findings, case_on, judge_claims, under_bound, within
from svm_cost_curves.experiments.papers.minibatch.data import Spectrum, spectrum_of
from svm_cost_curves.experiments.papers.minibatch.reference import AggressiveSdca, Rows, cached_on
from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.plotting import INK, Style
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

DRAWN: Final = 20_000
"""Examples in the mini-batches that are drawn for each mean."""
LEAST: Final = 100
"""Least number of mini-batches for a mean."""
REACH: Final = 3.29
"""Standard errors of a mean from its estimate to an end of its 99.9 % interval: there are about seventy means."""
SIZES: Final = (1, 4, 16, 64, 256, 1024)
VECTORS: Final[Mapping[str, Style]] = {
    "start": Style("v = chi(0)", "#cc7a00", (0, (7.0, 1.8)), "s"),
    "trained": Style("v = chi(w), w after two passes of SDCA", "#b0578d", (0, (2.0, 1.2)), "v"),
    "steps": Style("v = delta, the next steps of safe SDCA", "#2b7bba", "-", "D"),
}
"""Vectors v of Lemma 1. chi_i(w) is 1 where y_i <w, x_i> < 1, else 0 (equation 8)."""


@dataclass(frozen=True)
class Mean:
    """Mean of n/b v_A' Q v_A / ||v||^2 over mini-batches A of b examples, with Q_ij = y_i y_j <x_i, x_j>.

    Attributes
    ----------
    vector : str
        One of `VECTORS`.
    b : int
    share : float
        ||v||^2 / n.
    exact : float
        The expectation by Lemma 1.
    bound : float
        beta_b.
    sampled : Interval
        Mean of mini-batches drawn at random.
    """

    vector: str
    b: int
    share: float
    exact: float
    bound: float
    sampled: Interval


def means(rows: Rows, spectrum: Spectrum) -> list[Mean]:
    """Sample mini-batches for all vectors and all sizes up to n."""
    tenth = max(1, rows.n // 10)
    solver = AggressiveSdca(rows, tenth, spectrum.beta(tenth))
    for _ in range(20):  # two passes
        solver.step()
    responses = rows.signed @ rows.weights(solver.alpha)
    found = []
    for b in (size for size in SIZES if size <= rows.n):
        steps = rows.steps(solver.alpha, responses, spectrum.beta(b))
        vectors = {"start": np.ones(rows.n), "trained": (responses < 1.0).astype(np.float64), "steps": steps}
        found += [_mean(rows, name, v, b, spectrum.beta(b)) for name, v in vectors.items() if v.any()]
    return found


def _mean(rows: Rows, name: str, v: NDArray[np.float64], b: int, bound: float) -> Mean:
    squared, n = float(v @ v), rows.n
    own, whole = float(rows.squared_norms @ v**2), rows.signed.T @ v
    growth = (b - 1) / max(n - 1, 1)
    exact = ((1 - growth) * own + growth * float(whole @ whole)) / squared
    drawn = squared_sums(rows.signed, v, b, max(LEAST, DRAWN // b)) * n / (b * squared)
    middle, reach = float(drawn.mean()), REACH * float(drawn.std(ddof=1)) / math.sqrt(len(drawn))
    return Mean(name, b, squared / n, exact, bound, Interval(middle, middle - reach, middle + reach, len(drawn)))


def squared_sums(signed: Any, v: NDArray[np.float64], b: int, count: int) -> NDArray[np.float64]:
    """Return ||sum over A of v_i y_i x_i||^2 for some random subsets A of b examples, (count,)."""
    from svm_cost_curves.solvers import RandomSubsets

    subsets = RandomSubsets(len(v), b, 0)
    chosen = np.concatenate([subsets.next() for _ in range(count)])
    batches = sp.csr_array((v[chosen], chosen, np.arange(0, count * b + 1, b)), shape=(count, len(v)))
    totals: Any = sp.csr_array(batches @ signed) ** 2
    return np.asarray(totals.sum(axis=1), dtype=np.float64).ravel()


Means = Mapping[str, Sequence[Mean]]
"""By the paper's data set."""


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the means on each data set with runs, as plain values."""
    found = {}
    for panel in evidence.panels:
        if any(panel.runs.values()):
            run = next(iter(panel.settings.values()))
            spectrum = spectrum_of(run)
            made = cached_on(run, "means", __file__, partial(_plain, spectrum=spectrum))
            found[panel.paper_dataset] = made
    return {"means": found}


def _plain(rows: Rows, spectrum: Spectrum) -> list[dict[str, Any]]:
    return [asdict(mean) for mean in means(rows, spectrum)]


def make(evidence: Evidence) -> FigureResult:
    """Draw the means and judge the lemmas."""
    found = {
        name: [Mean(**{**mean, "sampled": Interval(**mean["sampled"])}) for mean in own]
        for name, own in evidence.computed.get("means", {}).items()
    }
    panels = [panel for panel in evidence.panels if panel.paper_dataset in found]
    judges = {
        f"minibatch.lemma{number}": partial(_judge, panels=panels, found=found, number=number) for number in (1, 2, 3)
    }
    return FigureResult(
        _points(panels, found),
        partial(_draw, panels=panels, found=found),
        layout.size(len(panels), _HEAD, _COLUMNS),
        claims=judge_claims(evidence, judges),
    )


def _judge(_: Evidence, __: object, panels: Sequence[Panel], found: Means, number: int) -> Findings:
    vectors = {1: VECTORS, 2: ("start", "trained"), 3: ("steps",)}[number]
    return Findings(
        [
            _case(panel, mean, number)
            for panel in panels
            for mean in found[panel.paper_dataset]
            if mean.vector in vectors
        ],
        _summary(found, list(vectors), number),
    )


def _case(panel: Panel, mean: Mean, number: int) -> Case:
    what, about = f"{mean.vector} b={mean.b}", f"{VECTORS[mean.vector].name}, b = {mean.b:,}, {name_of(panel)}"
    statistic = {**mean.sampled.as_dict(), "exact": mean.exact, "bound": mean.bound, "share": mean.share}
    if number == 1:
        # rounding of float32 data
        decision = within(
            Interval(mean.exact, mean.exact, mean.exact), 0.999999 * mean.sampled.low, 1.000001 * mean.sampled.high
        )
    else:
        expected = mean.exact * (mean.share if number == 2 else 1.0)
        decision = under_bound(Interval(expected, expected, expected), (1 + 1e-6) * mean.bound)
    return case_on(panel, what, decision, "", statistic, about=about)


def _summary(found: Means, vectors: Sequence[str], number: int) -> str:
    chosen = [mean for own in found.values() for mean in own if mean.vector in vectors]
    if not chosen:
        return ""
    if number == 1:
        largest = max(abs(mean.sampled.estimate / mean.exact - 1) for mean in chosen)
        return f"The means of mini-batches differ from the expectation by {largest:.1%} at most."
    slack = [mean.bound / (mean.exact * (mean.share if number == 2 else 1.0)) for mean in chosen]
    return f"The bound is {min(slack):.3g} to {max(slack):.3g} times the expectation."


def _points(panels: Sequence[Panel], found: Means) -> pd.DataFrame:
    rows = [
        {
            "panel": panel.paper_dataset,
            "dataset": panel.dataset,
            "series": mean.vector,
            "b": mean.b,
            "mean": mean.sampled.estimate,
            "low": mean.sampled.low,
            "high": mean.sampled.high,
            "exact": mean.exact,
            "beta": mean.bound,
            "share": mean.share,
        }
        for panel in panels
        for mean in found[panel.paper_dataset]
    ]
    return pd.DataFrame(rows, columns=list(_COLUMN_NAMES))


_COLUMN_NAMES: Final = ("panel", "dataset", "series", "b", "mean", "low", "high", "exact", "beta", "share")
_HEAD: Final = 0.78  # inches
_COLUMNS: Final = 2
_CAPTIONS: Final = (
    "Symbols: means of random mini-batches A with 99.9 % intervals; lines: the expectation by Lemma 1. Black: "
    r"the bound $\beta_b$.",
    r"$\chi_i(w)$ is 1 for examples with a margin below 1, else 0: with it the ordinate times $\|v\|^2 / (n b)$ is "
    r"$E\|\nabla L_A(w)\|^2$ of Lemma 2.",
)


def _draw(figure: Figure | SubFigure, panels: Sequence[Panel], found: Means) -> None:
    """Draw one panel per data set."""
    names = "$b$, examples in a mini-batch", r"$\frac{n}{b}\, E[v_A^T Q\, v_A]\, /\, \|v\|^2$"
    items = [(panel, found[panel.paper_dataset]) for panel in panels]
    for place, (panel, own) in layout.each_panel(
        figure, items, VECTORS.values(), _CAPTIONS, _HEAD, names, _COLUMNS, "no finished runs"
    ):
        bounds = {mean.b: mean.bound for mean in own}
        place.plot(list(bounds), list(bounds.values()), color=INK, linewidth=1.2, zorder=2)
        for name, style in VECTORS.items():
            mine = [mean for mean in own if mean.vector == name]
            sizes, middle = [mean.b for mean in mine], np.array([mean.sampled.estimate for mean in mine])
            place.plot(sizes, [mean.exact for mean in mine], color=style.color, linestyle=style.line, linewidth=1.4)
            spread = np.array([[mean.sampled.low, mean.sampled.high] for mean in mine]).reshape(-1, 2).T
            place.vlines(sizes, *spread, color=style.color, linewidth=1.0)
            place.plot(sizes, middle, linestyle="none", **style.markers(), zorder=4)
        layout.plain_ticks(place.yaxis)
        heading(place, panel)
