"""Draws and judges published figures, several at a time, and shows a figure on the console: verdicts, files."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.table import Table
from rich.text import Text

from ...support.files import read_plain
from ...support.text import command_line
from ..plotting.interactive import write_overview
from ..processes.outcome import Outcome, outcome_of
from ..processes.stopping import deferred
from ..processes.streams import ElapsedTime
from ..provenance import UNCOMMITTED
from ..run.console import console, note
from .build import build_figure
from .evidence import from_evidence
from .options import FOLDERS, NOT_ALL, OK, Command, Options
from .published import EvidenceError, no_evidence, published_figures, read_facts
from .report.figures import read_verdict
from .report.labels import agreement
from .spec import FigureSpec, read_figure
from .verdict import Verdict

if TYPE_CHECKING:
    from ..processes.pool import Report


def draw_figures(names: Sequence[str], command: Command, arguments: Sequence[str]) -> int:
    """Draw and judge published figures; return the exit status."""
    with reading():
        specs, status = published_specs(names, command)
    options = command.options
    drawings = [
        FigureDrawing(
            spec, options, command.evidence, command.figures / spec.id / options.scale, figure_command(arguments)
        )
        for spec in specs
    ]
    for drawing, verdict in draw_all(drawings, options.jobs):
        print(f"{drawing.spec.id}: from evidence")
        show(verdict, drawing.folder)
        status = NOT_ALL if verdict.missing else status
    show_overview(command.figures)
    return status


@contextlib.contextmanager
def reading(text: str = "reading figures and runs") -> Iterator[None]:
    """Say what is being done and for how long, for work that otherwise prints nothing."""
    elapsed = ElapsedTime(note)
    elapsed.begin(text)
    try:
        yield
    finally:
        elapsed.end()


def published_specs(names: Sequence[str], command: Command) -> tuple[list[FigureSpec], int]:
    """Return the published ones of the figures, and the status; one that the command names itself must be published."""
    specs = {name: read_figure(name) for name in names}
    there = set(published_figures(command.evidence)) | set(command.figure.split(","))
    absent = [name for name, spec in specs.items() if spec.id not in there and name not in there]
    if len(absent) == len(names):
        raise no_evidence(command.evidence, command.figure)
    if absent:
        print(f"not published: {', '.join(absent)}", flush=True)
    left = [spec for name, spec in specs.items() if name not in absent]
    return left, NOT_ALL if any(specs[name].paper for name in absent) else OK


@dataclass(frozen=True)
class FigureDrawing:
    """One published figure that is to be drawn; a job of `experiments.processes.pool.run_jobs`."""

    spec: FigureSpec
    options: Options
    evidence: Path
    """Folder of the evidence."""
    folder: Path
    """Its files are replaced as a whole; see `build_figure`."""
    command: str
    """The command line, for the record."""
    as_published: bool = False
    """Whether the files show the commit, the machine and the time of the publication. Then another verdict than the
    published one is refused."""

    @property
    def label(self) -> str:
        """The figure's id."""
        return self.spec.id

    def draw(self) -> Verdict:
        """Draw and judge it.

        Raises EvidenceError or FigureError if it is not published at this scale, a file is damaged, or it is judged
        otherwise than when it was published.
        """
        published = read_facts(self.evidence, self.spec.id)["verdict"] if self.as_published else None
        evidence = from_evidence(self.spec, self.options, self.evidence)
        return build_figure(evidence, self.options, self.folder, self.command, published=published)

    def __call__(self, report: Report, /) -> Outcome:
        """Draw it and return the outcome; see `experiments.processes.pool.Job`."""
        del report
        return outcome_of(self._drawn, lambda: self.label)

    def _drawn(self) -> Outcome:
        try:
            with deferred():  # a figure takes seconds: it is finished, and the others are not begun
                self.draw()
        except OSError as error:
            raise EvidenceError(f"{self.label}: {error}") from error
        return Outcome(self.label, "finished")


