"""scikit-learn's SGDClassifier as a peer of the methods that descend on the primal (Pedregosa et al. 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from solvers.features import Features, compact
from solvers.passes import Passes


@dataclass
class SklearnSgdSettings:
    """Settings of `SklearnSgd`: none."""


class SklearnSgd(Passes):
    """Bottou's SGD: step 1/(lambda (t + t0)), lazy scaling, a fresh order for each pass, the last iterate.

    An iteration is a pass. It has no stopping rule of use here: on the examples' losses, not on the objective.

    Points are float32 as everywhere here, and then so are scikit-learn's weights; sparse where fewer than half of the
    values are not zero, which is made once and not charged. Charged, because inside each call, are scikit-learn's
    checks of the points, and the losses that it sums up beside.
    """

    name = "sklearn_sgd"
    summary = "scikit-learn's SGDClassifier, for running times (Pedregosa et al. 2011)"
    Settings = SklearnSgdSettings

    def data(self) -> Features:  # noqa: D102 (inherited)
        return compact(self.problem.X)

    def model(self, passes: int, seed: int) -> Any:  # noqa: D102 (inherited)
        return classifier(self.problem.require_lambda(), passes, seed)


def classifier(lambda_: float, passes: int, seed: int) -> Any:
    """Return scikit-learn's SGD for the lambda form, without intercept, to make so many passes."""
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(
        loss="hinge",
        penalty="l2",
        alpha=lambda_,
        learning_rate="optimal",
        fit_intercept=False,
        shuffle=True,
        tol=None,
        max_iter=passes,
        random_state=seed,
    )
