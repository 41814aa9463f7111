"""Section 4.3: Algorithm 2 with rho computed several times, and with a crude bound on the spectral norm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import MISSING, UNCLEAR, Case, Choice, Findings, case_on, judge_claims
from svm_cost_curves.experiments.papers.effort import Effort, effort_of, ratio_of
from svm_cost_curves.experiments.papers.minibatch.data import Data, Spectrum, compute_spectra, data_of
from svm_cost_curves.experiments.papers.minibatch.reference import AggressiveSdca, Rows, cached_on
from svm_cost_curves.experiments.papers.minibatch.study import ACCURACY
from svm_cost_curves.experiments.papers.optimum import optimum_of
from svm_cost_curves.experiments.papers.panels import called, heading, name_of
from svm_cost_curves.experiments.plotting import Style
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

SIZES: Final = (64, 512)
SEEDS: Final = 3
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
STYLES: Final[Mapping[str, Style]] = {
    PRINTED: Style("rho once (Algorithm 2)", "#00684a", "-", "^", 2.4),
    "2": Style("rho twice", "#2b7bba", (0, (6.0, 1.6)), "D"),
    "5": Style("rho five times", "#b0578d", (0, (2.0, 1.2)), "v"),
    "crude": Style("rho once, sigma² = 1", "#cc7a00", (0, (1.0, 1.4)), "s"),
}
Efforts = Mapping[str, Mapping[int, Effort]]
"""Iterations to the target, by variant and b."""


def iterations_to(solver: AggressiveSdca, target: float, most: int) -> tuple[float | None, float]:
    """Return the iterations until P of the decaying mean is at most a target, and the factor from the one before.

    None: it is above it at every evaluation up to so many iterations.
    """
    done, due = 0, 1
    while due <= most:
        for _ in range(due - done):
            solver.step()
        if solver.rows.primal(solver.rows.weights(solver.mean)) <= target:
            return float(due), due / (done + 1)
        done, due = due, max(due + 1, round(GROWTH * due))
    return None, 1.0


def measured(rows: Rows, betas: Mapping[int, float], target: float) -> dict[str, dict[str, dict[str, Any]]]:
    """Run all variants; the fields of `Effort` by variant and b."""
    found: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in VARIANTS}
    for name, (rounds, crude) in VARIANTS.items():
        for b, beta in betas.items():
            solvers = [AggressiveSdca(rows, b, float(b) if crude else beta, rounds, seed) for seed in range(SEEDS)]
            runs = [iterations_to(solver, target, MOST) for solver in solvers]
            effort = effort_of([cost for cost, _ in runs], MOST, max(step for _, step in runs))
            found[name][str(b)] = {"costs": effort.costs, "reached": effort.reached, "step": effort.step}
    return found


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the spectra, and the iterations on each data set with an optimum, as plain values."""
    spectra = compute_spectra(evidence)
    found = {}
    for panel in evidence.panels:
        optimum, known = optimum_of(panel), spectra["spectra"].get(panel.paper_dataset, {})
        if optimum is not None and "n" in known:
            spectrum, target = Spectrum(**known), optimum.lower + ACCURACY
            betas = {b: spectrum.beta(b) for b in SIZES if b <= spectrum.n}
            run = next(iter(panel.settings.values()))
            work = partial(measured, betas=betas, target=target)
            found[panel.paper_dataset] = cached_on(run, (betas, target), __file__, work)
    return {**spectra, "efforts": found}


def make(evidence: Evidence) -> FigureResult:
    """Draw the iterations and judge the remarks."""
    found = [(data_of(evidence, panel), _efforts(evidence, panel)) for panel in evidence.panels]
    shown = [(data, efforts) for data, efforts in found if efforts]
    judges = {
        "minibatch.rho": partial(_judge, found=found, variants=("2", "5")),
        "minibatch.crude": partial(_judge, found=found, variants=("crude",)),
    }
    return FigureResult(
        _points(shown),
        partial(_draw, found=shown),
        layout.size(len(shown), _HEAD, _COLUMNS),
        table=_table(shown),
        claims=judge_claims(evidence, judges),
    )


def _efforts(evidence: Evidence, panel: Panel) -> Efforts:
    """Return the iterations on one data set; empty without an optimum."""
    return {
        name: {int(b): Effort(tuple(each["costs"]), tuple(each["reached"]), each["step"]) for b, each in own.items()}
        for name, own in evidence.computed.get("efforts", {}).get(panel.paper_dataset, {}).items()
    }


