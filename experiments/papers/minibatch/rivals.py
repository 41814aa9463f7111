"""Methods of Figure 1 against each other, and the failure of naive SDCA."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers.cases import (
    FAILS,
    HOLDS,
    MISSING,
    UNCLEAR,
    Case,
    Choice,
    Findings,
    case_on,
    holds,
)
from svm_cost_curves.experiments.papers.effort import multiple_text, ratio_of
from svm_cost_curves.experiments.papers.minibatch.methods import METHOD_STYLES
from svm_cost_curves.experiments.papers.minibatch.speedups import compare, weighed
from svm_cost_curves.experiments.papers.minibatch.study import Found, Study, failing, fails_from
from svm_cost_curves.experiments.reproduction.evidence import Evidence


def judge_first(_: Evidence, choice: Choice, found: Sequence[Study]) -> Findings:
    """Judge minibatch.3: with b = 1 SDCA takes fewer iterations than Pegasos."""
    rival = choice.option("pegasos")
    return Findings([_rival_case(study, rival, 1) for study in found])


def judge_throughout(_: Evidence, choice: Choice, found: Sequence[Study]) -> Findings:
    """Judge minibatch.throughout: with each b aggressive SDCA takes fewer iterations than Pegasos."""
    rival = choice.option("pegasos")
    cases = [_rival_case(study, rival, b) for study in found for b in study.planned.get(rival, ()) if b > 1]
    return Findings(cases, " ".join(filter(None, (_extremes(study, rival) for study in found))))


def _rival_case(study: Study, rival: str, b: int) -> Case:
    """Compare the iterations of a method with those of aggressive SDCA."""
    one, other = study.of(rival).get(b), study.of("aggressive").get(b)
    what, about = f"b={b}", f"b = {b:,} on {study.name}"
    if one is None or other is None or study.data.unfit:
        return case_on(study.panel, what, MISSING, note=study.data.unfit or "not run", about=about)
    ratio = ratio_of(one, other)
    if ratio is None:
        return case_on(study.panel, what, UNCLEAR, note="both miss the target", about=about)
    measured = f"{METHOD_STYLES[rival].name} takes {ratio.text()} times as many iterations"
    decision = ratio.above(1.0)
    note = "" if decision.ruling == "holds" else measured
    return case_on(study.panel, what, decision, measured, {"ratio": ratio.as_dict()}, note, about=about)


def _extremes(study: Study, rival: str) -> str:
    """Write the least and the largest ratio of the iterations."""
    one, other = study.of(rival), study.of("aggressive")
    known = {
        b: one[b].median / other[b].median for b in one if b > 1 and b in other and one[b].known and other[b].known
    }
    if not known:
        return ""
    low, high = (pick(known, key=lambda b: known[b]) for pick in (min, max))
    ends = " to ".join(f"{multiple_text(known[b])} (b = {b:,})" for b in (low, high))
    return f"{study.name}: {METHOD_STYLES[rival].name} takes {ends} times as many iterations."


def judge_often(_: Evidence, __: Choice, found: Sequence[Study]) -> Findings:
    """Judge minibatch.often: aggressive SDCA takes fewer iterations than safe SDCA with more than half of the sizes."""
    return Findings([study.case("aggressive", "often", partial(_often, study)) for study in found])


def _often(study: Study) -> Found:
    safe, aggressive = study.of("safe"), study.of("aggressive")
    known = {b: ratio_of(safe[b], aggressive[b]) for b in aggressive if b > 1 and b in safe}
    if not known:
        return Found(MISSING, note="no finished runs of safe SDCA")
    rulings = [ratio.above(1.0).ruling if ratio else "unclear" for ratio in known.values()]
    better, undecided, half = rulings.count("holds"), rulings.count("unclear"), len(known) / 2
    decision = HOLDS if better > half else UNCLEAR if better + undecided > half else FAILS
    return Found(decision, f"fewer than safe SDCA with {better} of {len(known)} sizes", {"better": better})


def judge_naive(_: Evidence, choice: Choice, found: Sequence[Study]) -> Findings:
    """Judge minibatch.2: naive SDCA fails for large mini-batches, where aggressive SDCA goes on improving."""
    cases = [study.case("naive", "naive fails", partial(_fails, study, choice)) for study in found]
    cases += [study.case("aggressive", "aggressive improves", partial(_improves, study, choice)) for study in found]
    not_run = [case for study in found for case in study.not_run(["naive", "aggressive"], study.enough)]
    return Findings([*cases, *not_run])


def _fails(study: Study, choice: Choice) -> Found:
    first = fails_from(study, choice["worse"])
    known = {
        b: fails
        for b, fails in failing(study.of("naive"), study.of("aggressive"), choice["worse"]).items()
        if fails is not None
    }
    sizes = [b for b, fails in known.items() if fails and first is not None and b >= first]
    statistic = {
        "from": first,
        "sizes": len(sizes),
        "largest_decided": max(known, default=None),
        "enough": study.enough,
    }
    if not known:
        return Found(UNCLEAR, "", statistic, "the budgets were too small to tell")
    undecided = "" if max(known) == max(study.of("naive")) else f"undecided beyond b = {max(known):,}: small budgets"
    if first is None:
        return Found(UNCLEAR if undecided else FAILS, f"does not fail up to b = {max(known):,}", statistic, undecided)
    measured = f"fails from b = {first:,} on ({first / study.enough:.3g}/sigma^2)"
    return Found(holds(len(sizes) >= 2 and sizes[0] > study.enough), measured, statistic, undecided)


def _improves(study: Study, choice: Choice) -> Found:
    """Compare aggressive SDCA at each size at which naive SDCA fails with the last size before them."""
    efforts, first = study.of("aggressive"), fails_from(study, choice["worse"])
    before = [b for b in efforts if first is not None and b < first]
    if not before:
        return Found(FAILS, note="naive SDCA does not fail")
    beyond = [b for b in efforts if b > before[-1]]
    if choice.option("sizes") == "largest":
        beyond = beyond[-1:]
    return weighed(compare(efforts, [(before[-1], b) for b in beyond]), lambda _, ratio: ratio.above(1.0))


_FALL: Final = 1e-9
"""A smaller relative fall of the dual objective is rounding."""


def judge_monotone(evidence: Evidence, choice: Choice, found: Sequence[Study]) -> Findings:
    """Judge minibatch.monotone: D rises all the time with b = 1, and falls at times where naive SDCA fails."""
    cases = []
    for study in found:
        members, first = evidence.spec.members("naive"), fails_from(study, choice["worse"])
        failing_members = {b: members[b] for b in study.of("naive") if first is not None and b >= first}
        cases.append(study.case("naive", "pure", partial(_rises, study, members[1.0])))
        cases.append(study.case("naive", "where it fails", partial(_falls, study, failing_members)))
    return Findings(cases)


def _rises(study: Study, series: str) -> Found:
    falls = [_largest_fall(column(frame, "dual")) for frame in study.panel.curves(series)]
    if not falls:
        return Found(MISSING, note="no finished runs with b = 1")
    return Found(holds(max(falls) <= _FALL), f"with b = 1 D falls by {max(falls):.1g} at most", {"fall": max(falls)})


def _falls(study: Study, members: dict[int, str]) -> Found:
    if not members:
        return Found(FAILS, note="naive SDCA does not fail")
    least = {
        b: min((_largest_fall(column(frame, "dual")) for frame in study.panel.curves(name)), default=0.0)
        for b, name in members.items()
    }
    falling = sum(fall > _FALL for fall in least.values())
    measured = f"D falls in each run with {falling} of {len(least)} sizes at which it fails"
    return Found(holds(falling == len(least)), measured, {f"b={b}": fall for b, fall in least.items()})


def _largest_fall(dual: NDArray[np.float64]) -> float:
    """Return the largest fall from one evaluation to the next; 0 if there is none."""
    known = dual[np.isfinite(dual)]
    return float(max(0.0, -np.diff(known).min(initial=0.0)))
