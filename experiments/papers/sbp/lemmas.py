"""Lemmas 2.1 and 3.2, the cost of an iteration (section 3.3) and Theorem E.2, along runs of the SBP and of SMO."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...curve import Points, column
from ...plotting import INK, STYLES
from ...plotting.bands import band
from ...reproduction.evidence import Evidence, FigureResult, Panel, Table
from ...reproduction.statistics.interval import FAILS, MISSING, Interval, holds, under_bound
from .. import layout
from ..cases import Case, Statistic, case_on, judge_claims
from ..kinds.limits import missing_runs
from ..panels import heading, name_of
from .methods import COST

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SBP, OPTIMUM = "sbp", "optimum"
REGRET: Final = 3.0
"""Zinkevich's Theorem 1 for steps 1/sqrt(t), gradients of norm 1 and a ball of diameter 2: regret <= 3 sqrt(T)."""


def bound_of_lemma(delta: float) -> float:
    """Return c of f* - f(w_bar) <= c / sqrt(T) with probability 1 - delta, from the theorems that the proof cites.

    The regret is divided by T; the gradients' deviations from their means are martingale differences in an interval of
    length 4, and Azuma's inequality bounds their mean by 4 sqrt(log(1/delta) / (2 T)).
    """
    return REGRET + 4 * math.sqrt(math.log(1 / delta) / 2)


@dataclass(frozen=True)
class Study:
    """Runs of the SBP on one data set, and the optimum of the lambda form, from SMO's last dual solution."""

    panel: Panel
    nu: float
    """Of the SBP's runs."""
    norm: float
    hinge: float
    """‖u‖ and the mean hinge loss of SMO's last predictor u."""
    best: float
    """Bound on f* = sup f(w) from above: p = alpha / sum(alpha) gives ‖sum p_i y_i Phi(x_i)‖ + n nu max p."""
    iterations: NDArray[np.float64]
    """(m,): of the evaluations."""
    levels: NDArray[np.float64]
    norms: NDArray[np.float64]
    hinges: NDArray[np.float64]
    """(runs, m): f(w_bar), and ‖w‖ and mean hinge loss of w = w_bar / f(w_bar) over those of u, at these."""

    @cached_property
    def gaps(self) -> NDArray[np.float64]:
        """f* - f(w_bar) or slightly more, (runs, m)."""
        return self.best - self.levels

    @cached_property
    def factors(self) -> NDArray[np.float64]:
        """1 - e ‖u‖ of Lemma 2.1 for these distances e; NaN where the lemma says nothing, (runs, m)."""
        factors = 1 - self.gaps * self.norm
        return np.where((factors > 0) & (self.levels > 0), factors, np.nan)

    def shares_of_bound(self) -> dict[str, NDArray[np.float64]]:
        """Norm and loss over Lemma 2.1's bounds on them, where it says something, (k,)."""
        shares = {"norm": self.norms * self.factors, "hinge": self.hinges * self.factors}
        return {name: values[np.isfinite(self.factors)] for name, values in shares.items()}


def study_of(panel: Panel) -> Study | None:
    """Return the study of a panel; None without runs of both series."""
    frames = [frame[column(frame, "iterations") > 0] for frame in panel.curves(SBP)]
    optimum = next(iter(panel.runs.get(OPTIMUM, ())), None)
    if not frames or optimum is None or not panel.n:
        return None
    nu = float(panel.runs[SBP][0].result["settings"]["problem"]["nu"])
    final, C = optimum.result["final"], float(optimum.result["settings"]["problem"]["C"])
    norm = float(final["norm"])
    total = float(final["dual"]) * C * panel.n + norm**2 / 2
    hinge, best = float(final["hinge"]), (norm + panel.n * nu * C) / total
    names = ("water_level", "norm", "hinge")
    levels, norms, hinges = (np.stack([column(frame, name) for frame in frames]) for name in names)
    iterations = column(frames[0], "iterations")
    return Study(panel, nu, norm, hinge, best, iterations, levels, norms / norm, hinges / hinge)


@dataclass(frozen=True, kw_only=True)
class OfStudy(Statistic):
    """A quantity measured on the runs of one data set; data sets without runs are missing."""

    def cases(self, item: tuple[Panel, Study | None], evidence: Evidence) -> Sequence[Case]:
        """Measure and decide the cases of one data set."""
        panel, study = item
        return [missing_runs(evidence, panel, "runs", (SBP, OPTIMUM))] if study is None else self._cases(study)

    def _cases(self, study: Study) -> Sequence[Case]:
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class RescaledSolution(OfStudy, kind="rescaled_solution"):
    """Norm and loss of the rescaled solution are at most Lemma 2.1's bounds."""

    accuracy: float
    """Relative; nu must be (mean hinge loss) / ‖u‖ to the same accuracy."""

    def _cases(self, study: Study) -> Sequence[Case]:
        derived = study.hinge / study.norm
        if abs(study.nu / derived - 1) > self.accuracy:
            note = f"the premise: nu = {study.nu:.3e}, and (mean hinge loss) / ‖u‖ = {derived:.3e}"
            return [case_on(study.panel, "premise", FAILS, note=note)]
        cases = []
        for quantity, shares in study.shares_of_bound().items():
            if not shares.size:
                return [case_on(study.panel, quantity, MISSING, note="no evaluation comes near enough to the optimum")]
            largest, median = float(shares.max()), float(np.median(shares))
            text = f"{quantity} at most {largest:.5f} of its bound (median {median:.3f}) at {shares.size} evaluations"
            decision = holds(largest <= 1 + self.accuracy)
            cases.append(case_on(study.panel, quantity, decision, text, {"largest": largest, "median": median}))
        return cases


