"""Kinds of statistics for Figure 1: methods against each other, and the failure of naive SDCA."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ...curve import ROUNDING, column
from ...reproduction.evidence import Evidence
from ...reproduction.statistics.interval import FAILS, HOLDS, MISSING, UNCLEAR, Decision, holds
from ...reproduction.statistics.ratio import Ratio, ratio_of
from ..cases import Case, Findings, Statistic, case_on
from ..panels import called
from .data import Study
from .methods import name_of_method
from .speedups import compared


@dataclass(frozen=True, kw_only=True)
class IterationsRatio(Statistic, kind="iterations_ratio"):
    """Ratio of iterations, method / rival, at equal b; one case per rival and b."""

    first: str
    """Method."""
    others: list[str]
    sizes: list[int] = field(default_factory=list)
    """Sizes b; empty: all above 1 that are planned for the first method."""
    most: bool = False
    """Whether all sizes are one case, which holds where more than half of them do."""
    share: float | None = None
    """The case holds where the ratio is at most 1 + share; not given: where it is above 1."""

    def cases(self, item: Study, evidence: Evidence) -> Iterable[Case]:
        """Compare the methods."""
        name, sizes = name_of_method(self.first), self.sizes or [b for b in item.planned.get(self.first, {}) if b > 1]
        for rival in self.others:
            pairs = {b: (item.of(self.first).get(b), item.of(rival).get(b)) for b in sizes}
            ratios = {b: ratio_of(first, second) for b, (first, second) in pairs.items() if first and second}
            if self.most:
                yield item.missing(rival, "sizes") or self._most(item, rival, ratios)
                continue
            for b in sizes:
                key, about = f"{rival} b={b}", f"b = {b:,} on {called(item.panel)}"
                if b not in ratios or item.unfit:
                    yield case_on(item.panel, key, MISSING, note=item.unfit or "not run", about=about)
                elif (ratio := ratios[b]) is None:
                    yield case_on(item.panel, key, UNCLEAR, note="both miss the target", about=about)
                else:
                    text = f"iterations, {name} over {name_of_method(rival)}, {ratio.text()}"
                    yield case_on(item.panel, key, self._decide(ratio), text, {"ratio": ratio.as_dict()}, about=about)

    def _most(self, study: Study, rival: str, ratios: Mapping[int, Ratio | None]) -> Case:
        name = name_of_method(self.first)
        if not ratios:
            return study.case(rival, "sizes", MISSING, note=f"no finished runs of {name}")
        rulings = [self._decide(ratio).ruling for ratio in ratios.values()]
        better, undecided, half = rulings.count("holds"), rulings.count("unclear"), len(ratios) / 2
        decision = HOLDS if better > half else UNCLEAR if better + undecided > half else FAILS
        text = f"fewer than {name} with {better} of {len(ratios)} sizes"
        return study.case(rival, "sizes", decision, text, {"better": better})

    def _decide(self, ratio: Ratio | None) -> Decision:
        if ratio is None:
            return UNCLEAR
        return ratio.above(1.0) if self.share is None else ratio.at_most(1 + self.share)


@dataclass(frozen=True, kw_only=True)
class NaiveFailure(Statistic, kind="naive_failure"):
    """Naive SDCA fails for large mini-batches, where aggressive SDCA goes on improving; a case for each of the two."""

    worse: float
    """Naive SDCA fails where it takes this many times the iterations of the best smaller b (`Study.naive_fails`)."""
    improves: Literal["all", "largest"] = "all"
    """Aggressive SDCA takes fewer iterations than with the last b before the failure with ``all`` b from there on, or
    with the ``largest``."""

    def findings(self, data: Sequence[Study], evidence: Evidence) -> Findings:
        """Find the point of failure on each data set."""
        cases = [study.missing("naive", "fails") or self._fails(study) for study in data]
        cases += [study.missing("aggressive", "improves") or self._improves(study) for study in data]
        not_run = [case for study in data for case in study.not_run(["naive", "aggressive"], study.enough)]
        return Findings([*cases, *not_run])

    def _fails(self, study: Study) -> Case:
        first = study.naive_fails_from(self.worse)
        decided = {b: fails for b, fails in study.naive_fails(self.worse).items() if fails is not None}
        sizes = [b for b, fails in decided.items() if fails and first is not None and b >= first]
        largest = max(decided, default=None)
        statistic = {"from": first, "sizes": len(sizes), "largest_decided": largest, "enough": study.enough}
        if largest is None:
            note = "the budgets were too small to tell"
            return study.case("naive", "fails", UNCLEAR, values=statistic, note=note)
        note = "" if largest == max(study.of("naive")) else f"undecided beyond b = {largest:,}: small budgets"
        if first is None:
            decision, measured = UNCLEAR if note else FAILS, f"does not fail up to b = {largest:,}"
            return study.case("naive", "fails", decision, measured, statistic, note)
        assert study.optimum is not None  # `Study.missing` leaves out the others
        last_values = [column(frame, "primal")[-1] for frame in study.planned["naive"][first].frames]
        apart = float(np.median(last_values)) - study.optimum.lower
        measured = f"fails from b = {first:,} on ({first / study.enough:.3g}/sigma^2), there P - P* ends at {apart:.2g}"
        decision = holds(len(sizes) >= 2 and sizes[0] > study.enough)
        return study.case("naive", "fails", decision, measured, statistic, note)

    def _improves(self, study: Study) -> Case:
        efforts, first = study.of("aggressive"), study.naive_fails_from(self.worse)
        before = [b for b in efforts if first is not None and b < first]
        if not before:
            return study.case("aggressive", "improves", FAILS, note="naive SDCA does not fail")
        beyond = [b for b in efforts if b > before[-1]]
        pairs = [(before[-1], b) for b in (beyond if self.improves == "all" else beyond[-1:])]
        return compared(study, "aggressive", "improves", pairs, lambda ratio, _: ratio.above(1.0))


@dataclass(frozen=True, kw_only=True)
class NaiveDual(Statistic, kind="naive_dual"):
    """D of naive SDCA falls in every run with every b at which naive SDCA fails; a case for each data set."""

    worse: float
    """As in `NaiveFailure`."""
    sizes: Literal["failing", "one"] = "failing"
    """The ``failing`` sizes; with ``one`` the case is that D never falls with b = 1."""

    def case(self, item: Study, evidence: Evidence) -> Case:
        """Find the falls."""
        key = "b=1" if self.sizes == "one" else "failures"
        if missing := item.missing("naive", key):
            return missing
        if self.sizes == "one":
            if not (falls := _falls(item, 1)):
                return item.case("naive", key, MISSING, note="no finished runs with b = 1")
            text, never = f"with b = 1 D falls by {max(falls):.1g} at most", max(falls) <= ROUNDING
            return item.case("naive", key, holds(never), text, {"fall": max(falls)})
        if (first := item.naive_fails_from(self.worse)) is None:
            return item.case("naive", key, FAILS, note="naive SDCA does not fail")
        least = {f"b={b}": min(_falls(item, b), default=0.0) for b in item.of("naive") if b >= first}
        falling = sum(fall > ROUNDING for fall in least.values())
        text = f"D falls in each run with {falling} of {len(least)} sizes at which it fails"
        return item.case("naive", key, holds(falling == len(least)), text, least)


def _falls(study: Study, b: int) -> list[float]:
    """Return the largest fall of D from one evaluation to the next, for each run of naive SDCA; 0 if there is none."""
    duals = [column(frame, "dual") for frame in study.planned["naive"][b].frames]
    return [float(max(0.0, -np.diff(dual[np.isfinite(dual)]).min(initial=0.0))) for dual in duals]
