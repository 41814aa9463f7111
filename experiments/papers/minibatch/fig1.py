"""Figure 1: iterations to a 0.001-accurate primal solution against the size of the mini-batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from ...plotting import INK
from ...reproduction.evidence import Evidence, FigureResult, Table, cell
from ...reproduction.statistics.target import Effort
from ..cases import judge_claims
from ..panels import heading, name_of
from .data import ACCURACY, Study, compute_spectra, points, sizes_of, studies
from .methods import METHOD_STYLES, METHODS, TAIL, draw_iterations, drawing, name_of_method

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SERIES: Final = (*METHODS, TAIL)
compute: Final = compute_spectra
_RIGHT: Final = 0.11
"""Share of a panel's width for the axis on the right."""
_BETA: Final = "#a0a0a0"
_CAPTION: Final = (
    rf"Iterations to the first evaluation with $P(w) - P^* \leq {ACCURACY:g}$: medians over the runs, bands from "
    "least to largest. Open symbols, top edge: most runs missed it.\n"
    r"Thin grey line: $\beta_b/b$, right axis, with as many decades as the left one. Dotted: $b = 1/\sigma^2$."
)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claims."""
    data_sets = studies(evidence)
    shown = [study for study in data_sets if study.efforts]
    sizes = sizes_of(shown, SERIES)
    methods = [name for name in SERIES if any(study.of(name) for study in shown)]
    panels = [(study, k % 2 == 1 or k == len(shown) - 1) for k, study in enumerate(shown)]
    return FigureResult(
        lambda: points(sizes).assign(
            beta_over_b=[study.beta_over_b(b) for study, _, b, _ in sizes],
            inverse_sigma2=[study.enough for study, *_ in sizes],
        ),
        *drawing(panels, methods, _CAPTION, _draw, head=0.78),
        table=partial(_table, shown),
        claims=judge_claims(evidence, data=data_sets),
    )


def _draw(axes: Axes, panel: tuple[Study, bool]) -> None:
    study, last = panel
    box = axes.get_position()
    axes.set_position((box.x0, box.y0, (1 - _RIGHT) * box.width, box.height))
    for name in SERIES:
        draw_iterations(axes, study.of(name), METHOD_STYLES[name])
    heading(axes, study.panel, "" if study.optimum is None else f"P* = {study.optimum.upper:.6f}")
    if study.spectrum is not None:
        _draw_beta(axes, study, last=last)


def _draw_beta(axes: Axes, study: Study, *, last: bool) -> None:
    """Draw beta_b / b on a second axis with the same decades, 1 beside the largest value, and mark b = 1 / sigma^2."""
    from matplotlib.ticker import NullLocator

    axes.axvline(study.enough, color=_BETA, linewidth=0.9, linestyle=(0, (1.0, 2.0)), zorder=1)
    right = axes.twinx()
    right.set_yscale("log")
    right.plot(study.sizes, [study.beta_over_b(b) for b in study.sizes], color=_BETA, linewidth=0.8, zorder=1)
    right.set_zorder(axes.get_zorder() - 1)
    axes.patch.set_visible(False)
    low, high = axes.get_ylim()
    medians = [
        effort.median for efforts in study.efforts.values() for effort in efforts.values() if effort.mostly_reached
    ]
    largest = max(medians, default=high)
    right.set_ylim(low / largest, high / largest)
    right.tick_params(colors=_BETA)
    right.yaxis.set_minor_locator(NullLocator())
    right.spines["top"].set_visible(False)
    if last:
        right.set_ylabel(r"$\beta_b/b$", color=INK)


def _table(shown: Sequence[Study]) -> Table:
    """Return a row for each data set and b."""
    steps = [effort.step for study in shown for efforts in study.efforts.values() for effort in efforts.values()]
    largest = 1 - 1 / max(steps, default=1.0)
    columns = ["data set", "b", "beta_b / b", *map(name_of_method, SERIES)]
    rows = [
        [
            name_of(study.panel),
            f"{b:,}",
            cell(study.beta_over_b(b), ".3g"),
            *(_iterations(study.of(name).get(b)) for name in SERIES),
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


def _iterations(effort: Effort | None) -> str:
    if effort is None:
        return ""
    text = effort.text(lambda cost: f"{cost:,.0f}")
    low, high = min(effort.costs), max(effort.costs)
    return text if low == high or not effort.mostly_reached else f"{text} ({low:,.0f} to {high:,.0f})"
