"""Figure 1: test error against feature accesses, SIMBA and Pegasos, each with the best value of its parameter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

import pandas as pd

from ...curve import first_at_or_below
from ...plotting import INK, MeanCurve, draw_spread, mean_curves, paper
from ...reproduction.evidence import Evidence, FigureResult, Table
from ...reproduction.numbers import Number
from .. import layout
from ..cases import judge_claims
from ..panels import heading, name_of
from ..printed import compare_number, data_difference
from .fig1_claim import ACCOUNTINGS, DENSE, LOOKS, NONZEROS, SIMBA, Sweep, sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROWS: Final[Mapping[str, tuple[str, str, str]]] = {
    "nonzeros": ("nonzeros", "test", "Nonzeros read"),
    "dense": ("dense", "test", "Coordinates read, zeros too: d a row, n a column"),
    "mixed": ("mixed", "test", "Pegasos: coordinates read, zeros too; SIMBA: nonzeros read"),
    "held out": ("nonzeros", "held_out", "Nonzeros read; parameters chosen on held-out rows"),
}
"""Rows of panels: accounting, choice of the parameters, name of the horizontal axis."""
_CAPTION: Final = (
    "Means over the runs, bands of one standard deviation. A panel begins where the first curve enters it. nu of SIMBA "
    "and lambda of Pegasos:\n"
    "those of the lowest test error, in the bottom row on held-out training rows. Dotted: Pegasos's lowest error; "
    "vertical: first within 2 % (relative) of it."
)
TOLERANCE: Final = 0.02
"""Of the vertical lines."""


Item = tuple[str, Sweep, Mapping[str, MeanCurve]]
"""Row and data set of a panel, and its curves by method; the first row has all methods, others SIMBA and Pegasos."""


def make(evidence: Evidence) -> FigureResult:
    """Choose the parameters, draw the figure and judge the claims."""
    sweeps = [sweep(evidence, panel) for panel in evidence.panels]
    drawn = [swept for swept in sweeps if any(swept.chosen.values())]
    shown = [(row, swept, _curves(swept, row)) for row in ROWS for swept in drawn]
    styles = [style for method, style in LOOKS.items() if any(method in curves for _, _, curves in shown)]
    names = ("", "Test error, %")
    return FigureResult(
        lambda: _data(shown),
        *layout.drawing(shown, styles, _CAPTION, names, _draw, columns=max(len(drawn), 1)),
        table=partial(_table, sweeps),
        claims=judge_claims(evidence, data=sweeps),
        numbers=list(_sizes(evidence)),
    )


def _curves(swept: Sweep, row: str) -> dict[str, MeanCurve]:
    accounting, chosen, _ = ROWS[row]
    curves: dict[str, MeanCurve] = {}
    for method, runs in swept.chosen[chosen].items():
        if row == "nonzeros" or method in ("simba", "pegasos"):
            curves |= mean_curves({method: swept.panel.curves(runs.series)}, cost=_cost(accounting, method))
    return curves


def _cost(accounting: str, method: str) -> str:
    """Return the column by which a method is charged."""
    return ACCOUNTINGS[accounting][method in SIMBA]


def _parameter(method: str) -> str:
    return "nu" if method in SIMBA else "lambda"


def _draw(axes: Axes, item: Item) -> None:
    row, swept, curves = item
    _, chosen, name = ROWS[row]
    axes.set_xlabel(name, color=INK)
    facts = [f"{_parameter(method)} = {swept.chosen[chosen][method].value:g}" for method in curves if "_" not in method]
    heading(axes, swept.panel, ", ".join(facts))
    for method, curve in curves.items():
        style, error, spread = LOOKS[method], 100 * curve.mean, 100 * curve.sd
        marks = {**style.markers(), "markevery": max(1, len(error) // 8)}
        axes.plot(curve.cost, error, drawstyle="steps-post", **style.look, **marks, zorder=3)
        draw_spread(axes, curve.cost, error - spread, error + spread, style)
    if curves:
        _draw_range(axes, curves)
    if "pegasos" in curves:
        _draw_target(axes, curves)
    if row == "mixed":
        axes.annotate(
            "Two different units", (1, 1), (-6, -4), xycoords="axes fraction", textcoords="offset points", color=INK,
            label=paper.NOTE, ha="right", va="top", weight="bold",
        )  # fmt: skip


def _draw_range(axes: Axes, curves: Mapping[str, MeanCurve]) -> None:
    """Set a linear range of errors to twice the lowest, or to the end of each curve, and the costs in this range."""
    lowest = min(float(curve.mean.min()) for curve in curves.values())
    highest = max(float(curve.mean.min()) for curve in curves.values())
    top = max(2 * lowest, 1.1 * highest)
    entered = [float(curve.cost[first_at_or_below(curve.mean, top)]) for curve in curves.values()]
    axes.set_yscale("linear")
    axes.set_ylim(100 * max(lowest - 0.06 * (top - lowest), 0.0), 100 * top)
    axes.set_xlim(min(entered) / 1.15, 1.15 * max(float(curve.cost[-1]) for curve in curves.values()))


def _draw_target(axes: Axes, curves: Mapping[str, MeanCurve]) -> None:
    best = float(curves["pegasos"].mean.min())
    axes.axhline(100 * best, color=INK, linewidth=0.9, linestyle=(0, (1.0, 2.0)), zorder=1)
    for method in ("pegasos", "simba"):
        if method in curves:
            reached = curves[method].cost[first_at_or_below(curves[method].mean, (1 + TOLERANCE) * best) :]
            for cost in reached[:1]:
                axes.axvline(cost, color=LOOKS[method].color, linewidth=1.0, linestyle=(0, (3.0, 2.0)), zorder=1)


def _data(shown: Sequence[Item]) -> pd.DataFrame:
    columns = ["panel", "dataset", "accounting", "chosen_on", "series", "cost", "x", "mean", "sd", "seeds"]
    tables = [pd.DataFrame(columns=columns)] if not shown else []
    for row, swept, curves in shown:
        accounting, chosen, _ = ROWS[row]
        for method, curve in curves.items():
            series, panel = swept.chosen[chosen][method].series, swept.panel
            seeds = " ".join(map(str, panel.seeds(series)))
            names = [panel.paper_dataset, panel.dataset, accounting, chosen, series, _cost(accounting, method)]
            values = [*names, curve.cost, curve.mean, curve.sd, seeds]
            tables.append(pd.DataFrame(dict(zip(columns, values, strict=True))))
    return pd.concat(tables, ignore_index=True)


def _table(sweeps: Sequence[Sweep]) -> Table:
    columns = ["data set", "method", "value", "runs", "lowest test error", "nonzeros to it", "counted dense"]
    rows = [
        [
            name_of(swept.panel),
            LOOKS[method].name,
            f"{_parameter(method)} = {runs.value:g}",
            str(runs.count),
            f"{100 * runs.best:.2f} ± {100 * runs.spread:.2f} %",
            *(f"{runs.cost_to((1 + TOLERANCE) * runs.best, cost):.1e}" for cost in (NONZEROS, DENSE)),
            "" if math.isinf(runs.held_error) else f"{100 * runs.held_error:.2f} %",
            " and ".join(how for how, chosen in swept.chosen.items() if chosen.get(method) is runs).replace("_", " "),
        ]
        for swept in sweeps
        for method, members in swept.members.items()
        for runs in members
    ]
    notes = [
        "Lowest test error: of the mean over the runs along its curve; ±: standard deviation over the runs there. "
        f"Accesses to it: until the mean is at most {100 * TOLERANCE:.0f} % (relative) above it.",
        "Held-out error: the same on a quarter of the training set, by runs on the other three quarters.",
    ]
    return Table([*columns, "held-out error", "chosen on"], rows, notes)


def _sizes(evidence: Evidence) -> Iterator[Number]:
    """Compare the printed sizes, whose names are a data set and a quantity."""
    panels = {panel.paper_dataset: panel for panel in evidence.panels if any(panel.runs.values())}
    printed = {spec.name: int(spec.paper) for spec in evidence.spec.numbers}
    for spec in evidence.spec.numbers:
        dataset, _, quantity = spec.name.partition(": ")
        if dataset not in panels:
            yield compare_number(spec, "", None)
            continue
        run = next(run for runs in panels[dataset].runs.values() for run in runs)
        train, test = (run.result["provenance"]["data"]["counts"][part] for part in ("train", "test"))
        sizes = {"features": train["d"], "training examples": train["n"], "test examples": test["n"]}
        sizes["examples"] = train["n"] + test["n"]
        why = data_difference(panels[dataset], printed[f"{dataset}: training examples"])
        yield compare_number(spec, why, sizes[quantity])
