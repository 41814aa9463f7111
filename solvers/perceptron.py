"""The kernel Perceptron (Rosenblatt 1958; as compared in Cotter, Shalev-Shwartz, Srebro 2012, section 4.5)."""

from dataclasses import dataclass

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.core_solver import CoreSolver


@dataclass
class PerceptronSettings:
    """The Perceptron has no settings."""


class Perceptron(CoreSolver):
    """A new random order each epoch; if y f(x) <= 0, y K(x, .) is added, at n kernel evaluations."""

    name = "perceptron"
    summary = "Kernel Perceptron, any number of passes (Rosenblatt 1958)"
    Settings = PerceptronSettings

    def make(self) -> _core.KernelSolver:  # noqa: D102 (inherited)
        return _core.KernelSolver("Perceptron", self.problem.rows.source, {}, seed=self.seed)
