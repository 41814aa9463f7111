"""Lemmas 1 to 3: the expected squared norm of a sum over a mini-batch, on the data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, case_on, judge_claims
from svm_cost_curves.experiments.papers.minibatch.data import Spectrum, panels_with_runs, spectrum_of
from svm_cost_curves.experiments.papers.minibatch.methods import BATCH_AXES, COLUMNS, names_of_data
from svm_cost_curves.experiments.papers.minibatch.reference import AggressiveSdca, Rows, cached_on, rows_of
from svm_cost_curves.experiments.papers.panels import called, heading
from svm_cost_curves.experiments.plotting import INK, Style
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.statistics import Interval, under_bound, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

    from svm_cost_curves.solvers import Problem

DRAWN: Final = 20_000
"""Examples in the mini-batches that are drawn for each mean."""
LEAST: Final = 100
"""Least number of mini-batches for a mean."""
REACH: Final = 3.29
"""Standard errors of a mean from its estimate to an end of its 99.9 % interval: there are about seventy means."""
METHOD: Final = "99.9 % normal"
"""Of the interval of a sampled mean; it is not resampled."""
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
    sampled = []
    for b in (size for size in SIZES if size <= rows.n):
        steps = rows.steps(solver.alpha, responses, spectrum.beta(b))
        vectors = {"start": np.ones(rows.n), "trained": (responses < 1.0).astype(np.float64), "steps": steps}
        sampled += [_mean(rows, name, v, b, spectrum.beta(b)) for name, v in vectors.items() if v.any()]
    return sampled


def _mean(rows: Rows, name: str, v: NDArray[np.float64], b: int, bound: float) -> Mean:
    squared, n = float(v @ v), rows.n
    single, whole = float(rows.squared_norms @ v**2), rows.signed.T @ v
    growth = (b - 1) / max(n - 1, 1)
    exact = ((1 - growth) * single + growth * float(whole @ whole)) / squared
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


Means = Sequence[tuple[Panel, Sequence[Mean]]]
"""Of each data set."""


@dataclass(frozen=True, kw_only=True)
class Expectation(Statistic):
    """The expectation of Lemma 1 for some vectors; one case for each data set, vector and b.

    Attributes
    ----------
    vectors : list of str
        Of `VECTORS`.
    at_most_beta : bool
        Whether the case holds where the expectation is at most beta_b, and not where the sampled mean agrees with it.
    of_loss : bool
        Whether the expectation is multiplied by ||v||^2 / n, as for the subgradient of the loss.
    """

    vectors: list[str]
    at_most_beta: bool = False
    of_loss: bool = False

    def findings(self, data: Means, evidence: Evidence) -> Findings:
        """Decide on each data set."""
        chosen = [(panel, mean) for panel, means in data for mean in means if mean.vector in self.vectors]
        summary = self._summary([mean for _, mean in chosen]) if chosen else ""
        return Findings([self._case(panel, mean) for panel, mean in chosen], summary)

    def _case(self, panel: Panel, mean: Mean) -> Case:
        expected = self._expected(mean)
        interval = Interval(expected, expected, expected)
        if self.at_most_beta:
            decision = under_bound(interval, (1 + 1e-6) * mean.bound)
        else:  # rounding of float32 data
            decision = within(interval, 0.999999 * mean.sampled.low, 1.000001 * mean.sampled.high)
        statistic = {**mean.sampled.as_dict(), "method": METHOD}
        statistic |= {"exact": mean.exact, "bound": mean.bound, "share": mean.share}
        about = f"{VECTORS[mean.vector].name}, b = {mean.b:,}, {called(panel)}"
        return case_on(panel, f"{mean.vector} b={mean.b}", decision, "", statistic, about=about)

    def _expected(self, mean: Mean) -> float:
        return mean.exact * (mean.share if self.of_loss else 1.0)

    def _summary(self, means: Sequence[Mean]) -> str:
        if self.at_most_beta:
            slack = [mean.bound / self._expected(mean) for mean in means]
            return f"The bound is {min(slack):.3g} to {max(slack):.3g} times the expectation."
        largest = max(abs(mean.sampled.estimate / mean.exact - 1) for mean in means)
        return f"The means of mini-batches differ from the expectation by {largest:.1%} at most."


STATISTICS: Final = {"expectation": Expectation}


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the means on each data set with runs, as plain values."""
    return {
        "means": {
            panel.paper_dataset: cached_on(run, "means", __file__, partial(_plain, spectrum=spectrum_of(run)))
            for panel, run in panels_with_runs(evidence)
        }
    }


def _plain(problem: Problem, spectrum: Spectrum) -> list[dict[str, Any]]:
    return [asdict(mean) for mean in means(rows_of(problem), spectrum)]


def make(evidence: Evidence) -> FigureResult:
    """Draw the means and judge the lemmas."""
    known = evidence.computed.get("means", {})
    data_sets = [
        (panel, [Mean(**{**mean, "sampled": Interval(**mean["sampled"])}) for mean in known[panel.paper_dataset]])
        for panel in evidence.panels
        if panel.paper_dataset in known
    ]
    return FigureResult(
        _points(data_sets),
        partial(_draw, data_sets=data_sets),
        layout.size(len(data_sets), _HEAD, COLUMNS),
        claims=judge_claims(evidence, data=data_sets),
    )


POINTS: Final = ("panel", "dataset", "series", "b", "mean", "low", "high", "exact", "beta", "share")


def _points(data_sets: Means) -> pd.DataFrame:
    rows = [
        (*names_of_data(panel), mean.vector, mean.b, *astuple(mean.sampled)[:3], mean.exact, mean.bound, mean.share)
        for panel, means in data_sets
        for mean in means
    ]
    return pd.DataFrame(rows, columns=list(POINTS))


_HEAD: Final = 0.78  # inches
_CAPTIONS: Final = (
    "Symbols: means of random mini-batches A with 99.9 % intervals; lines: the expectation by Lemma 1. Black: "
    r"the bound $\beta_b$.",
    r"$\chi_i(w)$ is 1 for examples with a margin below 1, else 0: with it the ordinate times $\|v\|^2 / (n b)$ is "
    r"$E\|\nabla L_A(w)\|^2$ of Lemma 2.",
)


def _draw(figure: Figure | SubFigure, data_sets: Means) -> None:
    """Draw one panel per data set."""
    names = BATCH_AXES[0], r"$\frac{n}{b}\, E[v_A^T Q\, v_A]\, /\, \|v\|^2$"
    panels = layout.each_panel(figure, data_sets, VECTORS.values(), _CAPTIONS, _HEAD, names, COLUMNS)
    for axes, (panel, means) in panels:
        bounds = {mean.b: mean.bound for mean in means}
        axes.plot(list(bounds), list(bounds.values()), color=INK, linewidth=1.2, zorder=2)
        for name, style in VECTORS.items():
            of_vector = [mean for mean in means if mean.vector == name]
            sizes, middle = [mean.b for mean in of_vector], [mean.sampled.estimate for mean in of_vector]
            axes.plot(sizes, [mean.exact for mean in of_vector], color=style.color, linestyle=style.line, linewidth=1.4)
            low, high = ([getattr(mean.sampled, end) for mean in of_vector] for end in ("low", "high"))
            axes.vlines(sizes, low, high, color=style.color, linewidth=1.0)
            axes.plot(sizes, middle, linestyle="none", **style.markers(), zorder=4)
        layout.plain_ticks(axes.yaxis)
        heading(axes, panel)
