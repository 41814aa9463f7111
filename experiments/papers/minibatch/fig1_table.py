"""The numbers of Figure 1: iterations of each method for every size of the mini-batches."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.papers.effort import Effort
from experiments.papers.minibatch.looks import LOOKS, METHODS, TAIL
from experiments.papers.minibatch.study import ACCURACY, Study
from experiments.papers.panels import name_of
from experiments.reproduction.made import Table


def table(shown: Sequence[Study]) -> Table:
    """Return a row for each data set and b."""
    names = (*METHODS, TAIL)
    columns = ["data set", "b", "beta_b / b", *(LOOKS[name].name for name in names)]
    rows = [
        [
            name_of(study.panel),
            f"{b:,}",
            "" if study.data.spectrum is None else f"{study.data.spectrum.share(b):.3g}",
            *(_cell(study.of(name).get(b)) for name in names),
        ]
        for study in shown
        for b in study.sizes
    ]
    notes = [
        f"Iterations to the first checkpoint with P(w) - P* <= {ACCURACY:g}, median over the runs (least to largest). "
        "Checkpoints lie 10 % apart, or an iteration: a method may have been there by so much earlier. >: most runs "
        "did not get there within so many iterations, their budget.",
        "Pegasos and SDCA by the decaying average of their iterates, w_bar <- 0.9 w_bar + 0.1 w, as in the paper's "
        "experiments; Pegasos also by the mean of its tail, as in Algorithm 1: of the iterates after the 2^m-th, the "
        "last half to three quarters.",
    ]
    return Table(columns, rows, notes)


def _cell(effort: Effort | None) -> str:
    if effort is None:
        return ""
    text = effort.text(lambda cost: f"{cost:,.0f}")
    low, high = min(effort.costs), max(effort.costs)
    return text if low == high or not effort.known else f"{text} ({low:,.0f} to {high:,.0f})"
