"""What claims about several data sets have in common: how data weigh, and what is undecided while runs are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from experiments.papers.judging import Part, put_together
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

OTHER: Final = "measured, not counted"
STAND_INS: Final = "Named stand-ins are judged as well, for all methods have the same data."
INCOMPLETE: Final = "Undecided: what could be judged speaks for it, but that is not all that it says."


def counted(part: Part, evidence: Evidence, panel: Panel) -> Part:
    """Let a case decide nothing on data that are neither the paper's nor named in their place by the figure's file."""
    if not part.statistic or evidence.declared(panel):
        return part
    return replace(part, ruling="not_applicable", note=", ".join(filter(None, [part.note, OTHER])))


def decided(spec: ClaimSpec, rule: str, answers: Sequence[Sequence[Part]], summary: str) -> Claim:
    """Judge a claim by its cases; it is not `reproduced` by those alone that happen to be there.

    Parameters
    ----------
    spec : ClaimSpec
    rule : str
        How a case is judged.
    answers : sequence of sequences of Part
        For each thing that the claim says its cases; those without a statistic have no finished runs.
    summary : str
        What is told as measured, in place of a sentence for each case.
    """
    claim = put_together(spec, f"{rule} {STAND_INS}", [part for parts in answers for part in parts])
    if not claim.statistic:
        return claim
    if claim.verdict == "reproduced" and not all(map(_answered, answers)):
        claim = replace(claim, verdict="not_applicable", why=f"{claim.why} {INCOMPLETE}")
    return replace(claim, measured=summary)


def told(answers: Mapping[str, Sequence[Part]]) -> str:
    """Write what was measured: a sentence for each thing, by its title, that has any case to tell of."""
    values = {
        title: [f"{part.about} {part.measured}" for part in parts if part.measured] for title, parts in answers.items()
    }
    return " ".join(f"{title}: {'; '.join(own)}." for title, own in values.items() if own)


def _answered(parts: Sequence[Part]) -> bool:
    """Whether all cases have runs, and some of them could be judged."""
    return all(part.statistic for part in parts) and any(part.ruling != "not_applicable" for part in parts)
