"""Lemmas 1 to 3: the expected squared norm of a sum over a mini-batch, on the data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from ...plotting import INK, Style
from ...reproduction.evidence import Evidence, FigureResult, Panel
from ...reproduction.statistics.interval import Interval, under_bound, within
from .. import layout
from ..cases import Case, Findings, Statistic, case_on, judge_claims
from ..panels import called, heading
from .data import Spectrum
from .reference import AggressiveSdca, computed_on_each, rows_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ....solvers import Problem

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
_CAPTION: Final = (
    "Symbols: means of random mini-batches A with 99.9 % intervals; lines: the expectation by Lemma 1. Black: "
    "the bound $\\beta_b$.\n"
    r"$\chi_i(w)$ is 1 for examples with a margin below 1, else 0: with it the ordinate times $\|v\|^2 / (n b)$ is "
    r"$E\|\nabla L_A(w)\|^2$ of Lemma 2."
)


def means(problem: Problem, spectrum: Spectrum) -> list[dict[str, Any]]:
    """Sample n/b v_A' Q v_A / ||v||^2 over mini-batches A for all vectors and all sizes up to n.

    Q_ij is y_i y_j <x_i, x_j>.

    Returns
    -------
    list of dict
        For each b and ``vector``: ``exact``, the expectation by Lemma 1, its ``bound`` beta_b, ``sampled``, the mean of
        mini-batches drawn at random with its interval, and the ``share`` ||v||^2 / n.
    """
    rows = rows_of(problem)
    n, tenth = rows.n, max(1, rows.n // 10)
    solver = AggressiveSdca(rows, tenth, spectrum.beta(tenth))
    for _ in range(20):  # two passes
        solver.step()
    responses = rows.signed @ rows.weights(solver.alpha)
    sampled = []
    for b in (size for size in SIZES if size <= n):
        steps = rows.steps(solver.alpha, responses, spectrum.beta(b))
        vectors = {"start": np.ones(n), "trained": (responses < 1.0).astype(np.float64), "steps": steps}
        for name, v in vectors.items():
            if squared := float(v @ v):
                single, whole = float(rows.squared_norms @ v**2), rows.signed.T @ v
                growth = (b - 1) / max(n - 1, 1)
                exact = ((1 - growth) * single + growth * float(whole @ whole)) / squared
                drawn = squared_sums(rows.signed, v, b, max(LEAST, DRAWN // b)) * n / (b * squared)
                middle, reach = float(drawn.mean()), REACH * float(drawn.std(ddof=1)) / math.sqrt(len(drawn))
                interval = Interval(middle, middle - reach, middle + reach, len(drawn))
                sampled.append(
                    {"vector": name, "b": b, "share": squared / n, "exact": exact, "bound": spectrum.beta(b)}
                    | {"sampled": asdict(interval)}
                )
    return sampled


def squared_sums(signed: Any, v: NDArray[np.float64], b: int, count: int) -> NDArray[np.float64]:
    """Return ||sum over A of v_i y_i x_i||^2 for some random subsets A of b examples, (count,)."""
    from ....solvers import RandomSubsets

    subsets = RandomSubsets(len(v), b, 0)
    chosen = np.concatenate([subsets.next() for _ in range(count)])
    batches = sp.csr_array((v[chosen], chosen, np.arange(0, count * b + 1, b)), shape=(count, len(v)))
    totals: Any = sp.csr_array(batches @ signed) ** 2
    return np.asarray(totals.sum(axis=1), dtype=np.float64).ravel()


@dataclass(frozen=True, kw_only=True)
class Expectation(Statistic, kind="expectation"):
    """The expectation of Lemma 1 for some vectors; one case for each data set, vector and b."""

    vectors: list[str]
    """Of `VECTORS`."""
    at_most_beta: bool = False
    """Whether the case holds where the expectation is at most beta_b, and not where the sampled mean agrees with it."""
    of_loss: bool = False
    """Whether the expectation is multiplied by ||v||^2 / n, as for the subgradient of the loss."""

    def findings(self, data: pd.DataFrame, evidence: Evidence) -> Findings:
        """Decide on each data set."""
        means = data[data["series"].isin(self.vectors)]
        if means.empty:
            return Findings([])
        means = means.assign(expected=means["exact"] * (means["share"] if self.of_loss else 1.0))
        if self.at_most_beta:
            slack = means["beta"] / means["expected"]
            summary = f"The bound is {slack.min():.3g} to {slack.max():.3g} times the expectation."
        else:
            largest = (means["mean"] / means["exact"] - 1).abs().max()
            summary = f"The means of mini-batches differ from the expectation by {largest:.1%} at most."
        panels = {panel.paper_dataset: panel for panel in evidence.panels}
        return Findings([self._case(panels[row["panel"]], row) for row in means.to_dict("records")], summary)

    def _case(self, panel: Panel, row: Mapping[Any, Any]) -> Case:
        interval = Interval(*[row["expected"]] * 3)
        if self.at_most_beta:
            decision = under_bound(interval, (1 + 1e-6) * row["beta"])
        else:  # rounding of float32 data
            decision = within(interval, 0.999999 * row["low"], 1.000001 * row["high"])
        statistic = {"estimate": row["mean"], **{name: row[name] for name in ("low", "high", "runs")}}
        statistic |= {"method": "99.9 % normal"}  # the mean is not resampled
        statistic |= {"exact": row["exact"], "bound": row["beta"], "share": row["share"]}
        about = f"{VECTORS[row['series']].name}, b = {row['b']:,}, {called(panel)}"
        return case_on(panel, f"{row['series']} b={row['b']}", decision, "", statistic, about=about)


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the means on each data set with runs."""
    return {"means": computed_on_each(evidence, "means", __file__, means)}


def make(evidence: Evidence) -> FigureResult:
    """Draw the means and judge the lemmas."""
    columns = ["panel", "dataset", "series", "b", "mean", "low", "high", "runs", "exact", "beta", "share"]
    rows = [
        [panel.paper_dataset, panel.dataset, mean["vector"], mean["b"]]
        + [mean["sampled"][name] for name in ("estimate", "low", "high", "runs")]
        + [mean["exact"], mean["bound"], mean["share"]]
        for panel in evidence.panels
        for mean in evidence.computed.get("means", {}).get(panel.paper_dataset, ())
    ]
    points = pd.DataFrame(rows, columns=columns)
    panels = [(panel, part) for panel in evidence.panels if len(part := points[points["panel"] == panel.paper_dataset])]
    names = "$b$, examples in a mini-batch", r"$\frac{n}{b}\, E[v_A^T Q\, v_A]\, /\, \|v\|^2$"
    return FigureResult(
        lambda: points,
        *layout.drawing(panels, VECTORS.values(), _CAPTION, names, _draw, columns=2, head=0.78),
        claims=judge_claims(evidence, data=points),
    )


def _draw(axes: Axes, item: tuple[Panel, pd.DataFrame]) -> None:
    panel, means = item
    bounds = means.drop_duplicates("b")
    axes.plot(bounds["b"], bounds["beta"], color=INK, linewidth=1.2, zorder=2)
    for name, style in VECTORS.items():
        drawn = means[means["series"] == name]
        axes.plot(drawn["b"], drawn["exact"], color=style.color, linestyle=style.line, linewidth=1.4)
        axes.vlines(drawn["b"], drawn["low"], drawn["high"], color=style.color, linewidth=1.0)
        axes.plot(drawn["b"], drawn["mean"], linestyle="none", **style.markers(), zorder=4)
    layout.plain_ticks(axes.yaxis)
    heading(axes, panel)
