"""The results of a sweep: its runs grouped over seeds, as a table and as figures."""

from __future__ import annotations

import hashlib
import re
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from experiments.columns import STEP_COSTS
from experiments.command_line.sweep_names import Values, differing, in_order
from experiments.command_line.sweep_page import write_page
from experiments.configuration.schema import NOT_INFLUENTIAL
from experiments.configuration.settings import setting_name
from experiments.processes.job_ledger import FolderLedger
from experiments.processes.outcome import Outcome, exit_code, not_uploaded
from experiments.run.console import console, count, duration, percent
from experiments.run.errors import print_error

if TYPE_CHECKING:
    import pandas as pd

FIGURE = "curves.png"


@dataclass(frozen=True)
class Group:
    """Runs that differ in their seed only; `values` are the settings that tell them from other groups."""

    dataset: str
    algo: str
    values: Values
    outcomes: tuple[Outcome, ...]

    @property
    def name(self) -> str:
        """The algorithm, and what else tells the group from the others, as on the command line."""
        return " ".join([self.algo, *(f"{name}={value}" for name, value in self.values)])

    def mean(self, name: str) -> float | None:
        """Mean of one of the outcome's numbers over the runs that know it."""
        values = self._values(name)
        return statistics.fmean(values) if values else None

    def spread(self, name: str) -> float | None:
        """Return the standard deviation (divisor runs - 1); None for a single run."""
        values = self._values(name)
        return statistics.stdev(values) if len(values) > 1 else None

    @property
    def found(self) -> int:
        """How many were in the store already."""
        return sum(outcome.status == "found" for outcome in self.outcomes)

    def _values(self, name: str) -> list[float]:
        return [value for outcome in self.outcomes if (value := getattr(outcome, name)) is not None]


def distinguishing(overrides: Sequence[str]) -> list[str]:
    """Return the overrides that change a result, but for those that are shown anyway: algorithm, data set and seed."""
    return [
        override
        for override in overrides
        if (name := setting_name(override)) not in ("algo", "dataset", "seed")
        and name.partition(".")[0] not in NOT_INFLUENTIAL
    ]


def groups(outcomes: Sequence[Outcome]) -> list[Group]:
    """Group the runs with a result, without regard to their seeds.

    Data sets and algorithms are in the order of their first appearance; groups of one algorithm are sorted by the
    values of the settings that differ.
    """
    done = [outcome for outcome in outcomes if outcome.status in ("finished", "found")]
    data_names = _data_names(done)
    settings: list[Values] = [()] * len(done)
    for dataset in set(data_names):
        places = [place for place, name in enumerate(data_names) if name == dataset]
        own = differing([distinguishing(done[place].overrides) for place in places])
        for place, values in zip(places, own, strict=True):
            settings[place] = values
    members: dict[tuple[str, str, Values], list[Outcome]] = {}
    for outcome, dataset, values in zip(done, data_names, settings, strict=True):
        members.setdefault((dataset, str(outcome.algo), values), []).append(outcome)
    data_sets, algorithms = (list(dict.fromkeys(key[place] for key in members)) for place in (0, 1))
    ordered = sorted(
        members.items(),
        key=lambda item: (data_sets.index(item[0][0]), algorithms.index(item[0][1]), in_order(item[0][2])),
    )
    return [Group(*key, tuple(runs)) for key, runs in ordered]


