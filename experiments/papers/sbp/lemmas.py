"""Lemmas 2.1 and 3.2, the cost of an iteration (section 3.3) and Theorem E.2, along runs of the SBP and of SMO."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import Points, column
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.bands import band
from svm_cost_curves.experiments.papers.cases import (
    MISSING,
    Case,
    Choice,
    Findings,
    at_most,
    case_on,
    holds,
    interval_text,
    judge_claims,
    under_bound,
)
from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.papers.sbp.comparisons import COST, missing_case
from svm_cost_curves.experiments.plotting import INK, STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap, loglog_slope

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

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
class Reference:
    """The optimum of the lambda form on one data set, from SMO's last dual solution.

    Attributes
    ----------
    norm, hinge : float
        ‖u‖ and the mean hinge loss of u.
    upper : float
        Bound on f* = sup f(w) from above: p = alpha / sum(alpha) gives ‖sum p_i y_i Phi(x_i)‖ + n nu max p.
    """

    norm: float
    hinge: float
    upper: float


@dataclass(frozen=True)
class Study:
    """Runs of the SBP on one data set, and the optimum.

    Attributes
    ----------
    panel : Panel
    nu : float
        Of the SBP's runs.
    u : Reference
    iterations : (m,) float64
        Of the evaluations.
    levels, norms, hinges : (runs, m) float64
        f(w_bar), and ‖w‖ and mean hinge loss of w = w_bar / f(w_bar), at these.
    """

    panel: Panel
    nu: float
    u: Reference
    iterations: NDArray[np.float64]
    levels: NDArray[np.float64]
    norms: NDArray[np.float64]
    hinges: NDArray[np.float64]

    @cached_property
    def gaps(self) -> NDArray[np.float64]:
        """f* - f(w_bar) or slightly more, (runs, m)."""
        return self.u.upper - self.levels

    @cached_property
    def useful(self) -> NDArray[np.bool_]:
        """Where Lemma 2.1 says something: the gap times ‖u‖ is below 1, and the level is positive, (runs, m)."""
        return (self.gaps * self.u.norm < 1) & (self.levels > 0)

    def shares_of_bound(self) -> dict[str, NDArray[np.float64]]:
        """Norm and loss over Lemma 2.1's bounds on them, where it says something, (k,)."""
        factor = 1 - self.gaps * self.u.norm
        pairs = {"norm": self.norms / self.u.norm, "hinge": self.hinges / self.u.hinge}
        return {name: (values * factor)[self.useful] for name, values in pairs.items()}

    def slope(self, start: float) -> Interval | None:
        """Exponent of the mean gap over T from T = start / f*^2 on; None with fewer than three evaluations there."""
        late = self.iterations >= start / self.u.upper**2
        if late.sum() < 3:
            return None
        return bootstrap(
            lambda runs: loglog_slope(self.iterations[late], self.gaps[list(runs)][:, late].mean(axis=0)),
            len(self.gaps),
        )


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
    u = Reference(norm, float(final["hinge"]), (norm + panel.n * nu * C) / total)
    iterations = column(frames[0], "iterations")
    values = [np.stack([column(frame, name) for frame in frames]) for name in ("water_level", "norm", "hinge")]
    return Study(panel, nu, u, iterations, *values)


Studies = Sequence[Study]
OfStudy = Callable[[Study, Choice], list[Case]]


def _judged(evidence: Evidence, choice: Choice, *, found: Studies, cases: OfStudy) -> Findings:
    """Judge the cases of each data set; those without runs are missing."""
    by_name = {study.panel.paper_dataset: study for study in found}
    return Findings(
        [
            case
            for panel in evidence.panels
            for case in (
                cases(by_name[panel.paper_dataset], choice)
                if panel.paper_dataset in by_name
                else [missing_case(panel, "runs", (SBP, OPTIMUM))]
            )
        ]
    )


def lemma_21(study: Study, choice: Choice) -> list[Case]:
    """Judge sbp.lemma21: norm and loss of the rescaled solution are at most Lemma 2.1's."""
    derived = study.u.hinge / study.u.norm
    if abs(study.nu / derived - 1) > choice["accuracy"]:
        note = f"the premise: nu = {study.nu:.3e}, and (mean hinge loss) / ‖u‖ = {derived:.3e}"
        return [case_on(study.panel, "premise", holds(False), note=note)]
    cases = []
    for what, shares in study.shares_of_bound().items():
        if not shares.size:
            return [case_on(study.panel, what, MISSING, note="no evaluation comes near enough to the optimum")]
        largest, typical = float(shares.max()), float(np.median(shares))
        measured = f"{what} at most {largest:.5f} of its bound (median {typical:.3f}) at {shares.size} evaluations"
        decision = holds(largest <= 1 + choice["accuracy"])
        cases.append(case_on(study.panel, what, decision, measured, {"largest": largest, "median": typical}))
    return cases


