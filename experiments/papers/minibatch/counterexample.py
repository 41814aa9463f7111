"""Section 4.1: the two equal examples on which naive SDCA alternates, computed by the solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import Case, Findings, holds, judge_claims
from svm_cost_curves.experiments.papers.minibatch.methods import METHOD_STYLES
from svm_cost_curves.experiments.plotting import INK, legend_row, plain_frame, row_of_axes
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.verdict import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

LAMBDA: Final = 0.5
BATCH: Final = 2
OPTIMUM: Final = 0.25
"""D(alpha) at alpha = (0.5, 0.5)."""
VARIANTS: Final = ("naive", "safe", "aggressive")


@dataclass(frozen=True)
class Path:
    """The first iterates of one variant.

    Attributes
    ----------
    alpha : (k + 1, 2) float64
        Dual variables, from 0 on.
    dual : (k + 1,) float64
        D(alpha).
    """

    alpha: NDArray[np.float64]
    dual: NDArray[np.float64]

    @property
    def alternates(self) -> bool:
        """Whether alpha alternates between (0, 0) and (1, 1), with D = 0 at both."""
        turns = np.arange(len(self.alpha)) % 2
        return bool((self.alpha == turns[:, None]).all() and (np.abs(self.dual) <= 1e-12).all())

    @property
    def arrives(self) -> bool:
        """Whether the last iterate is the optimum."""
        return bool(np.abs(self.alpha[-1] - 0.5).max() <= 1e-6 and abs(self.dual[-1] - OPTIMUM) <= 1e-9)


def path(variant: str, steps: int) -> Path:
    """Run one of `VARIANTS` for some iterations; each uses both examples."""
    from svm_cost_curves import solvers

    # (x, 1) and (-x, -1) are the same example for a linear classifier without bias
    X, y = np.array([[1.0], [-1.0]], dtype=np.float32), np.array([1, -1], dtype=np.int8)
    problem = solvers.Problem(X, y, solvers.Linear(), lambda_=LAMBDA)
    solver = solvers.get("minibatch_sdca")
    settings = solver.Settings(batch_size=BATCH)
    settings.variant = type(settings.variant)[variant]
    made: Any = solver(problem, settings, 0)
    core = made.make()
    alpha, dual = [np.array(core.alpha())], [float(core.lower_bound)]
    for step in range(1, steps + 1):
        core.advance(iterations=step)
        alpha.append(np.array(core.alpha()))
        dual.append(float(core.lower_bound))
    return Path(np.array(alpha), np.array(dual))


SHOWN: Final = 12
"""Number of iterations drawn."""
_HEIGHT, _ABOVE, _BELOW = 3.9, 0.55, 0.55  # inches


def _draw(figure: Figure | SubFigure, paths: Mapping[str, Path]) -> None:
    """Draw both panels."""
    left, right = row_of_axes(figure, 2, above=_ABOVE, below=_BELOW)
    legend_row(figure, [METHOD_STYLES[variant] for variant in paths], (left.get_position().x0, 1.0))
    for variant, found in paths.items():
        style = METHOD_STYLES[variant]
        # safe and aggressive steps coincide: the lower line is wider to stay visible
        width, alpha = (3 * style.width, 0.45) if variant == "safe" else (style.width, 1.0)
        look = replace(style, line="-", width=width).look | {"alpha": alpha}
        for axes, values in ((left, found.alpha[:, 0]), (right, found.dual)):
            axes.plot(values[: SHOWN + 1], **look, **style.markers(), zorder=3)
    for axes, value, text in ((left, 0.5, "optimum, 0.5"), (right, OPTIMUM, "optimum, 0.25")):
        axes.axhline(value, color=INK, linewidth=0.9, linestyle=(0, (1.0, 2.0)), zorder=1)
        above: dict[str, Any] = {"textcoords": "offset points", "ha": "right"}
        axes.annotate(text, (SHOWN, value), (0, 7), **above)
    left.set_ylim(-0.08, 1.08)
    right.set_ylim(-0.022, 0.297)
    _label_axes(left, "Iteration", r"$\alpha_1 = \alpha_2$")
    _label_axes(right, "Iteration", r"Dual objective $D(\alpha)$")


def _label_axes(axes: Axes, below: str, beside: str) -> None:
    axes.set_xlabel(below, color=INK)
    axes.set_ylabel(beside, color=INK)
    plain_frame(axes)


STEPS: Final = 1000


NUMBERS: Final = {
    "alpha of naive SDCA after one iteration": ("naive", "alpha", 1),
    "D of naive SDCA after one iteration": ("naive", "dual", 1),
    "alpha of naive SDCA after two iterations": ("naive", "alpha", 2),
    "D at the optimum": ("safe", "dual", -1),
    "alpha at the optimum": ("safe", "alpha", -1),
}
"""Variant, attribute of its `Path` and iteration of each printed number."""


def compute(_: Evidence) -> dict[str, Any]:
    """Return the paths of all variants, as plain lists."""
    paths = {variant: path(variant, STEPS) for variant in VARIANTS}
    return {"paths": {name: {"alpha": own.alpha.tolist(), "dual": own.dual.tolist()} for name, own in paths.items()}}


def make(evidence: Evidence) -> FigureResult:
    """Draw the paths and judge the claim."""
    made = evidence.computed.get("paths", {})
    paths = {name: Path(np.array(own["alpha"]), np.array(own["dual"])) for name, own in made.items()}
    numbers = {
        name: np.ravel(getattr(paths[variant], field)[step])[0]
        for name, (variant, field, step) in NUMBERS.items()
        if variant in paths
    }
    return FigureResult(
        _points(paths),
        partial(_draw, paths=paths),
        (layout.WIDTH, _HEIGHT),
        claims=judge_claims(
            evidence,
            {"minibatch.counterexample": lambda *_: Findings([_case(*each) for each in paths.items()])},
        ),
        numbers=[number(spec, numbers.get(spec.name)) for spec in evidence.spec.numbers],
    )


def _case(variant: str, found: Path) -> Case:
    as_said = found.alternates if variant == "naive" else found.arrives
    low, high = float(found.dual.min()), float(found.dual.max())
    statistic = {"last_alpha": found.alpha[-1].tolist(), "least_dual": low, "largest_dual": high, "optimum": OPTIMUM}
    last = ", ".join(f"{value:g}" for value in found.alpha[-1])
    measured = f"D between {low:g} and {high:g}, alpha = ({last}) after {len(found.dual) - 1:,} iterations"
    return Case(("", variant), METHOD_STYLES[variant].name, holds(as_said), measured, statistic)


def _points(paths: Mapping[str, Path]) -> pd.DataFrame:
    rows = [
        {"series": variant, "iteration": step, "alpha_1": alpha[0], "alpha_2": alpha[1], "dual": dual}
        for variant, found in paths.items()
        for step, (alpha, dual) in enumerate(zip(found.alpha, found.dual, strict=True))
        if step <= SHOWN
    ]
    return pd.DataFrame(rows)
