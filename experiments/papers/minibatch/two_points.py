"""The two equal examples of Section 4.1: what each variant of mini-batch SDCA does with them, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import solvers

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
        """Whether it is at (0, 0) and at (1, 1) by turns, with D = 0 at both."""
        turns = np.arange(len(self.alpha)) % 2
        return bool((self.alpha == turns[:, None]).all() and (np.abs(self.dual) <= 1e-12).all())

    @property
    def arrives(self) -> bool:
        """Whether it ends at the optimum."""
        return bool(np.abs(self.alpha[-1] - 0.5).max() <= 1e-6 and abs(self.dual[-1] - OPTIMUM) <= 1e-9)


def path(variant: str, steps: int) -> Path:
    """Run the solver itself for some iterations, each of which takes both examples.

    Parameters
    ----------
    variant : str
        One of `VARIANTS`.
    steps : int
    """
    # (x, 1) and (-x, -1) are the same example twice
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
