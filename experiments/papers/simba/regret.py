"""Lemma 4.2: the regret of Variance MW on sequences that are uniform, heavy-tailed, adverse, and beyond the cut."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...plotting import FAINT, INK, STYLES, plain_frame, row_of_axes
from ...reproduction.evidence import Evidence, FigureResult
from ...reproduction.statistics.interval import holds
from ..cases import Case, Statistic, case_of, judge_claims

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

N: Final = 100
ROUNDS: Final = 1000
ETA: Final = math.sqrt(math.log(N) / ROUNDS)

Vector: TypeAlias = NDArray[np.float64]
Losses = Callable[[Vector, np.random.Generator], Vector]
"""Losses v of a round, (n,), from the weights p before it."""


def _clipped(p: Vector, generator: np.random.Generator) -> Vector:
    """Return estimates as SIMBA's: few large values, of variance 1, cut at 1 / eta."""
    large = generator.random(len(p)) < ETA**2
    return generator.normal(0.1, 0.3, len(p)) + np.where(large, generator.choice([-1, 1], len(p)) / ETA, 0.0)


SEQUENCES: Final[Mapping[str, Losses]] = {
    "uniform": lambda p, generator: generator.uniform(-1, 1, len(p)),
    "heavy tails": _clipped,
    "against the heavier half": lambda p, _: np.where(p >= np.median(p), 1.0, -1.0),
    "beyond the cut": lambda p, generator: generator.normal(0, 2 / ETA, len(p)),
}


def variance_mw(losses: Losses, seed: int = 0) -> pd.DataFrame:
    """Play `ROUNDS` rounds of Variance MW (Definition 4.1) with the step `ETA`.

    Returns
    -------
    DataFrame
        Both sides of the lemma after each round: ``loss``, the sum of p'v; ``best``, the least sum of the losses, cut
        at -1 / eta; ``variance``, eta times the sum of p'v^2; and ``bound``, the right side.
    """
    generator = np.random.default_rng(seed)
    log_w, sums, rows = np.zeros(N), np.zeros(N), []
    loss = variance = 0.0
    for round_ in range(1, ROUNDS + 1):
        w = np.exp(log_w - log_w.max())
        p = w / w.sum()
        v = losses(p, generator)
        loss += float(p @ v)
        variance += ETA * float(p @ v**2)
        sums += np.maximum(v, -1 / ETA)
        rows.append((round_, loss, float(sums.min()), variance))
        log_w += np.log(1 - ETA * v + (ETA * v) ** 2)
    sides = pd.DataFrame(rows, columns=["round", "loss", "best", "variance"])
    return sides.assign(bound=sides["best"] + math.log(N) / ETA + sides["variance"])


@dataclass(frozen=True, kw_only=True)
class RegretBound(Statistic, kind="regret_bound"):
    """Loss - the best example's loss - variance is at most log n / eta after every round of each sequence."""

    def case(self, item: tuple[str, pd.DataFrame], evidence: Evidence) -> Case:
        """Compare the largest share of log n / eta with 1."""
        name, sides = item
        share = float(((sides["loss"] - sides["best"] - sides["variance"]) * ETA / math.log(N)).max())
        return case_of("", name, name, holds(share <= 1), f"at most {share:.3f} of log n / eta", {"share": share})


def make(evidence: Evidence) -> FigureResult:
    """Play all sequences, draw both sides and judge the claim."""
    data = {name: variance_mw(losses) for name, losses in SEQUENCES.items()}
    points = pd.concat(data, names=["sequence"]).reset_index(level="sequence").reset_index(drop=True)
    points.insert(1, "n", N)
    points.insert(2, "eta", ETA)
    return FigureResult(
        lambda: points, partial(_draw, data=data), (12.0, 3.6), claims=judge_claims(evidence, data=data.items())
    )


def _draw(figure: Figure | SubFigure, data: Mapping[str, pd.DataFrame]) -> None:
    """Draw loss and bound, both less the best example's loss, against the rounds; one panel for each sequence."""
    text: dict[str, Any] = {"size": "large", "color": INK}
    looks = {"loss": STYLES["simba"].look, "bound": {"color": FAINT, "linewidth": 1.4, "linestyle": (0, (4.0, 2.0))}}
    places = row_of_axes(figure, len(data), above=0.6, below=0.55)
    places[0].set_ylabel(r"$\sum p_t^\top v_t - \min_i \sum v_t(i)$", **text)
    for axes, (name, sides) in zip(places, data.items(), strict=True):
        for label, side in (("regret", "loss"), ("bound", "bound")):
            above = sides[side] - sides["best"]
            axes.plot(sides["round"], above, **looks[side])
            spot = (sides["round"][600], above[600])
            axes.annotate(label, spot, (0, 6), textcoords="offset points", ha="right", color=looks[side]["color"])
        axes.set_title(name, **text, loc="left")
        axes.set_xlabel("Round $t$", **text)
        plain_frame(axes)