def _judge(_: Evidence, choice: Choice, found: Sequence[tuple[Data, Efforts]], variants: Sequence[str]) -> Findings:
    """Compare variants with Algorithm 2 as printed: none is better, or worse, by more than a share."""
    cases = [
        _case(data, efforts, name, b, 1 + choice["share"])
        for data, efforts in found
        for name in variants
        for b in efforts.get(name, {})
    ]
    cases += [
        case_on(data.panel, "", MISSING, note=data.unfit) for data, efforts in found if not efforts and data.unfit
    ]
    return Findings(cases)


def _case(data: Data, efforts: Efforts, name: str, b: int, factor: float) -> Case:
    what, about = f"{name} b={b}", f"{STYLES[name].name}, b = {b:,}, {called(data.panel)}"
    if data.unfit:
        return case_on(data.panel, what, MISSING, note=data.unfit, about=about)
    printed, other = efforts[PRINTED][b], efforts[name][b]
    # more rounds must not help; a crude bound must not harm
    ratio = ratio_of(other, printed) if name == "crude" else ratio_of(printed, other)
    if ratio is None:
        return case_on(data.panel, what, UNCLEAR, note="both miss the target", about=about)
    measured = f"T {'is' if name == 'crude' else 'falls by a factor of'} {ratio.text()}" + (
        " times that with beta_b" if name == "crude" else ""
    )
    return case_on(data.panel, what, ratio.at_most(factor), measured, {"ratio": ratio.as_dict()}, measured, about=about)


def _points(shown: Sequence[tuple[Data, Efforts]]) -> pd.DataFrame:
    rows = [
        {
            "panel": data.panel.paper_dataset,
            "dataset": data.panel.dataset,
            "series": name,
            "b": b,
            **effort.columns("iterations"),
        }
        for data, efforts in shown
        for name, own in efforts.items()
        for b, effort in own.items()
    ]
    columns = ["panel", "dataset", "series", "b", "iterations", "least", "largest", "runs", "reached"]
    return pd.DataFrame(rows, columns=columns)


_HEAD: Final = 0.62  # inches
_COLUMNS: Final = 2
_CAPTION: Final = (
    rf"Iterations of aggressive SDCA to $P(\bar w) - P^* \leq {ACCURACY:g}$: medians of {SEEDS} runs, bars from the "
    "least to the largest. Side by side: the same b."
)


def _draw(figure: Figure | SubFigure, found: Sequence[tuple[Data, Efforts]]) -> None:
    """Draw one panel per data set."""
    names = "$b$, examples in a mini-batch", "Iterations"
    panels = layout.each_panel(figure, found, STYLES.values(), [_CAPTION], _HEAD, names, _COLUMNS, "no finished runs")
    for place, (data, efforts) in panels:
        sizes = list(efforts[PRINTED])
        for k, (name, style) in enumerate(STYLES.items()):
            for b, effort in efforts[name].items():
                x = sizes.index(b) + 0.16 * (k - 1.5)
                place.vlines(x, min(effort.costs), max(effort.costs), color=style.color, linewidth=1.4)
                place.plot([x], [effort.median], linestyle="none", **style.markers(), zorder=3)
        place.set_xscale("linear")
        place.set_xlim(-0.5, len(sizes) - 0.5)
        place.set_xticks(range(len(sizes)), [f"{b:,}" for b in sizes])
        layout.plain_ticks(place.yaxis, (1.0, 1.5, 2.0, 3.0, 5.0, 7.0))
        heading(place, data.panel)


def _table(shown: Sequence[tuple[Data, Efforts]]) -> Table:
    rows = [
        [name_of(data.panel), f"{b:,}", *(efforts[name][b].text(lambda cost: f"{cost:,.0f}") for name in VARIANTS)]
        for data, efforts in shown
        for b in efforts[PRINTED]
    ]
    notes = [
        f"Iterations to P(w_bar) - P* <= {ACCURACY:g}, median of {SEEDS} runs; evaluations are {GROWTH - 1:.0%} or one "
        f"iteration apart; >: most runs missed it within {MOST:,}. Computed with numpy when the figure is made."
    ]
    return Table(["data set", "b", *(style.name for style in STYLES.values())], rows, notes)
