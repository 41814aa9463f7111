"""The counterexample of Section 4.1: picture and verdict, from the solvers themselves."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import pandas as pd

from experiments.papers.judging import Part, holds, judged, put_together
from experiments.papers.minibatch import counterexample_picture
from experiments.papers.minibatch.looks import LOOKS
from experiments.papers.minibatch.two_points import OPTIMUM, VARIANTS, Path, path
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

STEPS: Final = 1000
RULE: Final = (
    f"{STEPS:,} iterations of each variant of the solver from alpha = 0. Naive: whether it is at (1, 1) and (0, 0) by "
    "turns at every one of them, with D = 0. Safe and aggressive: whether they end at (0.5, 0.5), to 1e-6, with D = "
    "0.25."
)


def make(evidence: Evidence) -> Made:
    """Draw the paths and judge the claim."""
    paths = {variant: path(variant, STEPS) for variant in VARIANTS}
    return Made(
        _points(paths),
        partial(counterexample_picture.draw, paths=paths),
        counterexample_picture.size(),
        claims=judged(evidence, {"minibatch.counterexample": lambda _, spec: _judge(spec, paths)}),
    )


def _judge(spec: ClaimSpec, paths: Mapping[str, Path]) -> Claim:
    return put_together(spec, RULE, [_part(variant, found) for variant, found in paths.items()])


def _part(variant: str, found: Path) -> Part:
    as_said = found.alternates if variant == "naive" else found.arrives
    low, high = float(found.dual.min()), float(found.dual.max())
    statistic = {"last_alpha": found.alpha[-1].tolist(), "least_dual": low, "largest_dual": high, "optimum": OPTIMUM}
    last = ", ".join(f"{value:g}" for value in found.alpha[-1])
    measured = f"D between {low:g} and {high:g}, alpha = ({last}) after {len(found.dual) - 1:,} iterations"
    return Part(("two equal examples", variant), LOOKS[variant].name, holds(as_said), measured, statistic)


def _points(paths: Mapping[str, Path]) -> pd.DataFrame:
    rows = [
        {"series": variant, "iteration": step, "alpha_1": alpha[0], "alpha_2": alpha[1], "dual": dual}
        for variant, found in paths.items()
        for step, (alpha, dual) in enumerate(zip(found.alpha, found.dual, strict=True))
        if step <= counterexample_picture.SHOWN
    ]
    return pd.DataFrame(rows)
