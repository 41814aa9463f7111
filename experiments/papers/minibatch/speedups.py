"""Speed-ups of Figure 1: claims about the iterations of each method against the size of the mini-batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

from svm_cost_curves.experiments.papers.cases import BESIDE, MISSING, UNCLEAR, Case, Choice, Decision, Findings
from svm_cost_curves.experiments.papers.effort import Ratio, ratio_of
from svm_cost_curves.experiments.papers.minibatch.methods import METHOD_STYLES, METHODS
from svm_cost_curves.experiments.papers.minibatch.study import (
    Efforts,
    Found,
    Study,
    all_of,
    exponent,
    fails_from,
    ratio_of_speedups,
)
from svm_cost_curves.experiments.reproduction.evidence import Evidence

GO_ON: Final = ("pegasos", "aggressive")

Pair = tuple[int, int]
"""Two sizes of mini-batches."""
Test = Callable[[Pair, Ratio], Decision]

_ratio = lru_cache(maxsize=4096)(ratio_of)
"""`ratio_of`: each reading compares the same pairs."""


def judge_linear(_: Evidence, choice: Choice, found: Sequence[Study]) -> Findings:
    """Judge minibatch.1: at each size up to 1 / sigma^2 the speed-up is at least a share of b."""
    cases = [study.case(name, name, partial(_linear, study, name, choice)) for study in found for name in METHODS]
    return Findings([*cases, *(case for study in found for case in study.not_run(METHODS, 1, study.enough))])


def _linear(study: Study, method: str, choice: Choice) -> Found:
    efforts = study.of(method)
    sizes = [b for b in efforts if 1 < b <= study.enough]
    if not sizes:
        return Found(BESIDE, note="1/sigma^2 is below 2")
    share = choice["linear"]
    return weighed(compare(efforts, [(1, b) for b in sizes]), lambda pair, ratio: ratio.above(share * pair[1]))


def judge_safe(_: Evidence, choice: Choice, found: Sequence[Study]) -> Findings:
    """Judge minibatch.safe: little speed-up beyond 1 / sigma^2, and no deterioration."""
    flat = {"bound": _bounded, "exponent": _flat, "others": _slower}[choice.option("rule")]
    rules = {"flat": flat, "does not deteriorate": _no_worse}
    cases = [study.case("safe", what, partial(rule, study, choice)) for study in found for what, rule in rules.items()]
    return Findings([*cases, *_beyond_not_run(found, ["safe"])])


def _bounded(study: Study, choice: Choice) -> Found:
    """Compare the further speed-up of safe SDCA with a multiple of the bound's, at each size."""
    base, sizes = study.split("safe", choice["beyond"])
    most = {b: choice["follows"] * promised(study, base, b) for b in sizes}
    return weighed(
        compare(study.of("safe"), [(base, b) for b in sizes]), lambda pair, ratio: ratio.at_most(most[pair[1]])
    )


def _flat(study: Study, choice: Choice) -> Found:
    return _exponent(study, "safe", choice)


def _slower(study: Study, choice: Choice) -> Found:
    """Compare the further speed-ups of Pegasos and aggressive SDCA with that of safe SDCA, at each size."""
    base, sizes = study.split("safe", choice["beyond"])
    found = [
        weighed(
            {(base, b): ratio_of_speedups(study.of(name), study.of("safe"), base, b) for b in sizes},
            lambda _, ratio: ratio.above(1.0),
        )
        for name in GO_ON
    ]
    measured = ", ".join(
        f"{METHOD_STYLES[name].name} over it {each.measured}" for name, each in zip(GO_ON, found, strict=True)
    )
    statistic = {name: each.statistic for name, each in zip(GO_ON, found, strict=True)}
    return Found(all_of([each.decision for each in found]), measured, statistic)


def _no_worse(study: Study, choice: Choice) -> Found:
    efforts = study.of("safe")
    sizes = list(efforts)
    pairs = [(min(sizes[:k], key=lambda b: efforts[b].median), b) for k, b in enumerate(sizes) if k]
    # T(b) over T(smaller) is at most `worse`
    return weighed(compare(efforts, pairs), lambda _, ratio: ratio.above(1 / choice["worse"]))


def judge_beyond(_: Evidence, choice: Choice, found: Sequence[Study]) -> Findings:
    """Judge minibatch.beyond: Pegasos and aggressive SDCA speed up beyond 1 / sigma^2."""
    rules = {"rising": _rising, "bound": _more, "exponent": _exponent, "ends": _ends}
    rule = rules[choice.option("rule")]
    cases = [study.case(name, name, partial(rule, study, name, choice)) for study in found for name in GO_ON]
    return Findings([*cases, *_beyond_not_run(found, GO_ON)])


