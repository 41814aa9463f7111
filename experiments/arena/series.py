"""From the command line to the arena's series: equal terms for all entrants on each data set.

The problem of a data set is its preset's, or the command line's, and is pinned: no solver brings a kernel, a width, a C
or a bias of its own. A solver that cannot take it is left out by the planner, which says why.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

import datasets
import solvers
from experiments.arena.entrants import Entrant, read_entrants
from experiments.arena.targets import TIME, Targets, read_costs, read_targets
from experiments.configuration.budget import BUDGET_LIMITS
from experiments.configuration.composition import settings_of
from experiments.configuration.schema import kernel_name
from experiments.configuration.settings import RunSettings, setting_name
from experiments.papers.optimum import SERIES as OPTIMUM
from experiments.reproduction.options import Options
from experiments.reproduction.spec import FigureError, FigureSpec, ScaleSpec, SeriesSpec
from solvers.passes import Passes

EPOCHS_A_PASS: Final = 10
"""Epochs for each pass that may be paid for: most methods look at an example for less than a whole kernel row."""
CHECKPOINTS: Final = 100
FORMS: Final = {"problem.lambda_", "problem.C", "problem.nu"}
REFEREE_BUDGET: Final = ["budget.epochs=1e5", "budget.checkpoints=20"]


def with_series(spec: FigureSpec, options: Options) -> FigureSpec:
    """Return the figure with a series for each entrant, and one for the optimum where gaps are asked for.

    Raises
    ------
    FigureError, SettingsError
        An option or a setting is not allowed.
    """
    entrants = read_entrants(spec.options["algos"].value)
    targets, costs = read_targets(spec.options["target"].value), read_costs(spec.options["cost"].value)
    passes = _passes(spec.options["passes"].value)
    budget = [word for word in options.settings if setting_name(word).startswith("budget.")]
    problem = [word for word in options.settings if word not in budget]
    names = list(options.datasets or spec.datasets)
    scale = spec.scale(options.scale)
    scale = replace(scale, overrides=[*scale.overrides, *problem])
    terms = {name: _terms(name, scale, options) for name in names}
    series = [
        SeriesSpec(entrant.name, entrant.words, {name: terms[name].entrant(entrant, budget, passes) for name in names})
        for entrant in entrants
    ]
    if targets.kind == "gap":
        series += _referees(terms)
    return replace(
        spec,
        id=_id(spec, options, names),
        title=_title(entrants, targets),
        datasets=names,
        series=series,
        scales={**spec.scales, options.scale: scale},
        timed=TIME in costs,
    )


@dataclass(frozen=True)
class Terms:
    """What all runs on a data set have in common.

    Attributes
    ----------
    run : RunSettings
        Of a solver that can take any problem.
    words : tuple of str
        That pin its problem.
    """

    run: RunSettings
    words: tuple[str, ...]

    @property
    def certified_by(self) -> str:
        """Solver that finds the optimum of the problem, with a lower bound."""
        return "smo" if self.run.problem.bias or kernel_name(self.run.kernel) != "linear" else "dcd"

    def entrant(self, entrant: Entrant, budget: Sequence[str], passes: int) -> list[str]:
        """Return problem and budget of an entrant."""
        limited = any(setting_name(word).removeprefix("budget.") in BUDGET_LIMITS for word in budget)
        own = [] if limited else self._budget(entrant, passes)
        return [*self.words, f"budget.checkpoints={CHECKPOINTS}", *own, *budget]

    def _budget(self, entrant: Entrant, passes: int) -> list[str]:
        if issubclass(solvers.get(entrant.algo), Passes):  # they count passes as iterations, and not all count more
            return [f"budget.iterations={EPOCHS_A_PASS * passes}"]
        n = datasets.training_rows(self.run.dataset)
        counted = "kernel_evaluations" not in solvers.get(entrant.algo).not_counted(kernel_name(self.run.kernel))
        rows = [f"budget.kernel_evaluations={passes * n * n}"] if counted and n is not None else []
        return [f"budget.epochs={EPOCHS_A_PASS * passes}", *rows]


def _terms(dataset: str, scale: ScaleSpec, options: Options) -> Terms:
    """Find the problem of a data set, as it is for whoever has no preset of his own."""
    run = settings_of(["algo=sbp", f"dataset={dataset}", *scale.overrides, *options.overrides], jobs=options.jobs)
    given = {setting_name(word) for word in scale.overrides}
    kernel = {f"kernel.{field.name}": getattr(run.kernel, field.name) for field in fields(run.kernel)}
    known = {name: value for name, value in kernel.items() if value is not None}
    if not given & FORMS:
        known["problem.C"] = run.problem.C
    numbers = [f"{name}={value!r}" for name, value in known.items()]
    return Terms(run, (f"kernel={kernel_name(run.kernel)}", *numbers, f"problem.bias={str(run.problem.bias).lower()}"))


def _referees(terms: dict[str, Terms]) -> list[SeriesSpec]:
    """Return the series that finds the optima, with the solver that suits each data set."""
    accuracy = {"smo": ["algo.tolerance=1e-5"], "dcd": ["algo.eps=1e-8"]}
    return [
        SeriesSpec(
            OPTIMUM,
            [f"algo={algo}", *accuracy[algo]],
            {name: [*those.words, *REFEREE_BUDGET] for name, those in terms.items()},
            datasets=[name for name, those in terms.items() if those.certified_by == algo],
            seeds=1,
            beside=True,
        )
        for algo in sorted({those.certified_by for those in terms.values()})
    ]


def _passes(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 10**6:
        raise FigureError(f"passes must be a whole number from 1 to 1,000,000, got {text!r}")
    return int(text)


def _id(spec: FigureSpec, options: Options, names: Sequence[str]) -> str:
    """Name the folder of an arena: one with choices of its own does not take the place of another."""
    chosen = [f"{name}={value}" for name, value in sorted(options.own.items()) if name in spec.options]
    choices = [*chosen, *options.settings, *(options.datasets and ["dataset", *names])]
    if not choices:
        return spec.id
    digest = hashlib.sha256("\n".join(choices).encode()).hexdigest()[:6]
    return "_".join([spec.id, *names[:3], digest])


def _title(entrants: Sequence[Entrant], targets: Targets) -> str:
    who = f"{len(entrants)} solvers" if len(entrants) != 1 else "one solver"
    return f"{who} on equal terms: what they spend to reach {', '.join(map(targets.text, targets.levels))}"
