"""Claim 2: the stopping rule delivers the accuracy asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from experiments.curve import column
from experiments.papers.cases import counted, decided
from experiments.papers.judging import Part
from experiments.papers.optimum import Optimum
from experiments.papers.sgdr.effort import ROUNDING, STOPPING, stopped, tolerance
from experiments.papers.sgdr.timing import Case
from experiments.plotting import STYLES
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim, Ruling, combined
from experiments.store import FinishedRun

RULE: Final = (
    "For each data set, C and algorithm all runs that ended by their own rule, (J - L) / L <= eps: whether "
    "(J - J_opt) / J_opt <= eps there, wherever in its certified interval J_opt lies. Reproduced: in all runs; partly: "
    "in some. A run that its budget ended has not stopped, and decides nothing."
)


def judge(evidence: Evidence, spec: ClaimSpec, cases: Sequence[Case]) -> Claim:
    """Judge the claim.

    Parameters
    ----------
    evidence : Evidence
    spec : ClaimSpec
    cases : sequence of Case
        All data sets and values of C.
    """
    answers = {
        name: [counted(_part(evidence, case, name), evidence, case.panel) for case in cases] for name in STOPPING
    }
    sentences = [_told(name, parts) for name, parts in answers.items()]
    return decided(spec, RULE, list(answers.values()), " ".join(filter(None, sentences)))


def at_stop(run: FinishedRun, optimum: Optimum) -> tuple[float, Ruling]:
    """Return (J - J_opt) / J_opt at a run's end, no less than it is, and whether that is at most the run's eps."""
    primal, eps = column(run.curve, "primal")[-1:], tolerance(run) + ROUNDING
    excess, least = float(optimum.excess(primal)[0]), float(optimum.least_excess(primal)[0])
    return excess, "reproduced" if excess <= eps else "not_reproduced" if least > eps else "not_applicable"


def _part(evidence: Evidence, case: Case, name: str) -> Part:
    place, about = (case.panel.asked, f"C={case.C:g} {name}"), case.name
    runs = case.panel.runs.get(evidence.spec.members(name)[case.C], ())
    if case.optimum is None:
        return Part(place, about, "not_applicable", note=case.unfit)
    found = [at_stop(run, case.optimum) for run in runs if stopped(run)]
    if not found:
        why = "no run stopped by itself" if runs else "no finished runs"
        return Part(place, about, "not_applicable", note=f"{STYLES[name].name}: {why}")
    notes = {
        "did not stop within their budget": len(runs) - len(found),
        "cannot be told, J_opt is not known well enough": sum(ruling == "not_applicable" for _, ruling in found),
    }
    statistic: dict[str, Any] = {
        "runs": len(found),
        "largest_excess": max(excess for excess, _ in found),
        "eps": max(tolerance(run) for run in runs),
        "uncertainty_of_optimum": case.optimum.uncertainty,
    }
    note = ", ".join(f"{STYLES[name].name}: {count} of {len(runs)} runs {why}" for why, count in notes.items() if count)
    return Part(place, about, combined([ruling for _, ruling in found]), "", statistic, note)


def _told(name: str, parts: Sequence[Part]) -> str:
    """Say of an algorithm how many runs stopped, and where the largest distance from the optimum was."""
    measured = [part for part in parts if part.statistic]
    if not measured:
        return ""
    worst = max(measured, key=lambda part: float(part.statistic["largest_excess"]))
    return (
        f"{STYLES[name].name}: {sum(part.statistic['runs'] for part in measured)} runs stopped, at most "
        f"{100 * worst.statistic['largest_excess']:.2g} % above the optimum ({worst.about})."
    )
