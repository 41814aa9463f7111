"""Section 4.1: the two equal examples on which naive SDCA alternates, computed by the solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from ...plotting import INK, legend_row, plain_frame, row_of_axes
from ...reproduction.evidence import Evidence, FigureResult
from ...reproduction.numbers import number
from ...reproduction.statistics.interval import holds
from .. import layout
from ..cases import Case, Findings, Statistic, case_of, judge_claims
from .methods import METHOD_STYLES, name_of_method
from .reference import compiled_sdca

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

OPTIMUM: Final = 0.25
"""D(alpha) at alpha = (0.5, 0.5)."""
VARIANTS: Final = ("naive", "safe", "aggressive")
STEPS: Final = 1000
SHOWN: Final = 12
"""Number of iterations drawn."""
COLUMNS: Final = ("alpha_1", "alpha_2", "dual")
NUMBERS: Final = {
    "alpha of naive SDCA after one iteration": ("naive", "alpha_1", 1),
    "D of naive SDCA after one iteration": ("naive", "dual", 1),
    "alpha of naive SDCA after two iterations": ("naive", "alpha_1", 2),
    "D at the optimum": ("safe", "dual", -1),
    "alpha at the optimum": ("safe", "alpha_1", -1),
}
"""Variant, column of its path and iteration of each printed number."""


def path(variant: str, steps: int) -> pd.DataFrame:
    """Run one of `VARIANTS`, with both examples in each iteration; a row for each from 0 on: alpha and D(alpha)."""
    from .... import solvers

    # (x, 1) and (-x, -1) are the same example for a linear classifier without bias
    X, y = np.array([[1.0], [-1.0]], dtype=np.float32), np.array([1, -1], dtype=np.int8)
    core = compiled_sdca(solvers.Problem(X, y, solvers.Linear(), lambda_=0.5), variant, batch_size=2)
    rows = [(*core.alpha(), core.lower_bound)]
    for step in range(1, steps + 1):
        core.advance(iterations=step)
        rows.append((*core.alpha(), core.lower_bound))
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=np.float64)


def alternates(iterates: pd.DataFrame) -> bool:
    """Return whether alpha alternates between (0, 0) and (1, 1), with D = 0 at both."""
    turns = np.arange(len(iterates)) % 2
    alpha = iterates[["alpha_1", "alpha_2"]].to_numpy()
    return bool((alpha == turns[:, None]).all() and (iterates["dual"].abs() <= 1e-12).all())


def arrives(iterates: pd.DataFrame) -> bool:
    """Return whether the last iterate is the optimum."""
    distance = (iterates.iloc[-1] - [0.5, 0.5, OPTIMUM]).abs()
    return bool((distance <= [1e-6, 1e-6, 1e-9]).all())


@dataclass(frozen=True, kw_only=True)
class EndOfPaths(Statistic, kind="end_of_paths"):
    """Some of `VARIANTS` alternate between alpha = (0, 0) and (1, 1), others arrive at the optimum; a case for each."""

    alternate: list[str]
    arrive: list[str]

    def findings(self, data: Mapping[str, pd.DataFrame], evidence: Evidence) -> Findings:
        """Look at each path."""
        rules = dict.fromkeys(self.alternate, alternates) | dict.fromkeys(self.arrive, arrives)
        return Findings([_case(name, data[name], rule(data[name])) for name, rule in rules.items() if name in data])


def _case(variant: str, iterates: pd.DataFrame, as_said: bool) -> Case:
    low, high, last = float(iterates["dual"].min()), float(iterates["dual"].max()), iterates.iloc[-1].tolist()[:2]
    statistic = {"last_alpha": last, "least_dual": low, "largest_dual": high, "optimum": OPTIMUM}
    alpha = ", ".join(f"{value:g}" for value in last)
    measured = f"D between {low:g} and {high:g}, alpha = ({alpha}) after {len(iterates) - 1:,} iterations"
    return case_of("", variant, name_of_method(variant), holds(as_said), measured, statistic)


def compute(_: Evidence) -> dict[str, Any]:
    """Return the paths of all variants, as plain lists."""
    paths = {variant: path(variant, STEPS).to_numpy() for variant in VARIANTS}
    return {
        "paths": {name: {"alpha": rows[:, :2].tolist(), "dual": rows[:, 2].tolist()} for name, rows in paths.items()}
    }


def make(evidence: Evidence) -> FigureResult:
    """Draw the paths and judge the claim."""
    paths = {
        name: pd.DataFrame(np.column_stack([plain["alpha"], plain["dual"]]), columns=list(COLUMNS))
        for name, plain in evidence.computed.get("paths", {}).items()
    }
    numbers = [
        number(spec, float(paths[variant][column].iloc[step]) if variant in paths else None)
        for spec in evidence.spec.numbers
        for variant, column, step in [NUMBERS[spec.name]]
    ]
    shown = [iterates.head(SHOWN + 1).rename_axis("iteration").reset_index() for iterates in paths.values()]
    return FigureResult(
        lambda: pd.concat(shown, keys=paths, names=["series"]).reset_index(level="series") if shown else pd.DataFrame(),
        partial(_draw, paths=paths),
        (layout.WIDTH, 3.9),
        claims=judge_claims(evidence, data=paths),
        numbers=numbers,
    )


def _draw(figure: Figure | SubFigure, paths: Mapping[str, pd.DataFrame]) -> None:
    """Draw alpha and the dual objective, side by side."""
    places = row_of_axes(figure, 2, above=0.55, below=0.55)
    legend_row(figure, [METHOD_STYLES[variant] for variant in paths], (places[0].get_position().x0, 1.0))
    sides = (
        ("alpha_1", (-0.08, 1.08), 0.5, r"$\alpha_1 = \alpha_2$"),
        ("dual", (-0.022, 0.297), OPTIMUM, r"Dual objective $D(\alpha)$"),
    )
    for axes, (column, limits, value, label) in zip(places, sides, strict=True):
        for variant, iterates in paths.items():
            style = METHOD_STYLES[variant]
            # safe and aggressive steps coincide: the lower line is wider to stay visible
            width, alpha = (3 * style.width, 0.45) if variant == "safe" else (style.width, 1.0)
            look = replace(style, line="-", width=width).look | {"alpha": alpha}
            axes.plot(iterates[column][: SHOWN + 1], **look, **style.markers(), zorder=3)
        axes.set_ylim(limits)
        axes.axhline(value, color=INK, linewidth=0.9, linestyle=(0, (1.0, 2.0)), zorder=1)
        axes.annotate(f"optimum, {value:g}", (SHOWN, value), (0, 7), textcoords="offset points", ha="right")
        axes.set_xlabel("Iteration", color=INK)
        axes.set_ylabel(label, color=INK)
        plain_frame(axes)
