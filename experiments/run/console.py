"""Output of a run: header and result on standard output, progress on standard error.

A single run shows everything (`FullDisplay`); a job of a sweep that is its own process writes a line at its end
(`CompactDisplay`), others report to the sweep (`experiments.run.jobs`). Without a terminal, and on one that cannot
redraw a line (TERM=dumb), lines replace the bar (`experiments.run.meter`).
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rich import box
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ...support.text import number_of, printable
from ..columns import STEP_COSTS
from ..processes.streams import PAUSE, ElapsedTime
from .meter import Meter, duration, meter

if TYPE_CHECKING:
    from ..configuration.settings import RunSettings

Point = Mapping[str, Any]
Curve = Sequence[Point]
"""Points of a curve: one mapping for each evaluation."""

CURVE_PICTURE = "curve.png"
"""File name of a run's picture, beside its record."""
PLAIN_WIDTH = 120
"""Columns of the output when it is not a terminal."""
ROWS = 9
"""Of the table of a result, at most."""
LOG_PAUSE = 60.0
"""Seconds between two previews of the test error where there is no terminal."""


class Display:
    """Receives everything that a run shows. This base class shows warnings only."""

    pause = math.inf
    """Seconds between two new test errors at least: each needs an evaluation. Infinite where none is shown."""

    def note(self, text: str) -> None:
        """Show what takes long just now."""

    def warn(self, text: str) -> None:
        """Show a warning."""
        sys.stderr.write(f"warning: {printable(text)}\n")
        sys.stderr.flush()

    def header(self, run: RunSettings, facts: Mapping[str, str]) -> None:
        """Show the run that begins: facts about data and problem, settings, and who chose them."""

    def progress(self, fraction: float, point: Point, latest: Point | None) -> None:
        """Show the progress: used fraction of the budget, costs so far, newest evaluated point."""

    def finished(self, result: Point, curve: Callable[[], Curve], *, recorded: bool) -> None:
        """Show the result of a run that was computed, or that was found in the store."""

    def result_path(self, path: Path) -> None:
        """Show the paths of picture and curve, if there are any, and of the record: a run's last lines."""

    def close(self) -> None:
        """Remove the progress bar."""


class FullDisplay(Display):
    """Header, progress bar and table of a single run."""

    def __init__(self, *, progress: bool, out: IO[str] | None = None, err: IO[str] | None = None) -> None:
        self._out = console(out or sys.stdout)
        self._err = console(err or sys.stderr)
        self._meter: Meter | None = None
        self._show_progress = progress
        if progress:
            self.pause = 2.0 if self._err.is_interactive else LOG_PAUSE
        self._elapsed = ElapsedTime(note_to(self._err))

    def note(self, text: str) -> None:  # noqa: D102 (inherited)
        if self._show_progress:
            self._elapsed.begin(text)

    def warn(self, text: str) -> None:  # noqa: D102 (inherited)
        self._err.print(f"warning: {printable(text)}", highlight=False, markup=False, soft_wrap=True)

    def header(self, run: RunSettings, facts: Mapping[str, str]) -> None:  # noqa: D102 (inherited)
        self._elapsed.end()
        title = f"[bold]{run.algo}[/bold] on [bold]{escape(run.dataset.name)}[/bold]: {run.solver.summary}"
        self._out.print(title, highlight=False)
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(style="cyan", no_wrap=True)
        table.add_column(overflow="fold")
        for name, text in {**facts, **settings_lines(run.identity(), run.origins)}.items():
            table.add_row(name, Text(printable(text)))
        show(self._out, table)

    def progress(self, fraction: float, point: Point, latest: Point | None) -> None:  # noqa: D102 (inherited)
        if not self._show_progress:
            return
        if self._meter is None:
            self._meter = meter(self._err)
        self._meter.update(fraction, progress_text(point, latest))

    def finished(self, result: Point, curve: Callable[[], Curve], *, recorded: bool) -> None:  # noqa: D102 (inherited)
        self.close()
        if recorded:
            self._out.print("already in the store: nothing was computed", highlight=False)
        table = result_table(result, curve())
        headers = [str(column.header) for column in table.columns]
        show(self._out, fit(self._out, table, [name for name in reversed(headers) if name != "test error"]))

    def result_path(self, path: Path) -> None:  # noqa: D102 (inherited)
        from ..store.run_folder import CURVE_FILE

        # not through rich, which would wrap a long path
        files = {"figure": path.with_name(CURVE_PICTURE), "curve": path.with_name(CURVE_FILE), "result": path}
        lines = [f"{name}: {file}" for name, file in files.items() if file == path or file.exists()]
        self._out.file.write("".join(printable(line) + "\n" for line in lines))
        self._out.file.flush()

    def close(self) -> None:  # noqa: D102 (inherited)
        self._elapsed.end()
        if self._meter is not None:
            self._meter.close()
            self._meter = None