def draw_all(drawings: Sequence[FigureDrawing], jobs: int) -> Iterator[tuple[FigureDrawing, Verdict]]:
    """Draw figures, at most `jobs` at a time, and yield each with its verdict when it is drawn.

    Standard error shows how many are drawn, and which are being drawn.

    Raises EvidenceError as `FigureDrawing.draw`, or if a process has failed; KeyboardInterrupt after Ctrl-C or SIGTERM:
    several processes finish the figures that they draw, within `GRACE_SECONDS`.
    """
    count = len(drawings)
    if count == 1 or jobs == 1:  # a process takes a second to start
        for done, drawing in enumerate(drawings):
            with reading(f"{f'{done} of {count} figures; now ' * (count > 1)}{drawing.label}"):
                verdict = drawing.draw()
            yield drawing, verdict
        return
    from ..processes.pool import WorkerPool, run_jobs

    elapsed = ElapsedTime(note)
    done, now = 0, dict[int, str]()
    try:
        with WorkerPool(min(jobs, count)) as pool:
            for event in run_jobs(drawings, pool):
                drawing = drawings[event.index]
                if event.outcome is None:
                    if event.index not in now:
                        now[event.index] = drawing.label
                        elapsed.begin(f"{done} of {count} figures; now {', '.join(now.values())}")
                    continue
                if event.outcome.exit_code:
                    refused = event.outcome.status == "refused"
                    raise EvidenceError(event.outcome.message if refused else event.outcome.line)
                done += 1
                now.pop(event.index, None)
                yield drawing, read_verdict(read_plain(drawing.folder / "verdict.json"))
    finally:
        elapsed.end()


_LONGEST: Final = 100
"""Characters of the measurement that decided a claim; verdict.md has all of it."""
_FILES: Final[Mapping[str, str]] = {
    "verdict": "verdict.md",
    "table": "table.md",
    "for a paper": "paper.*",
    "figure": "figure.png",
    "page": "curves.html",
}


def show(verdict: Verdict, folder: Path) -> None:
    """Print the verdicts, or of a figure without claims its table; then the paths of the files in its folder."""
    out = console(sys.stdout)
    if verdict.claims:
        out.print(claims_table(verdict), highlight=False)
    elif (folder / "table.json").exists():
        out.print(figure_table(json.loads(read_plain(folder / "table.json"))), highlight=False)
    lines = remarks(verdict)
    lines += [f"{kind}: {path}" for kind, name in _FILES.items() for path in sorted(folder.glob(name))]
    print("\n".join(lines), flush=True)


def show_overview(figures: Path) -> None:
    """Write the list of the pages of all figures, if there are pages, and print its path."""
    if overview := write_overview(figures, "Figures"):
        print(f"all figures: {overview}", flush=True)


def remarks(verdict: Verdict) -> list[str]:
    """Return the lines below the table of claims: printed numbers, and what restricts the verdict."""
    lines = [f"  printed numbers: {agreement(verdict.numbers)}"] if verdict.numbers else []
    lines += [f"  disturbed timed runs on {name}: {how}" for name, how in verdict.disturbed.items()]
    if verdict.uncommitted:
        lines.append(f"  made {UNCOMMITTED}: verdict.json has the commits")
    return lines


def claims_table(verdict: Verdict) -> Table:
    """Return the table of a figure's claims: outcome, data, and the measurement of the case that decided it."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("claim", no_wrap=True)
    table.add_column("verdict")
    table.add_column("decided by")
    for claim in verdict.claims:
        decided = textwrap.shorten(claim.nearest.decided_by, _LONGEST, placeholder=" ...")
        table.add_row(Text(claim.id), Text(claim.nearest.text), Text(decided or "-"))
    return table


def figure_table(content: Mapping[str, Any]) -> Table:
    """Return the table of a figure (table.json), without notes and without the ranges in brackets."""
    table = Table(box=box.SIMPLE_HEAD)
    for name in content["columns"]:
        table.add_column(name, overflow="fold")  # cut names of two settings of a solver could look the same
    for row in content["rows"]:
        table.add_row(*map(_cell, row))
    return table


def _cell(content: str | Mapping[str, str]) -> Text:
    text, style = (content, "") if isinstance(content, str) else (content["bold"], "bold")
    return Text(re.sub(r" \[[^]]*\]$", "", text), style=style)


def figure_command(arguments: Sequence[str]) -> str:
    """Return the command line without folders of this machine."""
    hidden = ("store=", "store.", *(f"{name}=" for name in FOLDERS))
    return command_line("reproduce", *(word for word in arguments if not word.startswith(hidden)))
