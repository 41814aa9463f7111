"""The end of a sweep: its runs as a table, figures and a page, and its exit status."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.table import Table
from rich.text import Text

from ...solvers import SettingsError
from ...support.text import command_line
from ..columns import COUNTS, MEASURES, STEP_COSTS
from ..configuration.choices import PaperStyle
from ..configuration.schema import StoreConfig
from ..plotting.interactive import write_overview
from ..processes.outcome import STOPPED, Outcome, exit_code
from ..processes.stopping import EXIT_STATUS, status_of
from ..processes.streams import print_error
from ..run.console import console, count, fit, percent, show
from ..run.meter import duration
from ..store import Store
from ..store.store import SWEEPS
from .sweep_figures import Member, members_of, pictures, small_print
from .sweep_names import groups, short
from .sweep_page import write_page


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

    The outcomes are those of the jobs that ended; `stopped` is the exit status of a sweep that ended before its last
    job. The command is for the small print of the figures, which are also written for a paper if that is asked for.
    `highlight` is the algorithm whose curves are in colour, the others pale; None: all in colour.
    """
    wrong = [outcome for outcome in outcomes if outcome.exit_code]
    if groups(outcomes):
        out, shown = console(sys.stdout), table(outcomes)
        costs = [str(column.header) for column in shown.columns[6:-1]]
        show(out, fit(out, shown, ["in store", "CPU", "epochs", "runs", *reversed(costs)]))
    same: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in wrong:
        same.setdefault((outcome.status, outcome.message), []).append(outcome)
    for first, *rest in same.values():
        label = f"{first.label} and {len(rest)} more" if rest else first.label
        print_error(dataclasses.replace(first, label=label).line)
    if stopped is not None or any(outcome.status in (*STOPPED, "killed") for outcome in wrong):
        how = next((f"{status_of(kind())}; " for kind, status in EXIT_STATUS.items() if status == stopped), "")
        print_error(f"{how}the same command again makes only the runs that are missing")
    for path in draw(outcomes, directory, command, highlight):
        word = "all sweeps" if path.name == "index.html" else "page" if path.suffix == ".html" else "figure"
        print(f"{word}: {path}", flush=True)
    code = exit_code(outcomes) if stopped is None else stopped
    return code or write_for_paper(outcomes, directory, command, paper, highlight)


def table(outcomes: Sequence[Outcome]) -> Table:
    """Return one row for each algorithm and data set.

    The costs are kernel evaluations, and feature accesses where a group knows no kernel evaluations.
    """
    result = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    members = groups(outcomes)
    costs: list[str] = []
    for name in STEP_COSTS[:-1]:
        if any(group.mean(name) is not None and all(group.mean(cost) is None for cost in costs) for group in members):
            costs.append(name)
    costs = costs or [STEP_COSTS[0]]
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
            str(sum(outcome.status == "found" for outcome in group.outcomes)),
            percent(group.mean("test_error")) + ("" if spread is None else f" ± {100 * spread:.2f}"),
            "-" if (epochs := group.mean("epochs")) is None else f"{epochs:.3g}",
            *(count(group.mean(cost)) for cost in costs),
            duration(group.mean("cpu_seconds")),
        )
    return result


def draw(outcomes: Sequence[Outcome], directory: Path, command: str, highlight: str | None = None) -> list[Path]:
    """Write the figures of a sweep, ``curves.html``, and the list of a store's sweeps; return the paths, pages first.

    There are none if no run has a result.
    """
    members, paths = members_of(outcomes), []
    for line in equal_runs(members):
        print(line, flush=True)
    for suffix, picture, text in pictures(members, command, highlight):
        if text:
            print(text, flush=True)
        paths.append(directory / f"curves{suffix}.png")
        picture.save(paths[-1])
    pngs = [path.read_bytes() for path in paths]
    page = write_page(members, directory, small_print(command), pngs, highlight) if paths else None
    overview = write_overview(directory.parent, "Sweeps") if page and directory.parent.name == SWEEPS else None
    return [*filter(None, [page, overview]), *paths]


def equal_runs(members: Sequence[Member]) -> list[str]:
    """Return a line for each group of runs with equal curves (times aside): their seeds decide nothing."""
    columns, lines = [*COUNTS, *MEASURES], []
    for group, ((_, first), *rest) in members:
        if rest and all(curve[columns].equals(first[columns]) for _, curve in rest):
            lines.append(
                f"{group.name} on {group.dataset}: its {1 + len(rest)} runs are equal, so that one seed is enough"
            )
    return lines


def write_for_paper(
    outcomes: Sequence[Outcome], directory: Path, command: str, paper: PaperStyle | None, highlight: str | None = None
) -> int:
    """Write the figures for a paper and their captions, if asked for, and print their paths; 2 if that fails."""
    if paper is None:
        return 0
    try:
        for suffix, picture, _ in pictures(members_of(outcomes), command, highlight, names=False):
            for path in picture.save_for_paper(directory / f"paper{suffix}", paper):
                print(f"for a paper: {path}", flush=True)
    except (OSError, SettingsError) as error:
        print_error(f"error: no figure for a paper: {error}")
        return 2
    return 0


def next_commands(directory: Path, store: Store) -> list[str]:
    """Return the lines that say how the runs of a sweep are listed, and shown in mlflow's pages."""
    in_store = directory.parent.resolve() == store.root / SWEEPS
    usual = store.root == Path(StoreConfig.root).resolve()
    filters = [f"sweep={directory.name if in_store else directory}", *([] if usual else [f"store={store.root}"])]
    lines = [f"list these runs: {command_line('store', 'list', *filters)}"]
    if store.server is None:
        folder = [] if usual else [str(store.root)]
        lines.append(f"mlflow's pages on all runs: {command_line('store', 'ui', *folder)}")
    return lines
