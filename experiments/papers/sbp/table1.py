"""Table 1: the bounds on kernel evaluations, beside the evaluations that the methods of Figure 2 take.

The constants of a bound cannot be compared with anything, but its growth can.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from experiments.papers.judging import between
from experiments.papers.panels import name_of
from experiments.papers.sbp.growth import BOUNDS, DELTAS, KEPT, PRINTED, Growth
from experiments.papers.sbp.growth_claim import PanelGrowth, judge, measure, series_name
from experiments.papers.sbp.growth_picture import SIZE, draw
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made, Table

COLUMNS = (
    "dataset",
    "series",
    "delta",
    "error_wanted",
    "evaluations",
    "at_first_checkpoint",
    "first_met",
    "runs_that_met",
    "runs",
    "fitted",
    "bound",
    "bound_over_n",
)


def make(evidence: Evidence) -> Made:
    """Measure growth on every data set, and judge the claim."""
    panels = [measured for panel in evidence.panels if (measured := measure(panel)) is not None]
    return Made(
        data=_data(panels),
        draw=partial(draw, panels=panels),
        size=SIZE,
        table=_table(panels),
        claims=[judge(spec, panels) for spec in evidence.spec.claims],
    )


def _table(panels: Sequence[PanelGrowth]) -> Table:
    columns = ["data set", "method", "bound", "its exponent", "at fixed n", "exponent measured", "runs"]
    rows: list[list[str]] = []
    for measured in panels:
        for name, growth in measured.growths.items():
            bound = BOUNDS.get(name.removesuffix(KEPT))
            exponents = [measured.bound_exponent(name, growth.used, per_example=each) for each in (False, True)]
            rows.append(
                [
                    name_of(measured.panel),
                    series_name(name),
                    "" if bound is None else f"{bound.formula} ({bound.method})",
                    *("" if value is None else f"{value:.2f}" for value in exponents),
                    "" if growth.interval is None else between(growth.interval, ".2f"),
                    str(growth.runs),
                    *(_cell(growth, k) for k in map(DELTAS.index, PRINTED)),
                ]
            )
    notes = [
        "δ columns: kernel evaluations from which on the test error, as the mean over the runs, stays at or below "
        "(1 + δ) E* until the end; ≤: at the first checkpoint already; —: not reached; o: one answer for every example "
        "is as good.",
        "Exponent: a of evaluations ~ (1/δ)^a, by least squares over these δ and some between them; 95 % bootstrap "
        "interval over the runs, E* held fixed. The bound's: the same fit to the formula, with ε = δ E*; at fixed n: "
        "to the formula over n = (L+ε)/ε ‖u‖^2/ε (equation 3.5), as the runs have the same n whatever error is wanted.",
        *(_note(measured) for measured in panels),
        *_accounting(panels),
        "SDCA's bound has a further factor n (section 4.4); the Perceptron's is the SBP's, for one pass (section 4.5).",
    ]
    return Table([*columns, *(f"δ = {delta:g}" for delta in PRINTED)], rows, notes)


def _accounting(panels: Sequence[PanelGrowth]) -> list[str]:
    """Say how methods are charged that need not keep all responses."""
    charged: dict[str, set[str]] = {}
    for measured in panels:
        for name, runs in measured.panel.runs.items():
            for run in runs:
                way = run.result["settings"]["algo"].get("accounting")
                charged.setdefault(way, set()).add(series_name(name))
    texts = {
        "on_demand": "one evaluation per support vector for each response",
        "kept": "n for each example whose coefficient changes",
    }
    return [f"{'; '.join(sorted(charged[way]))}: charged {text}." for way, text in texts.items() if way in charged]


def _cell(growth: Growth, k: int) -> str:
    if not growth.fair[k]:
        return "o"
    if math.isinf(growth.costs[k]):
        return "—"
    return f"{growth.costs[k]:.1e}" if growth.costs[k] > 0 else f"≤ {growth.grid[0]:.1e}"


def _note(measured: PanelGrowth) -> str:
    best = f"{100 * measured.best:.2f} %, the lowest mean final test error ({series_name(measured.best_by)})"
    text = f"{name_of(measured.panel)}: E* = {best}; one answer for all is wrong on {100 * measured.trivial:.1f} %"
    if measured.hinge is None:
        return f"{text}; no run of SMO, hence no L and no exponents of the bounds."
    text += f"; L = {measured.hinge:.3g}, the mean hinge loss of SMO's last predictor on the training set"
    if measured.hinge > measured.best:
        text += ", above E*: the bounds promise an error of L + ε, so that errors near E* are better than promised"
    return f"{text}."


def _data(panels: Sequence[PanelGrowth]) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for measured in panels:
        for name, growth in measured.growths.items():
            first = growth.first_of(range(growth.runs))
            met = np.isfinite(growth.first).sum(axis=0)
            unknown = [math.nan] * len(DELTAS)
            bounds = measured.bounds(name) or unknown
            per_example = measured.bounds(name, per_example=True) or unknown
            rows += [
                {
                    "dataset": measured.panel.dataset,
                    "series": name,
                    "delta": delta,
                    "error_wanted": growth.targets[k],
                    "evaluations": _known(growth.costs[k]),
                    "at_first_checkpoint": bool(growth.costs[k] == 0),
                    "first_met": _known(first[k]),
                    "runs_that_met": int(met[k]),
                    "runs": growth.runs,
                    "fitted": bool(growth.used[k]),
                    "bound": bounds[k],
                    "bound_over_n": per_example[k],
                }
                for k, delta in enumerate(DELTAS)
            ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _known(cost: float) -> float:
    return float(cost) if math.isfinite(cost) and cost > 0 else math.nan