def _data_names(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the name of each run's data set; files of one name have their paths beside it."""
    trained = [_trained_on(outcome.overrides) for outcome in outcomes]
    files: dict[str, set[str]] = {}
    for outcome, path in zip(outcomes, trained, strict=True):
        files.setdefault(str(outcome.dataset), set()).add(path)
    return [
        f"{outcome.dataset} ({path})" if len(files[str(outcome.dataset)]) > 1 else str(outcome.dataset)
        for outcome, path in zip(outcomes, trained, strict=True)
    ]


def _trained_on(overrides: Sequence[str]) -> str:
    """Return the path of a user's training file; empty without one."""
    starts = ("dataset.train=", "dataset=file:")
    return next((word.removeprefix(start) for word in overrides for start in starts if word.startswith(start)), "")


def table(outcomes: Sequence[Outcome]) -> Table:
    """One row for each algorithm and data set."""
    result = Table(box=box.SIMPLE_HEAD)
    for name in ("data set", "algorithm"):
        result.add_column(name, no_wrap=True)
    members = groups(outcomes)
    costs = _costs(members)
    for name in ("runs", "in store", "test error", "epochs", *(cost.replace("_", " ") for cost in costs), "CPU"):
        result.add_column(name, justify="right")
    for group in members:
        spread = group.spread("test_error")
        result.add_row(
            Text(group.dataset),
            Text(group.name),
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


def draw(outcomes: Sequence[Outcome], directory: Path, command: str) -> list[Path]:
    """Figures of all curves of a sweep, one for each data set: test error against the cost that most runs count.

    That is kernel evaluations or feature accesses; where no run counts either, iterations. ``curves.html`` has the
    same curves for a browser.

    Returns
    -------
    list of Path
        The page and the figures, written to `directory`; empty if no run has a result.
    """
    from experiments import provenance
    from experiments.command_line import sweep_names
    from experiments.plotting import plot_curves

    found = [(group, curves) for group in groups(outcomes) if (curves := _curves(group))]
    by_dataset: dict[str, list[tuple[Group, list[pd.DataFrame]]]] = {}
    for group, curves in found:
        by_dataset.setdefault(group.dataset, []).append((group, [curve for _, curve in curves]))
    commit, dirty = provenance.git_state(provenance.PROJECT_ROOT)
    origin = f"commit {provenance.commit_text(commit, dirty)}; " if commit else ""
    paths = []
    for dataset, drawn in by_dataset.items():
        file = FIGURE if len(by_dataset) == 1 else f"{Path(FIGURE).stem}-{_file_name(dataset)}.png"
        named = sweep_names.styles([(group.algo, group.values) for group, _ in drawn])
        swept = any(group.values for group, _ in drawn)
        title = f"Test error against cost on {dataset}"
        try:
            path = plot_curves(
                dict(zip(named, (curves for _, curves in drawn), strict=True)),
                cost=_cost([curve for _, curves in drawn for curve in curves]),
                title=f"{title}, {sweep_names.called(drawn[0][0].algo)}"
                if len({group.algo for group, _ in drawn}) == 1
                else title,
                small_print=origin + command,
                path_png=directory / file,
                styles=named,
                in_order=swept,
            )
        except ValueError as error:  # runs that ended before they had any cost: the sweep is done all the same
            print_error(f"no figure: {error}")
        else:
            paths.append(path)
    shown = [(group.dataset, group.algo, group.values, curves) for group, curves in found]
    page = write_page(shown, directory, origin + command, [path.read_bytes() for path in paths]) if paths else None
    return [page, *paths] if page else paths


def _file_name(dataset: str) -> str:
    """Return a data set's name as a part of a file's name; other names than letters, digits, . _ - get a checksum."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", dataset)
    return plain if plain == dataset else f"{plain[:80]}_{hashlib.sha256(dataset.encode()).hexdigest()[:6]}"


def _curves(group: Group) -> list[tuple[Outcome, pd.DataFrame]]:
    """Return the curves of a group's runs, of those whose record is on this machine."""
    import pandas as pd

    from experiments.curve import conform

    return [
        (outcome, conform(pd.read_parquet(Path(outcome.result_path).with_name("curve.parquet"))))
        for outcome in group.outcomes
        if outcome.result_path is not None
    ]


def _cost(curves: Sequence[pd.DataFrame]) -> str:
    *telling, otherwise = STEP_COSTS
    counted = {name: sum(not curve[name].isna().any() for curve in curves) for name in telling}
    best = max(telling, key=lambda name: counted[name])  # the first of equals
    return best if counted[best] else otherwise


def finish(directory: Path, command: str, *, stopped: int | None) -> int:
    """Print the table of a sweep, draw its figures, and return the exit status.

    Parameters
    ----------
    directory : Path
        Folder of the sweep, where its jobs left their outcomes.
    command : str
        The command line, for the figure's small print.
    stopped : int or None
        Exit status of a sweep that ended before its last job.
    """
    outcomes = FolderLedger(directory).outcomes()
    wrong = [outcome for outcome in outcomes if outcome.exit_code]
    code = exit_code(outcomes) if stopped is None else stopped
    if groups(outcomes):
        console(sys.stdout).print(table(outcomes), highlight=False)
    for outcome in wrong:
        print_error(outcome.line)
    if reason := not_uploaded(outcomes):
        print_error(reason)
    if code:
        print_error("the same command again makes only the runs that are missing")
    for path in draw(outcomes, directory, command):
        print(f"{'page' if path.suffix == '.html' else 'figure'}: {path}", flush=True)
    return code
