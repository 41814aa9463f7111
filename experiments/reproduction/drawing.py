"""Draws and judges published figures, several at a time."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from svm_cost_curves.experiments.processes.elapsed import ElapsedTime
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.processes.stopping import deferred
from svm_cost_curves.experiments.reproduction.build import build_figure
from svm_cost_curves.experiments.reproduction.from_evidence import from_evidence
from svm_cost_curves.experiments.reproduction.options import NOT_ALL, OK, Command, Options
from svm_cost_curves.experiments.reproduction.published import EvidenceError, published_figures, read_facts
from svm_cost_curves.experiments.reproduction.spec import FigureError, FigureSpec, read_figure
from svm_cost_curves.experiments.reproduction.summary import show, show_overview, shown
from svm_cost_curves.experiments.reproduction.verdict import Verdict
from svm_cost_curves.experiments.run.console import console, note_to

if TYPE_CHECKING:
    from svm_cost_curves.experiments.processes.pool import Report


def draw_figures(names: Sequence[str], command: Command, words: Sequence[str]) -> int:
    """Draw and judge published figures; return the exit status."""
    with reading():
        specs, status = published_specs(names, command)
    options = command.options
    drawings = [
        FigureDrawing(spec, options, command.evidence, command.figures / spec.id / options.scale, shown(words))
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
    elapsed = ElapsedTime(note_to(console(sys.stderr)))
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
        raise EvidenceError(f"there is no evidence of {command.figure} in {command.evidence.name}/")
    if absent:
        print(f"not published: {', '.join(absent)}", flush=True)
    left = [spec for name, spec in specs.items() if name not in absent]
    return left, NOT_ALL if any(specs[name].paper for name in absent) else OK


@dataclass(frozen=True)
class FigureDrawing:
    """One published figure that is to be drawn; a job of `experiments.processes.pool.run_jobs`.

    Attributes
    ----------
    spec : FigureSpec
    options : Options
    evidence : Path
        Folder of the evidence.
    folder : Path
        Its files are replaced as a whole; see `build_figure`.
    command : str
        The command line, for the record.
    as_published : bool
        Whether the files show the commit, the machine and the time of the publication. Then another verdict than the
        published one is refused.
    """

    spec: FigureSpec
    options: Options
    evidence: Path
    folder: Path
    command: str
    as_published: bool = False

    @property
    def label(self) -> str:
        """The figure's id."""
        return self.spec.id

    def draw(self) -> Verdict:
        """Draw and judge it.

        Raises
        ------
        EvidenceError, FigureError
            It is not published at this scale, a file is damaged, or it is judged otherwise than when it was published.
        """
        published = read_facts(self.evidence, self.spec.id)["verdict"] if self.as_published else None
        evidence = from_evidence(self.spec, self.options, self.evidence)
        return build_figure(evidence, self.options, self.folder, self.command, published=published)

    def __call__(self, report: Report, /) -> Outcome:
        """Draw it and return the outcome; see `experiments.processes.pool.Job`."""
        from svm_cost_curves.experiments.run.errors import outcome_of

        del report
        return outcome_of(self._drawn, lambda: self.label)

    def _drawn(self) -> Outcome:
        try:
            with deferred():  # a figure takes seconds: it is finished, and the others are not begun
                self.draw()
        except (EvidenceError, FigureError) as error:
            return Outcome(self.label, "refused", str(error))
        except OSError as error:
            return Outcome(self.label, "refused", f"{self.label}: {error}")
        return Outcome(self.label, "finished")


def draw_all(drawings: Sequence[FigureDrawing], jobs: int) -> Iterator[tuple[FigureDrawing, Verdict]]:
    """Draw figures, at most `jobs` at a time, and yield each with its verdict when it is drawn.

    Standard error shows how many are drawn, and which are being drawn.

    Raises
    ------
    EvidenceError
        As `FigureDrawing.draw`; or a process has failed.
    KeyboardInterrupt
        Ctrl-C or SIGTERM. Several processes finish the figures that they draw, within `GRACE_SECONDS`.
    """
    count = len(drawings)
    if count == 1 or jobs == 1:  # a process takes a second to start
        for done, drawing in enumerate(drawings):
            with reading(f"{f'{done} of {count} figures; now ' * (count > 1)}{drawing.label}"):
                verdict = drawing.draw()
            yield drawing, verdict
        return
    from svm_cost_curves.experiments.processes.pool import WorkerPool, run_jobs
    from svm_cost_curves.experiments.reproduction.report.verdict_reader import read_verdict

    elapsed = ElapsedTime(note_to(console(sys.stderr)))
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
                if event.outcome.status == "refused":
                    raise EvidenceError(event.outcome.message)
                if event.outcome.exit_code:
                    raise EvidenceError(event.outcome.line)
                done += 1
                now.pop(event.index, None)
                yield drawing, read_verdict((drawing.folder / "verdict.json").read_bytes())
    finally:
        elapsed.end()
