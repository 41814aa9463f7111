"""Draws and judges published figures, several at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.processes.forkserver import preload
from experiments.processes.outcome import Outcome
from experiments.processes.pool import Report, run_jobs
from experiments.processes.stopping import deferred
from experiments.reproduction.build import build_figure
from experiments.reproduction.from_evidence import from_evidence
from experiments.reproduction.options import Options
from experiments.reproduction.published import EvidenceError, read_facts
from experiments.reproduction.spec import FigureError, FigureSpec
from experiments.run.errors import outcome_of


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

    def draw(self) -> None:
        """Draw and judge it.

        Raises
        ------
        EvidenceError, FigureError
            It is not published at this scale, a file is damaged, or it is judged otherwise than when it was published.
        """
        published = read_facts(self.evidence, self.spec.id)["verdict"] if self.as_published else None
        evidence = from_evidence(self.spec, self.options, self.evidence)
        build_figure(evidence, self.options, self.folder, self.command, published=published)

    def __call__(self, report: Report, /) -> Outcome:
        """Draw it and return the outcome; see `experiments.processes.pool.Job`."""
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


def draw_all(drawings: Sequence[FigureDrawing], jobs: int) -> Iterator[FigureDrawing]:
    """Draw figures, at most `jobs` at a time, and yield each when it is drawn.

    Raises
    ------
    EvidenceError
        As `FigureDrawing.draw`; or a process has failed.
    KeyboardInterrupt
        Ctrl-C or SIGTERM. Several processes finish the figures that they draw, within `GRACE_SECONDS`.
    """
    if len(drawings) == 1 or jobs == 1:  # a process takes a second to start
        for drawing in drawings:
            drawing.draw()
            yield drawing
        return
    for event in run_jobs(drawings, jobs):
        if event.outcome is None:
            continue
        if event.outcome.status == "refused":
            raise EvidenceError(event.outcome.message)
        if event.outcome.exit_code:
            raise EvidenceError(event.outcome.line)
        yield drawings[event.index]


preload("experiments.launchers.preloaded", __name__)
