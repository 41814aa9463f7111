"""Figure 1: iterations to a 0.001-accurate primal solution against the size of the mini-batches."""

from __future__ import annotations

from functools import partial

from experiments.papers.judging import Judge, judged
from experiments.papers.minibatch import fig1_picture, fig1_table, naive_claim, rivals_claim, speed_claim
from experiments.papers.minibatch.looks import METHODS, TAIL
from experiments.papers.minibatch.study import Study, points, studies
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge its claims."""
    found = studies(evidence)
    judges: dict[str, Judge] = {
        "minibatch.1": partial(speed_claim.judge, found=found),
        "minibatch.2": partial(naive_claim.judge, found=found),
        "minibatch.3": partial(rivals_claim.judge, found=found),
    }
    shown = [study for study in found if study.efforts]
    return Made(
        points(shown, (*METHODS, TAIL), _share),
        partial(fig1_picture.draw, found=shown),
        fig1_picture.size(len(shown)),
        table=fig1_table.table(shown),
        claims=judged(evidence, judges),
    )


def _share(study: Study, _: str, b: int) -> dict[str, float | None]:
    """beta_b / b, to which the bounds' iterations are proportional."""
    return {"beta_over_b": None if study.data.spectrum is None else study.data.spectrum.share(b)}
