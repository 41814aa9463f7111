"""Makes the arena's series from the command line: the same problem and budget for all entrants on a data set.

Kernel, width, C and bias are those of the data set's preset or of the command line, never a solver's own. The planner
leaves out a solver that cannot solve the problem, with the reason.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

from ... import datasets, solvers
from ...solvers.passes import Passes
from ...support.text import number_of, setting_name
from ..configuration.budget import BUDGET_LIMITS
from ..configuration.composition import settings_of
from ..configuration.schema import kernel_name
from ..configuration.settings import RunSettings
from ..papers.optimum import SERIES as OPTIMUM
from ..reproduction.options import Options
from ..reproduction.series_spec import SeriesSpec
from ..reproduction.spec import FigureError, FigureSpec, ScaleSpec
from .options import TIME, Entrant, Targets, read_costs, read_entrants, read_targets

EPOCHS_A_PASS: Final = 10
"""Epochs of the budget for each pass: most methods use less than a kernel row for an example."""
CHECKPOINTS: Final = 100
FORMS: Final = {"problem.lambda_", "problem.C", "problem.nu"}
OPTIMUM_BUDGET: Final = ["budget.epochs=1e5", "budget.evaluations=20"]


def with_series(spec: FigureSpec, options: Options) -> FigureSpec:
    """Return the figure with a series for each entrant, and one for the optimum if the target is a gap.

    Raises FigureError or SettingsError if an option or a setting is not allowed.
    """
    entrants = read_entrants(spec.options["algos"].value)
    targets = read_targets(spec.options["target"].value, spec.options["reach"].value)
    costs = read_costs(spec.options["cost"].value)
    passes = _passes(spec.options["passes"].value)
    budget = [word for word in options.settings if setting_name(word).startswith("budget.")]
    given = [word for word in options.settings if word not in budget]
    names = list(options.datasets or spec.datasets)
    scale = spec.scale(options.scale)
    scale = replace(scale, overrides=[*scale.overrides, *given])
    timed = TIME in costs
    problems = {name: _problem_of(name, scale, options, timed) for name in names}
    series = [
        SeriesSpec(
            entrant.name, entrant.overrides, {name: problems[name].entrant(entrant, budget, passes) for name in names}
        )
        for entrant in entrants
    ]
    if targets.kind == "gap":
        series += _optimum_series(problems)
    return replace(
        spec,
        id=_id(spec, options, names),
        title=_title(entrants, targets),
        datasets=names,
        series=series,
        scales={**spec.scales, options.scale: scale},
        timed=timed,
    )


@dataclass(frozen=True)
class Problem:
    """Problem of all runs on a data set: settings of a solver that accepts any, and overrides that set the problem."""

    run: RunSettings
    overrides: tuple[str, ...]

    @property
    def certified_by(self) -> str:
        """Solver that computes the optimum with a lower bound."""
        return "smo" if self.run.problem.bias or kernel_name(self.run.kernel) != "linear" else "dcd"

    def entrant(self, entrant: Entrant, budget: Sequence[str], passes: int) -> list[str]:
        """Return the overrides for an entrant's problem and budget."""
        limited = any(setting_name(word).removeprefix("budget.") in BUDGET_LIMITS for word in budget)
        usual = [] if limited else self._budget(entrant, passes)
        return [*self.overrides, f"budget.evaluations={CHECKPOINTS}", *usual, *budget]

    def _budget(self, entrant: Entrant, passes: int) -> list[str]:
        if issubclass(solvers.get(entrant.algo), Passes):  # their iterations are passes; some count nothing else
            return [f"budget.iterations={EPOCHS_A_PASS * passes}"]
        n = datasets.training_rows(self.run.dataset)
        counted = "kernel_evaluations" not in solvers.get(entrant.algo).not_counted(kernel_name(self.run.kernel))
        rows = [f"budget.kernel_evaluations={passes * n * n}"] if counted and n is not None else []
        return [f"budget.epochs={EPOCHS_A_PASS * passes}", *rows]


def _problem_of(dataset: str, scale: ScaleSpec, options: Options, timed: bool) -> Problem:
    """Return the problem of a data set: that of its preset, or of the command line, for every entrant.

    Where time is a cost, runs compute their kernel rows: a Gram matrix would be made before the run, untimed.
    """
    run = settings_of(["algo=sbp", f"dataset={dataset}", *scale.overrides, *options.overrides], jobs=options.jobs)
    given = {setting_name(word) for word in scale.overrides}
    kernel = {f"kernel.{field.name}": getattr(run.kernel, field.name) for field in fields(run.kernel)}
    parameters = {name: value for name, value in kernel.items() if value is not None}
    if not given & FORMS:
        parameters["problem.C"] = run.problem.C
    numbers = [f"{name}={value!r}" for name, value in parameters.items()]
    overrides = [f"kernel={kernel_name(run.kernel)}", *numbers, f"problem.bias={str(run.problem.bias).lower()}"]
    if timed and kernel_name(run.kernel) != "linear":
        overrides.append("rows.provider=cache")
    return Problem(run, tuple(overrides))


def _optimum_series(problems: dict[str, Problem]) -> list[SeriesSpec]:
    """Return the series that compute the optima, with a suitable solver for each data set."""
    accuracy = {"smo": ["algo.tolerance=1e-5"], "dcd": ["algo.eps=1e-8"]}
    return [
        SeriesSpec(
            OPTIMUM,
            [f"algo={algo}", *accuracy[algo]],
            {name: [*problem.overrides, *OPTIMUM_BUDGET] for name, problem in problems.items()},
            datasets=[name for name, problem in problems.items() if problem.certified_by == algo],
            seeds=1,
            reference_only=True,
        )
        for algo in sorted({problem.certified_by for problem in problems.values()})
    ]


def _passes(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 10**6:
        raise FigureError(f"passes must be a whole number from 1 to 1,000,000, got {text!r}")
    return int(text)


def _id(spec: FigureSpec, options: Options, names: Sequence[str]) -> str:
    """Return the name of the arena's folder; different choices have different folders."""
    chosen = [f"{name}={value}" for name, value in sorted(options.figure_options.items()) if name in spec.options]
    choices = [*chosen, *options.settings, *(options.datasets and ["dataset", *names])]
    if not choices:
        return spec.id
    digest = hashlib.sha256("\n".join(choices).encode()).hexdigest()[:6]
    return "_".join([spec.id, *(re.sub(r"[^\w-]+", "_", name) for name in names[:3]), digest])  # file:../points.csv


def _title(entrants: Sequence[Entrant], targets: Targets) -> str:
    who = number_of(len(entrants), "solver")
    return f"{who} on equal problems: what they spend to reach {', '.join(map(targets.text, targets.levels))}"
