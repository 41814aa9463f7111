"""Section 4.3: Algorithm 2 with rho computed several times, and with a crude bound on the spectral norm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from ...curve import first_at_or_below
from ...reproduction.evidence import Evidence, FigureResult, Table
from ...reproduction.statistics.target import Effort, effort_of
from .. import layout
from ..cases import judge_claims
from ..optimum import optimum_of
from ..panels import heading, name_of
from ..samples import Sample
from .data import ACCURACY, Spectrum, Study, compute_spectra, panels_with_runs, points, sizes_of, studies
from .methods import METHOD_STYLES, drawing, name_of_method
from .reference import AggressiveSdca, cached_on, rows_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ....solvers import Problem

SIZES: Final = (64, 512)
SEEDS: Final = 5
MOST: Final = 50_000
"""Iterations after which a run has missed the target."""
GROWTH: Final = 1.1
"""Factor between evaluations."""
PRINTED: Final = "1"
VARIANTS: Final[Mapping[str, tuple[int, bool]]] = {
    PRINTED: (1, False),
    "2": (2, False),
    "5": (5, False),
    "crude": (1, True),
}
"""How often rho is computed, and whether beta_b is replaced by b, its value for sigma^2 = 1."""
_CAPTION: Final = (
    rf"Iterations of aggressive SDCA to $P(\bar w) - P^* \leq {ACCURACY:g}$: medians of {SEEDS} runs, bars from the "
    "least to the largest. Side by side: the same b."
)


def evaluated(most: int) -> Iterator[int]:
    """Yield the iterations after which a run is evaluated, up to a number of them."""
    due = 1
    while due <= most:
        yield due
        due = max(due + 1, round(GROWTH * due))


def iterations_to(solver: AggressiveSdca, target: float, most: int) -> float | None:
    """Return the iterations at the first evaluation with P of the decaying mean at most a target; None without one."""
    for done, due in pairwise([0, *evaluated(most)]):
        for _ in range(due - done):
            solver.step()
        if not first_at_or_below([solver.rows.primal(solver.rows.weights(solver.mean))], target):
            return float(due)
    return None


def measured(problem: Problem, betas: Mapping[int, float], target: float) -> dict[str, dict[str, dict[str, Any]]]:
    """Run all variants; the fields of `Effort` by variant and b."""
    rows = rows_of(problem)
    efforts: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in VARIANTS}
    for name, (rounds, crude) in VARIANTS.items():
        for b, beta in betas.items():
            solvers = [AggressiveSdca(rows, b, float(b) if crude else beta, rounds, seed) for seed in range(SEEDS)]
            effort = effort_of([iterations_to(solver, target, MOST) for solver in solvers], MOST)
            efforts[name][str(b)] = {"costs": effort.costs, "reached": effort.reached}
    return efforts


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the spectra, and the iterations on each data set with an optimum, as plain values."""
    spectra = compute_spectra(evidence)
    efforts = {}
    for panel, run in panels_with_runs(evidence):
        optimum, parameters = optimum_of(panel), spectra["spectra"][panel.paper_dataset]
        if optimum is not None and "n" in parameters:
            spectrum, target = Spectrum(**parameters), optimum.lower + ACCURACY
            betas = {b: spectrum.beta(b) for b in SIZES if b <= spectrum.n}
            work = partial(measured, betas=betas, target=target)
            efforts[panel.paper_dataset] = cached_on(run, (betas, target), __file__, work)
    return {**spectra, "efforts": efforts}


def make(evidence: Evidence) -> FigureResult:
    """Draw the iterations and judge the remarks."""
    data_sets = [_with_efforts(study, evidence) for study in studies(evidence)]
    shown = [study for study in data_sets if study.efforts]
    return FigureResult(
        lambda: points(sizes_of(shown, VARIANTS)),
        *drawing(shown, VARIANTS, _CAPTION, _draw),
        table=partial(_table, shown),
        claims=judge_claims(evidence, data=data_sets),
    )


def _with_efforts(study: Study, evidence: Evidence) -> Study:
    """Return a data set with the variants' iterations; the least are one more than at the evaluation before."""
    least = {float(due): before + 1.0 for before, due in pairwise([0, *evaluated(MOST)])}
    efforts = {
        name: {
            int(b): Effort(
                tuple(run["costs"]), tuple(run["reached"]), tuple(least.get(cost, cost) for cost in run["costs"])
            )
            for b, run in sizes.items()
        }
        for name, sizes in evidence.computed.get("efforts", {}).get(study.panel.paper_dataset, {}).items()
    }
    planned = {
        name: {b: Sample(study.panel, name, {}, name) for b in sizes} for name, sizes in efforts.items()
    }  # without runs
    return replace(study, efforts=efforts, planned=planned)


def _draw(axes: Axes, study: Study) -> None:
    for k, name in enumerate(VARIANTS):
        style = METHOD_STYLES[name]
        for b, effort in study.of(name).items():
            x = study.sizes.index(b) + 0.16 * (k - 1.5)
            axes.vlines(x, min(effort.costs), max(effort.costs), color=style.color, linewidth=1.4)
            axes.plot([x], [effort.median], linestyle="none", **style.markers(), zorder=3)
    axes.set_xscale("linear")
    axes.set_xlim(-0.5, len(study.sizes) - 0.5)
    axes.set_xticks(range(len(study.sizes)), [f"{b:,}" for b in study.sizes])
    layout.plain_ticks(axes.yaxis, (1.0, 1.5, 2.0, 3.0, 5.0, 7.0))
    heading(axes, study.panel)


def _table(shown: Sequence[Study]) -> Table:
    rows = [
        [name_of(study.panel), f"{b:,}", *(study.of(name)[b].text(lambda cost: f"{cost:,.0f}") for name in VARIANTS)]
        for study in shown
        for b in study.sizes
    ]
    notes = [
        f"Iterations to P(w_bar) - P* <= {ACCURACY:g}, median of {SEEDS} runs; evaluations are {GROWTH - 1:.0%} or one "
        f"iteration apart; >: most runs missed it within {MOST:,}. Computed with numpy when the figure is made."
    ]
    return Table(["data set", "b", *map(name_of_method, VARIANTS)], rows, notes)
