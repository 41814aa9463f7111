"""scikit-learn's SGDClassifier, to compare with stochastic subgradient methods (Pedregosa et al. 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from svm_cost_curves.solvers.features import Features, compact
from svm_cost_curves.solvers.passes import Passes


@dataclass
class SklearnSgdSettings:
    """Settings of `SklearnSgd`: none."""


class SklearnSgd(Passes):
    """Bottou's SGD: steps 1/(lambda (t + t0)), lazy scaling, a new order for each pass; returns the last iterate.

    An iteration is a pass. Its stopping rule is switched off: it tests the losses of examples, not the objective.

    Points are float32, and so are scikit-learn's weights then. If fewer than half of the values are not zero they are
    converted to CSR once, which is not timed. scikit-learn's checks of the points, and its sum of losses, happen inside
    each call and are timed.
    """

    name = "sklearn_sgd"
    summary = "scikit-learn's SGDClassifier, for running times (Pedregosa et al. 2011)"
    Settings = SklearnSgdSettings

    def data(self) -> Features:  # noqa: D102 (inherited)
        return compact(self.problem.X)

    def model(self, passes: int, seed: int) -> Any:  # noqa: D102 (inherited)
        return classifier(self.problem.require_lambda(), passes, seed)


def classifier(lambda_: float, passes: int, seed: int) -> Any:
    """Return scikit-learn's SGD for the lambda form, without intercept, with this number of passes."""
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
