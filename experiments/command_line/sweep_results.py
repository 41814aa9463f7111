"""The end of a sweep: its runs as a table and as figures, and its exit status."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from svm_cost_curves.experiments.columns import STEP_COSTS
from svm_cost_curves.experiments.command_line.sweep_figures import draw, draw_for_paper
from svm_cost_curves.experiments.command_line.sweep_groups import Group, groups
from svm_cost_curves.experiments.command_line.sweep_names import short
from svm_cost_curves.experiments.configuration.paper_style import PaperStyle
from svm_cost_curves.experiments.configuration.schema import StoreConfig
from svm_cost_curves.experiments.processes.outcome import STOPPED, Outcome, exit_code
from svm_cost_curves.experiments.run.console import console, count, fit, percent, show
from svm_cost_curves.experiments.run.errors import print_error
from svm_cost_curves.experiments.run.meter import duration
from svm_cost_curves.experiments.store import Store
from svm_cost_curves.experiments.store.store import SWEEPS
from svm_cost_curves.solvers import SettingsError
from svm_cost_curves.support.text import command_line


def table(outcomes: Sequence[Outcome]) -> Table:
    """One row for each algorithm and data set."""
    result = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    members = groups(outcomes)
    costs = _costs(members)
    result.add_column("data set", overflow="fold")
    result.add_column("algorithm", overflow="fold")
    for name in ("runs", "in store", "test error", "epochs", *(cost.replace("_", " ") for cost in costs), "CPU"):
        result.add_column(name, justify="right", no_wrap=True)
    for group, texts in zip(members, short([group.values for group in members]), strict=True):
        spread = group.spread("test_error")
        result.add_row(
            Text(group.dataset),
            Text(" ".join([group.algo, *texts])),
            str(len(group.outcomes)),
            str(group.found),
            percent(group.mean("test_error")) + ("" if spread is None else f" ± {100 * spread:.2f}"),
            "-" if (epochs := group.mean("epochs")) is None else f"{epochs:.3g}",
            *(count(group.mean(cost)) for cost in costs),
            duration(group.mean("cpu_seconds")),
        )
    return result


def _costs(members: Sequence[Group]) -> list[str]:
    """Return the counts to show: kernel evaluations, and feature accesses where a group knows no kernel evaluations."""
    costs: list[str] = []
    for name in STEP_COSTS[:-1]:
        if any(group.mean(name) is not None and all(group.mean(cost) is None for cost in costs) for group in members):
            costs.append(name)
    return costs or [STEP_COSTS[0]]


def finish(
    outcomes: Sequence[Outcome],
    directory: Path,
    command: str,
    paper: PaperStyle | None,
    highlight: str | None = None,
    *,
    stopped: int | None,
) -> int:
    """Print the table of a sweep, draw its figures, and return the exit status.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Those of the jobs that ended.
    directory : Path
        Folder of the sweep.
    command : str
        The command line, for the figure's small print.
    paper : PaperStyle or None
        Also write the figures for a paper.
    highlight : str or None
        Algorithm whose curves are in colour, the others pale; None: all in colour.
    stopped : int or None
        Exit status of a sweep that ended before its last job.
    """
    wrong = [outcome for outcome in outcomes if outcome.exit_code]
    code = exit_code(outcomes) if stopped is None else stopped
    if groups(outcomes):
        out, shown = console(sys.stdout), table(outcomes)
        costs = [str(column.header) for column in shown.columns[6:-1]]
        show(out, fit(out, shown, ["in store", "CPU", "epochs", "runs", *reversed(costs)]))
    for line in _errors(wrong):
        print_error(line)
    if stopped is not None or any(outcome.status in (*STOPPED, "killed") for outcome in wrong):
        print_error("the same command again makes only the runs that are missing")
    for path in draw(outcomes, directory, command, highlight):
        word = "all sweeps" if path.name == "index.html" else "page" if path.suffix == ".html" else "figure"
        print(f"{word}: {path}", flush=True)
    return code or write_for_paper(outcomes, directory, command, paper, highlight)


def _errors(wrong: Sequence[Outcome]) -> list[str]:
    """Return a line for each way in which runs have ended without a result."""
    same: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in wrong:
        same.setdefault((outcome.status, outcome.message), []).append(outcome)
    lines = []
    for first, *others in same.values():
        label = f"{first.label} and {len(others)} more" if others else first.label
        lines.append(dataclasses.replace(first, label=label).line)
    return lines


def next_commands(directory: Path, store: Store) -> list[str]:
    """Return the lines that say how the runs of a sweep are listed, and shown in mlflow's pages."""
    in_store = directory.parent.resolve() == store.root / SWEEPS
    usual = store.root == Path(StoreConfig.root).resolve()
    words = [f"sweep={directory.name if in_store else directory}", *([] if usual else [f"store={store.root}"])]
    lines = [f"list these runs: {command_line('store', 'list', *words)}"]
    if store.server is None:
        folder = [] if usual else [str(store.root)]
        lines.append(f"mlflow's pages on all runs: {command_line('store', 'ui', *folder)}")
    return lines


def write_for_paper(
    outcomes: Sequence[Outcome], directory: Path, command: str, paper: PaperStyle | None, highlight: str | None = None
) -> int:
    """Write the figures for a paper, if asked for, and print their paths; return 2 if they cannot be written."""
    try:
        for path in draw_for_paper(outcomes, directory, command, paper, highlight) if paper else ():
            print(f"for a paper: {path}", flush=True)
    except (OSError, SettingsError) as error:
        print_error(f"error: no figure for a paper: {error}")
        return 2
    return 0