def rate(study: Study, choice: Choice) -> list[Case]:
    """Judge sbp.rate: the distance from the optimum falls at least as 1/sqrt(T)."""
    if choice.option("statistic") == "constant":
        bound = bound_of_lemma(choice.option("delta"))
        largest = float((study.gaps * np.sqrt(study.iterations)).max())
        measured = f"(f* - f(w_bar)) sqrt(T) is at most {largest:.3f}, the bound {bound:.2f}"
        decision = under_bound(Interval(largest, largest, largest), bound)
        return [case_on(study.panel, "constant", decision, measured, {"largest": largest, "bound": bound})]
    exponent = study.slope(choice["start"])
    if exponent is None:
        return [case_on(study.panel, "order", MISSING, note="the runs end before the bound is below f*")]
    measured = f"f* - f(w_bar) ~ T^{interval_text(exponent, '.2f')}"
    return [case_on(study.panel, "order", at_most(exponent, -0.5), measured, {"exponent": exponent.as_dict()})]


def iteration_cost(study: Study, _: Choice) -> list[Case]:
    """Judge sbp.cost: every iteration of the SBP takes n kernel evaluations."""
    n = study.panel.n or 0
    exact = all((column(run, COST) == n * column(run, "iterations")).all() for run in study.panel.curves(SBP))
    per_iteration = [column(run, COST)[-1] / column(run, "iterations")[-1] / n for run in study.panel.curves(SBP)]
    measured = f"{float(np.mean(per_iteration)):g} n evaluations an iteration"
    return [case_on(study.panel, "evaluations", holds(exact), measured, {"over_n": per_iteration})]


def primal_and_dual(study: Study, _: Choice) -> list[Case]:
    """Judge sbp.dual: (P - P*)^2 <= 118 (D* - D) / lambda along SMO's run, with bounds on P* and D* at its end."""
    run = study.panel.runs[OPTIMUM][0]
    primal, dual = column(run.curve, "primal"), column(run.curve, "dual")
    best, accuracy = dual[-1], primal[-1] - dual[-1]
    far = best - dual > 10 * accuracy
    if not far.any():
        return [case_on(study.panel, "dual", MISSING, note="no evaluation before the optimum")]
    lambda_ = float(run.result["settings"]["problem"]["lambda_"])
    share = float(((primal - best)[far] / np.sqrt(118 * (best - dual)[far] / lambda_)).max())
    measured = f"the primal distance is at most {share:.2g} of the bound"
    decision = under_bound(Interval(share, share, share), 1.0)
    return [case_on(study.panel, "dual", decision, measured, {"share_of_bound": share})]


OPTIONS = {"sbp.rate": {"statistic": ("order", "constant"), "delta": 0.05}}
JUDGES: Final[dict[str, OfStudy]] = {
    "sbp.lemma21": lemma_21,
    "sbp.rate": rate,
    "sbp.cost": iteration_cost,
    "sbp.dual": primal_and_dual,
}
_HEAD: Final = 0.79  # inches
_CAPTIONS: Final = (
    "Median over the runs, and the range. Dotted: 1/√T, through the first evaluation at which it is below f*.",
    "Dashed: the bound from the theorems that the proof cites, with a probability of 95 %.",
)


def make(evidence: Evidence) -> FigureResult:
    """Draw the distances from the optimum and judge the lemmas."""
    found = [study for panel in evidence.panels if (study := study_of(panel)) is not None]
    judges = {name: partial(_judged, found=found, cases=cases) for name, cases in JUDGES.items()}
    return FigureResult(
        pd.concat([_record(study) for study in found], ignore_index=True) if found else pd.DataFrame(columns=COLUMNS),
        partial(_draw, found=found),
        layout.size(len(found), _HEAD),
        table=_table(found),
        claims=judge_claims(evidence, judges),
    )


def _draw(figure: Figure | SubFigure, found: Studies) -> None:
    """Draw one panel per data set, on logarithmic axes."""
    names = "Iterations T", r"$f^* - f(\bar w)$"
    for axes, study in layout.each_panel(figure, found, [STYLES[SBP]], _CAPTIONS, _HEAD, names):
        runs: list[Points] = [(study.iterations, gaps) for gaps in study.gaps]
        drawn = band(runs)
        assert drawn is not None  # distances are known at every evaluation
        layout.draw_band(axes, drawn, STYLES[SBP])
        look: dict[str, Any] = {"color": INK, "linewidth": 1.1}
        late = study.iterations[study.iterations >= study.u.upper**-2]
        if len(late):
            first = float(np.interp(late[0], study.iterations, drawn.median))
            axes.plot(late, first * np.sqrt(late[0] / late), linestyle=(0, (1.0, 1.5)), **look)
        bound = bound_of_lemma(0.05) / np.sqrt(study.iterations)
        axes.plot(study.iterations, bound, linestyle=(0, (5.0, 2.0)), **look)
        heading(axes, study.panel, f"f* = {study.u.upper:.4g}, {len(study.gaps)} runs")


def _table(found: Studies) -> Table:
    rows = [
        [
            name_of(study.panel),
            f"{study.u.norm:.4g}",
            f"{study.u.hinge:.4g}",
            f"{study.nu:.4g}",
            f"{study.u.upper:.5g}",
            f"{study.gaps[:, -1].mean():.2e}",
            f"{study.iterations[-1]:,.0f}",
        ]
        for study in found
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
        (study.norms / study.u.norm).ravel(),
        (study.hinges / study.u.hinge).ravel(),
        np.where(study.useful, 1 / (1 - study.gaps * study.u.norm), np.nan).ravel(),
        study.u.upper,
    )
    return pd.DataFrame(dict(zip(COLUMNS, values, strict=True)))