@dataclass(frozen=True, kw_only=True)
class DistanceBound(OfStudy, kind="distance_bound"):
    """The distance from the optimum times sqrt(T) is at most the constant of Lemma 3.2 (`bound_of_lemma`)."""

    delta: float
    """The bound holds with probability 1 - delta."""

    def _cases(self, study: Study) -> Sequence[Case]:
        bound = bound_of_lemma(self.delta)
        largest = float((study.gaps * np.sqrt(study.iterations)).max())
        text = f"(f* - f(w_bar)) sqrt(T) is at most {largest:.3f}, the bound {bound:.2f}"
        decision = under_bound(Interval(largest, largest, largest), bound)
        return [case_on(study.panel, "constant", decision, text, {"largest": largest, "bound": bound})]


@dataclass(frozen=True, kw_only=True)
class EvaluationsPerIteration(OfStudy, kind="evaluations_per_iteration"):
    """Every iteration of the SBP takes n kernel evaluations, exactly."""

    def _cases(self, study: Study) -> Sequence[Case]:
        counters = [(column(run, COST), column(run, "iterations")) for run in study.panel.curves(SBP)]
        n = study.panel.n or 0
        exact = all((evaluations == n * iterations).all() for evaluations, iterations in counters)
        over_n = [evaluations[-1] / iterations[-1] / n for evaluations, iterations in counters]
        text = f"{float(np.mean(over_n)):g} n evaluations an iteration"
        return [case_on(study.panel, "evaluations", holds(exact), text, {"over_n": over_n})]


@dataclass(frozen=True, kw_only=True)
class PrimalByDual(OfStudy, kind="primal_by_dual"):
    """(P - P*)^2 <= 118 (D* - D) / lambda along SMO's run (Theorem E.2), with bounds on P* and D* at its end."""

    def _cases(self, study: Study) -> Sequence[Case]:
        run = study.panel.runs[OPTIMUM][0]
        primal, dual = column(run.curve, "primal"), column(run.curve, "dual")
        best, accuracy = dual[-1], primal[-1] - dual[-1]
        far = best - dual > 10 * accuracy
        if not far.any():
            return [case_on(study.panel, "dual", MISSING, note="no evaluation before the optimum")]
        lambda_ = float(run.result["settings"]["problem"]["lambda_"])
        share = float(((primal - best)[far] / np.sqrt(118 * (best - dual)[far] / lambda_)).max())
        text = f"the primal distance is at most {share:.2g} of the bound"
        decision = under_bound(Interval(share, share, share), 1.0)
        return [case_on(study.panel, "dual", decision, text, {"share_of_bound": share})]


_CAPTION: Final = (
    "Median over the runs, and the range. Dotted: 1/√T, through the first evaluation at which it is below f*.\n"
    "Dashed: the bound from the theorems that the proof cites, with a probability of 95 %."
)


def make(evidence: Evidence) -> FigureResult:
    """Draw the distances from the optimum and judge the lemmas."""
    studies = [study_of(panel) for panel in evidence.panels]
    measured = [study for study in studies if study is not None]
    return FigureResult(
        lambda: pd.concat(map(_record, measured), ignore_index=True) if measured else pd.DataFrame(columns=COLUMNS),
        *layout.drawing(measured, [STYLES[SBP]], _CAPTION, ("Iterations T", r"$f^* - f(\bar w)$"), _draw, head=0.79),
        table=partial(_table, measured),
        claims=judge_claims(evidence, data=list(zip(evidence.panels, studies, strict=True))),
    )


def _draw(axes: Axes, study: Study) -> None:
    """Draw the distances on one data set, with both lines."""
    runs: list[Points] = [(study.iterations, gaps) for gaps in study.gaps]
    drawn = band(runs)
    assert drawn is not None  # distances are known at every evaluation
    layout.draw_band(axes, drawn, STYLES[SBP])
    look: dict[str, Any] = {"color": INK, "linewidth": 1.1}
    late = study.iterations[study.iterations >= study.best**-2]
    if len(late):
        first = float(np.interp(late[0], study.iterations, drawn.middle))
        axes.plot(late, first * np.sqrt(late[0] / late), linestyle=(0, (1.0, 1.5)), **look)
    bound = bound_of_lemma(0.05) / np.sqrt(study.iterations)
    axes.plot(study.iterations, bound, linestyle=(0, (5.0, 2.0)), **look)
    heading(axes, study.panel, f"f* = {study.best:.4g}, {len(study.gaps)} runs")


def _table(studies: Sequence[Study]) -> Table:
    rows = [
        [
            name_of(study.panel),
            f"{study.norm:.4g}",
            f"{study.hinge:.4g}",
            f"{study.nu:.4g}",
            f"{study.best:.5g}",
            f"{study.gaps[:, -1].mean():.2e}",
            f"{study.iterations[-1]:,.0f}",
        ]
        for study in studies
    ]
    columns = ["data set", "‖u‖", "mean hinge loss of u", "nu", "f*", "f* - f(w_bar) at the end", "iterations"]
    return Table(columns, rows, ["u is SMO's last predictor; f* is bounded from above by its dual solution."])


COLUMNS: Final = ("dataset", "seed", "iterations", "gap", "norm_over_u", "hinge_over_u", "bound_factor", "optimum")


def _record(study: Study) -> pd.DataFrame:
    runs, m = study.gaps.shape
    values = (
        study.panel.dataset,
        np.repeat(study.panel.seeds(SBP), m),
        np.tile(study.iterations, runs),
        study.gaps.ravel(),
        study.norms.ravel(),
        study.hinges.ravel(),
        (1 / study.factors).ravel(),
        study.best,
    )
    return pd.DataFrame(dict(zip(COLUMNS, values, strict=True)))