def _rising(study: Study, method: str, choice: Choice) -> Found:
    """Compare each size from 1 / sigma^2 on with the next one that is `window` times as large."""
    base, sizes = study.split(method, choice["beyond"])
    tried = [base, *sizes]
    pairs = [
        (small, large)
        for small in tried
        if (large := next((b for b in tried if b >= choice["window"] * small), None)) is not None
    ]
    return weighed(compare(study.of(method), pairs), lambda _, ratio: ratio.above(1.0))


def _more(study: Study, method: str, choice: Choice) -> Found:
    """Compare the further speed-up with the bound's, at each size."""
    base, sizes = study.split(method, choice["beyond"])
    return weighed(
        compare(study.of(method), [(base, b) for b in sizes]), lambda pair, ratio: ratio.above(promised(study, *pair))
    )


def _ends(study: Study, method: str, choice: Choice) -> Found:
    base, sizes = study.split(method, choice["beyond"])
    return weighed(compare(study.of(method), [(base, b) for b in sizes[-1:]]), lambda _, ratio: ratio.above(1.0))


def _exponent(study: Study, method: str, choice: Choice) -> Found:
    """Compare the exponent a of T ~ b^-a beyond a multiple of 1 / sigma^2 with a limit."""
    fitted = exponent(study.of(method), choice["beyond"] * study.enough)
    if fitted is None:
        return Found(MISSING, note="fewer than three sizes to fit")
    limit = choice.option("exponent")
    decision = fitted.above(limit) if method in GO_ON else fitted.at_most(limit)
    return Found(decision, f"a = {fitted.text()} up to b = {fitted.largest:,}", fitted.as_dict())


def judge_speedups(_: Evidence, choice: Choice, found: Sequence[Study]) -> Findings:
    """Judge minibatch.speedups: aggressive SDCA has roughly the speed-ups of Pegasos for large mini-batches."""
    which = choice.option("sizes")
    cases = [study.case("aggressive", "speed-ups", partial(_rough, study, which, choice)) for study in found]
    return Findings([*cases, *_beyond_not_run(found, GO_ON)])


def _rough(study: Study, which: str, choice: Choice) -> Found:
    pegasos, aggressive = (study.of(name) for name in GO_ON)
    sizes = [b for b in study.split("aggressive")[1] if b in pegasos]
    if which == "largest":
        sizes = sizes[-1:]
    elif which == "before":
        first = fails_from(study, choice.option("worse"))
        sizes = [b for b in sizes if first is None or b < first]
    factor = 1 + choice["apart"]
    ratios = {(1, b): ratio_of_speedups(pegasos, aggressive, 1, b) for b in sizes}
    return weighed(ratios, lambda _, ratio: all_of([ratio.above(1 / factor), ratio.at_most(factor)]))


def promised(study: Study, base: int, b: int) -> float:
    """Return the speed-up from `base` to b examples in the bounds."""
    spectrum = study.data.spectrum
    assert spectrum is not None  # `Study.case` leaves out the others
    return spectrum.beta_over_b(base) / spectrum.beta_over_b(b)


def compare(efforts: Efforts, pairs: Sequence[Pair]) -> dict[Pair, Ratio | None]:
    """Return the ratio of the iterations with the first and the second size of each pair."""
    return {(small, large): _ratio(efforts[small], efforts[large]) for small, large in pairs}


def weighed(ratios: Mapping[Pair, Ratio | None], test: Test) -> Found:
    """Decide whether all comparisons pass a test; the measurement is the first that does least well."""
    if not ratios:
        return Found(MISSING, note="no such sizes")
    decisions = {pair: UNCLEAR if ratio is None else test(pair, ratio) for pair, ratio in ratios.items()}
    order = ("fails", "unclear", "holds")
    shown = min(ratios, key=lambda pair: order.index(decisions[pair].ruling))
    if decisions[shown].ruling == "holds":
        shown = list(ratios)[-1]
    ratio = ratios[shown]
    text = f"{'unknown' if ratio is None else ratio.text()} (b = {shown[0]:,} to {shown[1]:,})"
    statistic = {
        f"{small} to {large}": {
            **({} if ratio is None else ratio.as_dict()),
            "decision": decisions[small, large].ruling,
        }
        for (small, large), ratio in ratios.items()
    }
    passed = sum(each.ruling == "holds" for each in decisions.values())
    count = f", {passed} of {len(decisions)} comparisons pass" if len(decisions) > 1 else ""
    return Found(all_of(list(decisions.values())), text + count, {"pairs": statistic})


def _beyond_not_run(found: Sequence[Study], methods: Sequence[str]) -> list[Case]:
    return [case for study in found for case in study.not_run(methods, study.enough)]
