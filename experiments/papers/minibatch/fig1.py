"""Figure 1: iterations to a 0.001-accurate primal solution against the size of the mini-batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import judge_claims
from svm_cost_curves.experiments.papers.effort import Effort
from svm_cost_curves.experiments.papers.minibatch import rivals, speedups
from svm_cost_curves.experiments.papers.minibatch.data import compute_spectra
from svm_cost_curves.experiments.papers.minibatch.methods import METHOD_STYLES, METHODS, TAIL, draw_iterations
from svm_cost_curves.experiments.papers.minibatch.study import ACCURACY, Study, points, studies
from svm_cost_curves.experiments.papers.panels import heading, name_of
from svm_cost_curves.experiments.plotting import INK
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

OPTIONS = {
    "minibatch.safe": {"rule": ("bound", "exponent", "others"), "exponent": 0.25},
    "minibatch.beyond": {"rule": ("rising", "bound", "exponent", "ends"), "exponent": 0.25},
    "minibatch.speedups": {"sizes": ("beyond", "largest", "before"), "worse": 2.0},
    "minibatch.2": {"sizes": ("all", "largest")},
    "minibatch.3": {"pegasos": ("pegasos", TAIL)},
    "minibatch.throughout": {"pegasos": ("pegasos", TAIL)},
}
JUDGES: Final[Mapping[str, Any]] = {
    "minibatch.1": speedups.judge_linear,
    "minibatch.safe": speedups.judge_safe,
    "minibatch.beyond": speedups.judge_beyond,
    "minibatch.speedups": speedups.judge_speedups,
    "minibatch.2": rivals.judge_naive,
    "minibatch.monotone": rivals.judge_monotone,
    "minibatch.3": rivals.judge_first,
    "minibatch.throughout": rivals.judge_throughout,
    "minibatch.often": rivals.judge_often,
}
"""By claim; each also takes the data sets as `found`."""


compute = compute_spectra


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claims."""
    found = studies(evidence)
    shown = [study for study in found if study.efforts]
    return FigureResult(
        points(shown, (*METHODS, TAIL), _share),
        partial(_draw, found=shown),
        layout.size(len(shown), _HEAD, _COLUMNS),
        table=_table(shown),
        claims=judge_claims(evidence, {claim: partial(judge, found=found) for claim, judge in JUDGES.items()}),
    )


def _share(study: Study, _: str, b: int) -> dict[str, float | None]:
    """Return beta_b / b, the factor in the bounds on the iterations, and 1 / sigma^2."""
    share = None if study.data.spectrum is None else study.data.spectrum.beta_over_b(b)
    return {"beta_over_b": share, "inverse_sigma2": None if share is None else study.enough}


_HEAD: Final = 0.78  # inches
_COLUMNS: Final = 2
_RIGHT: Final = 0.11
"""Share of a panel's width for the axis on the right."""
_BETA: Final = "#a0a0a0"
_CAPTIONS: Final = (
    rf"Iterations to the first evaluation with $P(w) - P^* \leq {ACCURACY:g}$: medians over the runs, bands from "
    "least to largest. Open symbols, top edge: most runs missed it.",
    r"Thin grey line: $\beta_b/b$, right axis, with as many decades as the left one. Dotted: $b = 1/\sigma^2$.",
)


def _draw(figure: Figure | SubFigure, found: Sequence[Study]) -> None:
    """Draw one panel per data set."""
    names = [name for name in (*METHODS, TAIL) if any(study.of(name) for study in found)]
    styles, nothing = [METHOD_STYLES[name] for name in names], "no finished runs with an optimum to compare with"
    of_axes = "$b$, examples in a mini-batch", "Iterations"
    panels = layout.each_panel(figure, found, styles, _CAPTIONS, _HEAD, of_axes, _COLUMNS, nothing)
    for k, (place, study) in enumerate(panels):
        box = place.get_position()
        place.set_position((box.x0, box.y0, (1 - _RIGHT) * box.width, box.height))
        for name in names:
            draw_iterations(place, study.of(name), METHOD_STYLES[name])
        heading(place, study.panel, "" if study.data.optimum is None else f"P* = {study.data.optimum.upper:.6f}")
        if study.data.spectrum is not None:
            _draw_beta(place, study, last=k % _COLUMNS == _COLUMNS - 1 or k == len(found) - 1)


def _draw_beta(axes: Axes, study: Study, *, last: bool) -> None:
    """Draw beta_b / b on a second axis with the same decades, 1 beside the largest value, and mark b = 1 / sigma^2."""
    from matplotlib.ticker import NullLocator

    spectrum = study.data.spectrum
    assert spectrum is not None
    axes.axvline(spectrum.inverse_sigma2, color=_BETA, linewidth=0.9, linestyle=(0, (1.0, 2.0)), zorder=1)
    right = axes.twinx()
    right.set_yscale("log")
    sizes = np.array(study.sizes, dtype=np.float64)
    right.plot(sizes, [spectrum.beta_over_b(b) for b in sizes], color=_BETA, linewidth=0.8, zorder=1)
    right.set_zorder(axes.get_zorder() - 1)
    axes.patch.set_visible(False)
    low, high = axes.get_ylim()
    known = [effort.median for efforts in study.efforts.values() for effort in efforts.values() if effort.known]
    one = max(known, default=high)
    right.set_ylim(low / one, high / one)
    right.tick_params(colors=_BETA)
    right.yaxis.set_minor_locator(NullLocator())
    right.spines["top"].set_visible(False)
    if last:
        right.set_ylabel(r"$\beta_b/b$", color=INK)


def _table(shown: Sequence[Study]) -> Table:
    """Return a row for each data set and b."""
    names = (*METHODS, TAIL)
    steps = [effort.step for study in shown for efforts in study.efforts.values() for effort in efforts.values()]
    largest = 1 - 1 / max(steps, default=1.0)
    columns = ["data set", "b", "beta_b / b", *(METHOD_STYLES[name].name for name in names)]
    rows = [
        [
            name_of(study.panel),
            f"{b:,}",
            "" if study.data.spectrum is None else f"{study.data.spectrum.beta_over_b(b):.3g}",
            *(_cell(study.of(name).get(b)) for name in names),
        ]
        for study in shown
        for b in study.sizes
    ]
    notes = [
        f"Iterations to the first evaluation with P(w) - P* <= {ACCURACY:g}, median over the runs (least to largest). "
        f"The target was reached after the evaluation before it, up to {largest:.0%} earlier. >: most runs missed it "
        "within this budget. Empty: not run.",
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
