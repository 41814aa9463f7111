"""Figure 1: test error against feature accesses, SIMBA and Pegasos, each with the best value of its parameter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import judge_claims
from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.papers.printed import compare_number, data_difference
from svm_cost_curves.experiments.papers.simba.fig1_claim import (
    ACCOUNTINGS,
    DENSE,
    NONZEROS,
    Member,
    Sweep,
    Sweeps,
    judge_accesses,
    judge_clipping,
    judge_error,
    judge_sparse,
    sweep,
)
from svm_cost_curves.experiments.plotting import INK, STYLES, MeanCurve, Style, draw_spread, mean_curves, paper
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.verdict import Number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


def _parameter(method: str) -> str:
    return r"\nu" if method.startswith("simba") else r"\lambda"


LOOKS: Final[Mapping[str, Style]] = {
    "simba": STYLES["simba"],
    "simba_printed": replace(STYLES["simba"], name="SIMBA, rate as printed", line=(0, (1.5, 1.0)), color="#c2a5cf"),
    "simba_unclipped": replace(STYLES["simba"], name="SIMBA, no clipping", line=(0, (6.0, 1.5)), color="#c2a5cf"),
    "pegasos": STYLES["pegasos"],
    "pegasos_k": replace(STYLES["minibatch_pegasos"], name="Pegasos, k = 100", color="#999999"),
}
ROWS: Final[Mapping[str, tuple[str, str, str]]] = {
    "nonzeros": ("nonzeros", "test", "Nonzeros read"),
    "dense": ("dense", "test", "Coordinates read, zeros too: d a row, n a column"),
    "mixed": ("mixed", "test", "Pegasos: coordinates read; SIMBA: nonzeros read"),
    "held out": ("nonzeros", "held_out", "Nonzeros read; parameters chosen on held-out rows"),
}
"""Rows of panels: accounting, choice of the parameters, name of the horizontal axis."""
_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    "Means over the runs, bands of one standard deviation. Each method has the parameter of its lowest test error; "
    "bottom row: on held-out training rows.\n"
    "Dotted: Pegasos's lowest error; vertical lines: where each method first comes within 2 % (relative) of it."
)
TOLERANCE: Final = 0.02
"""Of the vertical lines."""


_PAIR = {
    "chosen": ("test", "held_out"),
    "pegasos": ("pegasos", "pegasos_k"),
    "simba": ("simba", "simba_printed", "simba_unclipped"),
}
OPTIONS = {
    "simba.1": {"accounting": tuple(ACCOUNTINGS), **_PAIR},
    "simba.error": _PAIR,
    "simba.sparse": _PAIR,
}


def make(evidence: Evidence) -> FigureResult:
    """Choose the parameters, draw the figure and judge the claims."""
    sweeps = [sweep(panel, evidence.spec) for panel in evidence.panels]
    shown = [_panel(found, row) for row in ROWS for found in sweeps if any(found.chosen.values())]
    judges = {
        "simba.1": partial(judge_accesses, sweeps),
        "simba.error": partial(judge_error, sweeps),
        "simba.clipping": partial(judge_clipping, sweeps),
        "simba.sparse": partial(judge_sparse, sweeps),
    }
    return FigureResult(
        _data(shown),
        partial(_draw, shown=shown, columns=max(len(shown) // len(ROWS), 1)),
        layout.size(len(shown), _HEAD, max(len(shown) // len(ROWS), 1)),
        table=_table(sweeps),
        claims=judge_claims(evidence, judges),
        numbers=list(_sizes(evidence)),
    )


@dataclass(frozen=True)
class Shown:
    """One panel of the picture: a data set under one accounting.

    Attributes
    ----------
    sweep : Sweep
    row : str
        Key of `ROWS`.
    members : mapping of str to Member
        By method.
    curves : mapping of str to MeanCurve
    """

    sweep: Sweep
    row: str
    members: Mapping[str, Member]
    curves: Mapping[str, MeanCurve]


def _panel(found: Sweep, row: str) -> Shown:
    accounting, chosen, _ = ROWS[row]
    pegasos, simba = ACCOUNTINGS[accounting]
    members = {name: own for name, own in found.chosen[chosen].items() if row == "nonzeros" or "_" not in name}
    curves: dict[str, MeanCurve] = {}
    for method, member in members.items():
        cost = simba if method.startswith("simba") else pegasos
        curves |= mean_curves({method: found.panel.curves(member.series)}, cost=cost)
    return Shown(found, row, members, curves)


def _draw(figure: Figure | SubFigure, shown: Sequence[Shown], columns: int) -> None:
    """Draw one row of panels for each accounting; errors are logarithmic, so that the target's neighbourhood shows."""
    styles = [style for method, style in LOOKS.items() if any(method in each.curves for each in shown)]
    names = ("", "Test error, %")
    panels = layout.each_panel(figure, shown, styles, _CAPTION.split("\n"), _HEAD, names, columns)
    for axes, each in panels:
        axes.set_xlabel(ROWS[each.row][2], color=INK)
        facts = [f"{LOOKS[name].name}: ${_parameter(name)} = {_math(own.value)}$" for name, own in each.members.items()]
        heading(axes, each.sweep.panel)
        axes.annotate(
            "\n".join(facts), (0, 0), (5, 16), xycoords="axes fraction", textcoords="offset points", label=paper.NOTE,
            ha="left", va="bottom", color=INK, bbox={"facecolor": "white", "linewidth": 0, "pad": 1.5},
        )  # fmt: skip
        for method, curve in each.curves.items():
            _draw_curve(axes, curve, LOOKS[method])
        if "pegasos" in each.curves:
            _draw_target(axes, each.curves)
        layout.plain_ticks(axes.yaxis, (1.0, 1.5, 2.0, 3.0, 5.0, 7.0))