class CompactDisplay(Display):
    """One line at the end of a sweep's job, and a line of progress now and then, for a job that is its own process.

    Each line begins with `label`.
    """

    pause = LOG_PAUSE

    def __init__(self, label: str, out: IO[str] | None = None) -> None:
        self._label = label
        self._out = out or sys.stdout
        self._elapsed = ElapsedTime(self._write)
        self._meter = Meter(self._write)

    def note(self, text: str) -> None:  # noqa: D102 (inherited)
        self._elapsed.begin(text, after=PAUSE)

    def warn(self, text: str) -> None:  # noqa: D102 (inherited)
        super().warn(f"{self._label}: {text}")

    def header(self, run: RunSettings, facts: Mapping[str, str]) -> None:  # noqa: D102 (inherited)
        self._elapsed.end()

    def progress(self, fraction: float, point: Point, latest: Point | None) -> None:  # noqa: D102 (inherited)
        self._meter.update(fraction, progress_text(point, latest))

    def finished(self, result: Point, curve: Callable[[], Curve], *, recorded: bool) -> None:  # noqa: D102 (inherited)
        self._elapsed.end()
        point = {**result["counters"], "cpu_seconds": result["cpu_seconds"]}
        self._write(("already in the store; " if recorded else "finished; ") + progress_text(point, result["final"]))

    def close(self) -> None:  # noqa: D102 (inherited)
        self._elapsed.end()

    def _write(self, text: str) -> None:
        # one call of write, so that lines of parallel jobs do not mix
        self._out.write(printable(f"{self._label}: {text}") + "\n")
        self._out.flush()


def note_to(target: Console) -> Callable[[str], None]:
    """Return a function that writes a line about the present step to a console."""
    return lambda text: target.print(Text(f"... {printable(text)}", style="dim"), highlight=False, soft_wrap=True)


def note(text: str) -> None:
    """Write a line about the present step to standard error."""
    note_to(console(sys.stderr))(text)


def console(target: IO[str]) -> Console:
    """Make a console for a stream: as wide as the terminal, or `PLAIN_WIDTH` columns without colours."""
    return Console(file=target, width=None if target.isatty() else PLAIN_WIDTH, soft_wrap=False)


def show(target: Console, shown: RenderableType) -> None:
    """Print a table, or whatever rich knows, without blanks at the ends of its lines."""
    with target.capture() as lines:
        target.print(shown, highlight=False)
    target.file.write(re.sub(r" +((?:\x1b\[[0-9;]*m)*)$", r"\1", lines.get(), flags=re.MULTILINE))
    target.file.flush()


def fit(target: Console, table: Table, leave_out: Sequence[str]) -> Table:
    """Return a table no wider than a console: its headers broken at blanks, then without columns, in this order.

    Columns that fold count with at most 20 characters.
    """
    wide, order = target.options.update(width=10_000), [*leave_out]

    def is_too_wide() -> bool:
        folding = (column for column in table.columns if column.overflow == "fold")
        surplus = sum(max(0, max((len(str(cell)) for cell in column.cells), default=0) - 20) for column in folding)
        return target.measure(table, options=wide).maximum - surplus > target.width

    if is_too_wide():
        order = [name.replace(" ", "\n") for name in order]
        for column in table.columns:
            column.header = str(column.header).replace(" ", "\n")
        while order and is_too_wide():
            table = _without(table, order.pop(0))
    return table


