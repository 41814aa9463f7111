"""Claim 2, its second half: with lambda near 0 ASSET* slows down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from experiments.papers.asset.slowdown_study import LAST, MARGIN, Study
from experiments.papers.cases import counted, decided, told
from experiments.papers.effort import Effort, multiple_text, ratio_of
from experiments.papers.judging import Part
from experiments.papers.panels import called
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

FACTOR: Final = 2.0
RULE: Final = (
    f"Epochs to the first look, of ten in an epoch, with a test error within {MARGIN:g} percentage point of the "
    f"better method's last error (mean over the last {LAST:.0%} of the epochs, median over the runs). For each data "
    f"set: with the smallest lambda ASSET* takes more than {FACTOR:g} times the epochs of ASSET, and more than "
    f"{FACTOR:g} times its own epochs with the largest lambda. Each by the 95 % interval of the ratio of medians "
    "over the runs; where that holds the limit it is unclear. Runs that do not get there take longer than their "
    "budget, as far as is known."
)


def judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Study]) -> Claim:
    """Judge the claim by all data sets."""
    answers = {
        "ASSET* over ASSET": [counted(_slower(study), evidence, study.panel) for study in found],
        "ASSET* over itself with the largest lambda": [
            counted(_slows(study), evidence, study.panel) for study in found
        ],
    }
    return decided(spec, RULE, list(answers.values()), told(answers))


def _slower(study: Study) -> Part:
    star, asset = study.efforts("asset_star"), study.efforts("asset")
    C = max(study.points, default=0.0)
    return _part(study, "slower", star.get(C), asset.get(C), C)


def _slows(study: Study) -> Part:
    star = study.efforts("asset_star")
    small, large = max(star, default=0.0), min(star, default=0.0)  # C, so that lambda is the other way round
    return _part(study, "slows down", star.get(small), star.get(large) if large < small else None, small)


def _part(study: Study, what: str, first: Effort | None, second: Effort | None, C: float) -> Part:
    place, about = (study.panel.asked, what), called(study.panel)
    if first is None or second is None:
        return Part(place, about, "not_applicable", note="no finished runs to compare")
    over = ratio_of(first, second)
    statistic = {"C": C, "ratio": None if over is None else over.as_dict()}
    if over is None:
        return Part(place, about, "not_applicable", "", statistic, "neither gets there within its epochs")
    texts = [effort.text(multiple_text) for effort in (first, second)]
    return Part(place, about, over.above(FACTOR), f"{over.text()} ({' against '.join(texts)} epochs)", statistic)