def _draw_curve(axes: Axes, curve: MeanCurve, style: Style) -> None:
    error, spread = 100 * curve.mean, 100 * curve.sd
    marks = {**style.markers(), "markevery": max(1, len(error) // 8)}
    axes.plot(curve.cost, error, drawstyle="steps-post", **style.look, **marks, zorder=3)
    low = np.maximum(error - spread, 0.5 * error)
    draw_spread(axes, curve.cost, low, error + spread, style)


def _math(value: float) -> str:
    r"""Write a number for mathematics: ``3 \times 10^{-5}``."""
    mantissa, _, exponent = f"{value:e}".partition("e")
    if not value or int(exponent) >= -3:
        return f"{value:g}"
    return (rf"{float(mantissa):g} \times " if float(mantissa) != 1 else "") + f"10^{{{int(exponent)}}}"


def _draw_target(axes: Axes, curves: Mapping[str, MeanCurve]) -> None:
    best = float(curves["pegasos"].mean.min())
    axes.axhline(100 * best, color=INK, linewidth=0.9, linestyle=(0, (1.0, 2.0)), zorder=1)
    for method in ("pegasos", "simba"):
        if method in curves:
            reached = curves[method].cost[curves[method].mean <= (1 + TOLERANCE) * best + 1e-12]
            for cost in reached[:1]:
                axes.axvline(cost, color=LOOKS[method].color, linewidth=1.0, linestyle=(0, (3.0, 2.0)), zorder=1)
    lowest = min(float(curve.mean.min()) for curve in curves.values())
    axes.set_ylim(85 * lowest, 100 * max(min(0.5, 8 * best), 1.5 * lowest))


def _data(shown: Sequence[Shown]) -> pd.DataFrame:
    columns = ["panel", "dataset", "accounting", "chosen_on", "series", "cost", "x", "mean", "sd", "seeds"]
    tables = [
        pd.DataFrame(
            {
                "panel": each.sweep.panel.paper_dataset,
                "dataset": each.sweep.panel.dataset,
                "accounting": ROWS[each.row][0],
                "chosen_on": ROWS[each.row][1],
                "series": each.members[method].series,
                "cost": ACCOUNTINGS[ROWS[each.row][0]][method.startswith("simba")],
                "x": curve.cost,
                "mean": curve.mean,
                "sd": curve.sd,
                "seeds": " ".join(map(str, each.sweep.panel.seeds(each.members[method].series))),
            }
        )
        for each in shown
        for method, curve in each.curves.items()
    ]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)


def _table(sweeps: Sweeps) -> Table:
    columns = ["data set", "method", "value", "runs", "lowest test error", "nonzeros to it", "counted dense"]
    rows = [
        [
            name_of(found.panel),
            LOOKS[method].name,
            f"{'nu' if method.startswith('simba') else 'lambda'} = {member.value:g}",
            str(member.runs.count),
            f"{100 * member.runs.best:.2f} ± {100 * member.runs.spread:.2f} %",
            *(_accesses(member, cost) for cost in (NONZEROS, DENSE)),
            "" if member.held is None else f"{100 * member.held.best:.2f} %",
            " and ".join(how for how, chosen in found.chosen.items() if chosen.get(method) is member).replace("_", " "),
        ]
        for found in sweeps
        for method, members in found.members.items()
        for member in members
    ]
    notes = [
        "Lowest test error: of the mean over the runs along its curve; ±: standard deviation over the runs there. "
        f"Accesses to it: until the mean is at most {100 * TOLERANCE:.0f} % (relative) above it.",
        "Held-out error: the same on a quarter of the training set, by runs on the other three quarters.",
    ]
    return Table([*columns, "held-out error", "chosen on"], rows, notes)


def _accesses(member: Member, cost: str) -> str:
    mean = member.runs.mean()
    return f"{member.runs.cost(cost, int(np.argmax(mean <= (1 + TOLERANCE) * mean.min()))):.1e}"


def _sizes(evidence: Evidence) -> Iterator[Number]:
    """Compare the printed sizes, whose names are a data set and a quantity."""
    panels = {panel.paper_dataset: panel for panel in evidence.panels}
    printed = {spec.name: int(spec.paper) for spec in evidence.spec.numbers}
    for spec in evidence.spec.numbers:
        dataset, _, what = spec.name.partition(": ")
        panel = panels.get(dataset)
        run = None if panel is None else next((run for runs in panel.runs.values() for run in runs), None)
        if panel is None or run is None:
            yield compare_number(spec, "", None)
            continue
        counts = run.result["provenance"]["data"]["counts"]
        train, test = counts["train"], counts["test"]
        found = {
            "features": train["d"],
            "examples": train["n"] + test["n"],
            "training examples": train["n"],
            "test examples": test["n"],
        }
        yield compare_number(spec, data_difference(panel, printed[f"{dataset}: training examples"]), [found[what]])