def _without(table: Table, header: str) -> Table:
    kept = [column for column in table.columns if column.header != header]
    result = Table(
        *(column.copy() for column in kept),
        box=table.box,
        pad_edge=table.pad_edge,
        title=table.title,
        title_justify="left",
        caption=table.caption,
        caption_justify="left",
    )
    for cells in zip(*(column.cells for column in kept), strict=True):
        result.add_row(*cells)
    return result


def progress_text(point: Point, latest: Point | None) -> str:
    """Format the costs so far and the newest test error, on one line."""
    error = (latest or {}).get("test_error")
    parts = ["test error " + ("not known yet" if error is None else percent(error))]
    if (epochs := point.get("epochs")) is not None:
        now, measured = number_of(epochs, "epoch", ".3g"), (latest or {}).get("epochs")
        at = now if None in (error, measured) else number_of(float(measured or 0), "epoch", ".3g")
        parts = [*parts, now] if at == now else [f"{parts[0]} at {at}", f"now {now}"]
    costs = [name for name in ("kernel_evaluations", "inner_products", "feature_accesses") if point.get(name)]
    parts += [f"{count(point[name])} {name.replace('_', ' ')}" for name in costs[:1]]
    if point.get("cpu_seconds") is not None:
        parts.append(f"{duration(point['cpu_seconds'])} CPU")
    return ", ".join(parts)


def settings_lines(settings: Mapping[str, Any], origins: Mapping[str, str]) -> dict[str, str]:
    """Format the settings of a run: one line for each group, each value with its origin unless that is the default."""
    from ..configuration.presets import DEFAULT
    from ..configuration.schema import RENAMED

    lines: dict[str, str] = {}
    for group, value in settings.items():
        parts = []
        for key, item in value.items() if isinstance(value, Mapping) else [("", value)]:
            if key and item is None:
                continue
            text = f"{item:.6g}" if isinstance(item, float) else str(item)
            text = text.lower() if isinstance(item, bool) else text
            setting = RENAMED.get(f"{group}.{key}", f"{group}.{key}") if key else group
            shown = text if key in ("", "name") else f"{setting.removeprefix(f'{group}.')}={text}"
            origin = origins.get(setting)
            parts.append(shown if origin in (None, DEFAULT) else f"{shown} ({origin})")
        lines[group] = ", ".join(parts)
    return lines


def result_table(result: Point, curve: Curve) -> Table:
    """Return the table of a result: errors and objectives over the cost, and the remarks below.

    It has some of the evaluations, and no column for a measure that none of them has.
    """
    counters = result["counters"]
    cost = next((name for name in STEP_COSTS if counters.get(name)), "iterations")
    last = len(curve) - 1  # at most `ROWS`, evenly spread, first and last included
    rows = curve if last < ROWS else [curve[round(k * last / (ROWS - 1))] for k in range(ROWS)]
    about = f"{result['algo']} on {result['dataset']}, seed {result['seed']}; {len(rows)} of {len(curve)} evaluations"
    table = Table(
        box=box.SIMPLE_HEAD,
        title=Text(about, style="table.title"),
        title_justify="left",
        caption=Text("\n".join(f"note: {remark}" for remark in result["remarks"])) if result["remarks"] else None,
        caption_justify="left",
    )
    formats: dict[str, Callable[[Any], str]] = {
        "epochs": "{:.3g}".format,
        cost: count,
        "cpu_seconds": duration,
        "test_error": percent,
        "train_error": percent,
        "primal": "{:.6g}".format,
        "dual": "{:.6g}".format,
        "norm": "{:.5g}".format,
        "support_vectors": count,
    }
    shown = {name: text for name, text in formats.items() if any(row.get(name) is not None for row in rows)}
    for name in shown:
        table.add_column("CPU" if name == "cpu_seconds" else name.replace("_", " "), justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*("-" if row.get(name) is None else text(row[name]) for name, text in shown.items()))
    return table


def percent(value: float | None) -> str:
    """Format a fraction in percent, two decimals."""
    return "-" if value is None else f"{100 * value:.2f} %"


def count(value: float | None) -> str:
    """Format a count: in full below ten million, else to three digits."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value < 1e7 else f"{value:.2e}"
