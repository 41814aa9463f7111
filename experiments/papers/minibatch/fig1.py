"""Figure 1: iterations to a 0.001-accurate primal solution against the size of the mini-batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from statistics import geometric_mean
from typing import TYPE_CHECKING, Final

import numpy as np

from experiments.papers import layout
from experiments.papers.cases import Case, Judge, cases_of, claim_from_groups, exclude_undeclared, holds, judge_claims
from experiments.papers.effort import Effort, Ratio, multiple_text, ratio_of
from experiments.papers.minibatch.methods import METHOD_STYLES, METHODS, TAIL
from experiments.papers.minibatch.study import ACCURACY, Efforts, Study, exponent, points, studies
from experiments.papers.panels import called, empty, heading, name_of
from experiments.plotting import INK, PANEL
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.figure_result import FigureResult, Table
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

LINEAR: Final = 0.5
"""A nearly linear speed-up is at least this share of b: the bounds promise it where beta_b <= 2."""
BEYOND: Final = 4.0
""""Beyond 1 / sigma^2" begins at this multiple of it, where beta_b / b is within a quarter of its limit."""
FLAT: Final = 0.25
"""T ~ b^-a is flat up to this a: 16 times the examples save at most half of the iterations."""
GO_ON: Final = ("pegasos", "aggressive")
SPEED_RULE: Final = (
    "T(b): median over the runs of the iterations until P(w) - P* <= 0.001. Nearly linear: for each data set and "
    f"method T(1) / T(b) lies above {LINEAR:g} b at the largest b up to 1/sigma^2 (there beta_b <= 2, and the bounds "
    f"promise this much). Beyond: the exponent a of T ~ b^-a, fitted to all b >= {BEYOND:g}/sigma^2; safe SDCA is flat "
    f"where a <= {FLAT:g}, aggressive SDCA and Pegasos go on where a > {FLAT:g}. Each by its 95 % interval over the "
    "runs; if it contains the limit, the case is unclear. A size at which most runs miss the target counts with its "
    "budget if that is at least the next smaller size's iterations; a is then only known from above. With a smaller "
    "budget the size is left out."
)


def judge_speed(evidence: Evidence, spec: ClaimSpec, found: Sequence[Study]) -> Claim:
    """Judge claim 1: nearly linear speed-ups up to b = 1 / sigma^2; beyond it only aggressive SDCA and Pegasos gain."""
    linear = [cases_of(evidence, found, partial(_linear_case, method=name)) for name in METHODS]
    flat = cases_of(evidence, found, partial(_beyond_case, method="safe"))
    going = [cases_of(evidence, found, partial(_beyond_case, method=name)) for name in GO_ON]
    sentences = [
        *(
            _speed_sentence(f"{METHOD_STYLES[name].name} up to 1/sigma^2", cases)
            for name, cases in zip(METHODS, linear, strict=True)
        ),
        _speed_sentence("Safe SDCA beyond it", flat),
        *(
            _speed_sentence(f"{METHOD_STYLES[name].name} beyond it", cases)
            for name, cases in zip(GO_ON, going, strict=True)
        ),
    ]
    return claim_from_groups(spec, SPEED_RULE, [*linear, flat, *going], " ".join(sentences))


def _linear_case(study: Study, method: str) -> Case:
    place, about, name = (
        (study.panel.paper_dataset, f"{method} nearly linear"),
        called(study.panel),
        METHOD_STYLES[method].name,
    )
    efforts, spectrum = study.of(method), study.data.spectrum
    if spectrum is None or 1 not in efforts:
        return Case(place, about, "not_applicable", note=study.data.unfit or f"no finished runs of {name}")
    b = max(size for size in efforts if size <= spectrum.inverse_sigma2)
    ratio = ratio_of(efforts[1], efforts[b])
    statistic = {"b": b, "speedup": None if ratio is None else ratio.as_dict(), "enough": spectrum.inverse_sigma2}
    if b == 1:
        return Case(place, about, "not_applicable", "", statistic, "1/sigma^2 is below 2")
    if ratio is None:
        return Case(place, about, "not_applicable", "", statistic, f"{name} misses the target with b = 1 and b = {b}")
    measured = f"{ratio.text()} with b = {b}"
    if study.data.unfit:
        return Case(place, about, "not_applicable", measured, statistic, study.data.unfit)
    return Case(place, about, ratio.above(LINEAR * b), measured, statistic)


def _beyond_case(study: Study, method: str) -> Case:
    goes_on = method in GO_ON
    place = (study.panel.paper_dataset, f"{method} {'goes on' if goes_on else 'flat'}")
    about, name = called(study.panel), METHOD_STYLES[method].name
    efforts, spectrum = study.of(method), study.data.spectrum
    if spectrum is None or not efforts:
        return Case(place, about, "not_applicable", note=study.data.unfit or f"no finished runs of {name}")
    fitted = exponent(efforts, BEYOND * spectrum.inverse_sigma2)
    statistic = {"from": BEYOND * spectrum.inverse_sigma2, "exponent": None if fitted is None else fitted.as_dict()}
    if fitted is None:
        why = f"{name}: fewer than three sizes beyond b = {BEYOND * spectrum.inverse_sigma2:.3g}"
        return Case(place, about, "not_applicable", "", statistic, why)
    measured = f"a = {fitted.text()}" + (f" up to b = {fitted.largest:,}" if fitted.largest < max(efforts) else "")
    if study.data.unfit:
        return Case(place, about, "not_applicable", measured, statistic, study.data.unfit)
    ruling = fitted.above(FLAT) if goes_on else fitted.at_most(FLAT)
    note = f"{name}: the budgets were too small to tell" if ruling == "not_applicable" else ""
    return Case(place, about, ruling, measured, statistic, note)


def _speed_sentence(what: str, cases: Sequence[Case]) -> str:
    """Write on how many data sets the claim holds, and each measurement."""
    judged = [case for case in cases if case.ruling != "not_applicable"]
    held = sum(case.ruling == "reproduced" for case in judged)
    values = ", ".join(f"{case.about} {case.measured}" for case in cases if case.measured)
    count = f"as claimed on {held} of {len(judged)} data sets" if judged else "nothing judged"
    return f"{what[0].upper()}{what[1:]}: {count}{f' ({values})' if values else ''}."


WORSE: Final = 2.0
"""Naive SDCA gets worse at b if it takes more than this many times the iterations of the best smaller b."""
NAIVE_RULE: Final = (
    "Naive SDCA fails at b if most of its runs miss P(w) - P* <= 0.001 within a budget of at least aggressive SDCA's "
    f"median iterations at b, or if it takes more than {WORSE:g} times the iterations of the best smaller b; with a "
    "smaller budget the size is undecided. The first half: on each data set it fails at every decided size from some b "
    "above 1/sigma^2 on, and at two or more. The second: the iterations of aggressive SDCA fall from the largest b "
    "before that to the largest b (ratio of medians above 1 with its 95 % interval)."
)


def judge_naive(evidence: Evidence, spec: ClaimSpec, found: Sequence[Study]) -> Claim:
    """Judge claim 2: naive SDCA fails for large mini-batches, where aggressive SDCA keeps improving."""
    fails = cases_of(evidence, found, _fails_case)
    improves = cases_of(evidence, found, _improves_case)
    measured = [f"{case.about}: {case.measured}." for case in (*fails, *improves) if case.measured]
    return claim_from_groups(spec, NAIVE_RULE, [fails, improves], " ".join(measured))


def failing(naive: Efforts, aggressive: Efforts) -> dict[int, bool | None]:
    """Return for each b whether naive SDCA fails; None: its budget is too small to decide."""
    found: dict[int, bool | None] = {}
    best = float("inf")
    for b, effort in naive.items():
        if effort.known:
            found[b] = effort.median > WORSE * best
            best = min(best, effort.median)
        else:
            other = aggressive.get(b)
            enough = other is not None and other.known and min(effort.costs) >= other.median
            found[b] = True if enough or effort.median > WORSE * best else None
    return found


def fails_from(study: Study) -> int | None:
    """Return the smallest b from which naive SDCA fails at every decidable size; None if there is none."""
    first = None
    for b, fails in reversed(failing(study.of("naive"), study.of("aggressive")).items()):
        if fails is False:
            break
        first = b if fails else first
    return first


def _fails_case(study: Study) -> Case:
    place, about = (study.panel.paper_dataset, "naive fails"), called(study.panel)
    naive, spectrum = study.of("naive"), study.data.spectrum
    if spectrum is None or not naive:
        return Case(place, about, "not_applicable", note=study.data.unfit or "no finished runs of naive SDCA")
    first = fails_from(study)
    known = {b: fails for b, fails in failing(naive, study.of("aggressive")).items() if fails is not None}
    sizes = [b for b, fails in known.items() if fails and first is not None and b >= first]
    statistic = {
        "from": first,
        "sizes": len(sizes),
        "largest_told": max(known, default=None),
        "enough": spectrum.inverse_sigma2,
    }
    if study.data.unfit or not known:
        why = study.data.unfit or "the budgets of naive SDCA were too small to tell"
        return Case(place, about, "not_applicable", "", statistic, why)
    if first is None:
        measured = f"naive SDCA does not fail with b = {max(known):,}"
    else:
        measured = f"naive SDCA fails from b = {first:,} on ({first / spectrum.inverse_sigma2:.3g}/sigma^2)"
    note = "" if max(known) == max(naive) else f"naive SDCA beyond b = {max(known):,}: budgets were too small to tell"
    return Case(place, about, holds(len(sizes) >= 2 and sizes[0] > spectrum.inverse_sigma2), measured, statistic, note)


def _improves_case(study: Study) -> Case:
    place, about = (study.panel.paper_dataset, "aggressive improves"), called(study.panel)
    efforts = study.of("aggressive")
    if not efforts or not study.of("naive"):
        why = study.data.unfit or "no finished runs of naive or aggressive SDCA"
        return Case(place, about, "not_applicable", note=why)
    first = fails_from(study)
    before = [b for b in efforts if first is not None and b < first]
    if not before:
        return Case(place, about, "not_applicable", "", {"from": first}, "naive SDCA does not fail")
    ratio = ratio_of(efforts[before[-1]], efforts[max(efforts)])
    statistic = {"b": [before[-1], max(efforts)], "speedup": None if ratio is None else ratio.as_dict()}
    if ratio is None or study.data.unfit:
        why = study.data.unfit or "aggressive SDCA misses the target"
        return Case(place, about, "not_applicable", "", statistic, why)
    measured = f"aggressive SDCA {ratio.text()} times as fast with b = {max(efforts):,} as with {before[-1]:,}"
    ruling = ratio.above(1.0)
    note = "aggressive SDCA: the budgets were too small to tell" if ruling == "not_applicable" else ""
    return Case(place, about, ruling, measured, statistic, note)


RIVALS_RULE: Final = (
    "For each data set and b: median iterations of Pegasos over those of aggressive SDCA (which with b = 1 is SDCA). "
    "Reproduced: the 95 % interval over the runs of both lies above 1; not reproduced: at or below 1; else unclear. A "
    "method that misses the target counts with its budget, a lower bound. Both by the decaying average of their "
    "iterates, as in the paper's experiments. Also measured, not judged: Pegasos by the mean of its tail."
)


def judge_rivals(evidence: Evidence, spec: ClaimSpec, found: Sequence[Study]) -> Claim:
    """Judge claim 3: SDCA needs fewer iterations than Pegasos with b = 1, and aggressive SDCA with every b."""
    answers = [_rivals_cases(study, "pegasos", evidence) for study in found]
    first = [cases[:1] for cases in answers]
    every = [cases[1:] for cases in answers]
    sentences = [
        *(_rivals_sentence(study, cases) for study, cases in zip(found, answers, strict=True)),
        *map(_tail_sentence, found),
    ]
    flat = [[case for cases in group for case in cases] for group in (first, every)]
    return claim_from_groups(spec, RIVALS_RULE, flat, " ".join(filter(None, sentences)))


def ratios(study: Study, method: str) -> dict[int, Ratio | None]:
    """Return the ratio of a method's iterations to aggressive SDCA's, at each b that both have runs for."""
    mine, other = study.of(method), study.of("aggressive")
    return {b: ratio_of(effort, other[b]) for b, effort in mine.items() if b in other}


def _rivals_cases(study: Study, method: str, evidence: Evidence) -> list[Case]:
    found = ratios(study, method)
    if 1 not in found:
        why = study.data.unfit or "no finished runs with b = 1"
        return [Case((study.panel.paper_dataset, "b=1"), called(study.panel), "not_applicable", note=why)]
    return [exclude_undeclared(_rivals_case(study, b, ratio), evidence, study.panel) for b, ratio in found.items()]


def _rivals_case(study: Study, b: int, ratio: Ratio | None) -> Case:
    place, about = (study.panel.paper_dataset, f"b={b}"), called(study.panel)
    statistic = {"b": b, "ratio": None if ratio is None else ratio.as_dict()}
    if study.data.unfit or ratio is None:
        why = study.data.unfit or "sizes at which both miss the target are not compared"
        return Case(place, about, "not_applicable", "", statistic, why)
    ruling = ratio.above(1.0)
    note = f"b = {b:,}: {ratio.text()}" if ruling == "not_applicable" else ""
    return Case(place, about, ruling, "", statistic, note)


def _rivals_sentence(study: Study, cases: Sequence[Case]) -> str:
    """Write at how many sizes the claim holds, and at which not."""
    judged = [case for case in cases if case.ruling != "not_applicable"]
    if not judged:
        return ""
    against = [f"{case.statistic['b']:,}" for case in judged if case.ruling != "reproduced"]
    text = f"{called(study.panel)}: as claimed with {len(judged) - len(against)} of {len(judged)} sizes"
    return (
        text
        + (f", not or not clearly with b = {', '.join(against)}" if against else "")
        + _spread_text(study, "pegasos")
    )


def _tail_sentence(study: Study) -> str:
    """Write the same for Pegasos with the mean of its tail, not judged."""
    known = {b: ratio for b, ratio in ratios(study, TAIL).items() if ratio is not None}
    if not known:
        return ""
    held = sum(ratio.above(1.0) == "reproduced" for ratio in known.values())
    text = f"{METHOD_STYLES[TAIL].name}, {called(study.panel)}: in {held} of {len(known)}"
    return text + _spread_text(study, TAIL)


def _spread_text(study: Study, method: str) -> str:
    known = {b: ratio.interval.estimate for b, ratio in ratios(study, method).items() if ratio and not ratio.bound}
    if not known:
        return "."
    low, high = (pick(known, key=lambda b: known[b]) for pick in (min, max))
    ends = " to ".join(f"{multiple_text(known[b])} (b = {b:,})" for b in (low, high))
    return (
        f"; Pegasos takes {multiple_text(geometric_mean(known.values()))} times as many (geometric mean), from {ends}."
    )


_HEAD: Final = 0.78  # inches
_COLUMNS: Final = 2
_RIGHT: Final = 0.13
"""Share of a panel's width for the axis on the right."""
_BETA: Final = "#777777"
_CAPTIONS: Final = (
    f"Iterations to the first evaluation with P(w) - P* <= {ACCURACY:g}: medians over the runs, bands from the least "
    "to the largest.",
    "Open symbols with arrows: most runs missed the target within their budget, drawn here. Grey: beta_b / b, on the "
    "right axis. Dotted: b = 1/sigma².",
)


def _draw(figure: Figure | SubFigure, found: Sequence[Study]) -> None:
    """Draw one panel per data set."""
    if not found:
        empty(figure, "no finished runs with an optimum to compare with")
        return
    names = [name for name in (*METHODS, TAIL) if any(study.of(name) for study in found)]
    styles, nothing = [METHOD_STYLES[name] for name in names], "no finished runs with an optimum to compare with"
    of_axes = "b, examples in a mini-batch", "Iterations"
    panels = layout.each_panel(figure, found, styles, _CAPTIONS, _HEAD, of_axes, _COLUMNS, nothing)
    for k, (place, study) in enumerate(panels):
        box = place.get_position()
        place.set_position((box.x0, box.y0, (1 - _RIGHT) * box.width, box.height))
        for name in names:
            layout.draw_efforts(place, study.of(name), METHOD_STYLES[name])
        heading(place, study.panel, "" if study.data.optimum is None else f"P* = {study.data.optimum.upper:.6f}")
        if study.data.spectrum is not None:
            _draw_beta(place, study, last=k % _COLUMNS == _COLUMNS - 1 or k == len(found) - 1)


def _draw_beta(axes: Axes, study: Study, *, last: bool) -> None:
    """Draw beta_b / b on a second axis, and mark b = 1 / sigma^2."""
    from matplotlib.ticker import NullLocator

    spectrum = study.data.spectrum
    assert spectrum is not None
    axes.axvline(spectrum.inverse_sigma2, color=_BETA, linewidth=0.9, linestyle=(0, (1.0, 2.0)), zorder=1)
    right = axes.twinx()
    right.set_yscale("log")
    sizes = np.array(study.sizes, dtype=np.float64)
    right.plot(sizes, [spectrum.beta_over_b(b) for b in sizes], color=_BETA, linewidth=1.2, zorder=1)
    right.set_zorder(axes.get_zorder() - 1)
    axes.patch.set_visible(False)
    right.set_ylim(0.5 * spectrum.beta_over_b(sizes[-1]), 2.0)
    right.tick_params(labelsize=PANEL.ticks, colors=_BETA)
    narrow = spectrum.beta_over_b(sizes[-1]) > 0.05
    layout.plain_ticks(right.yaxis, (1.0, 2.0, 5.0) if narrow else (1.0,))
    right.yaxis.set_minor_locator(NullLocator())
    right.spines["top"].set_visible(False)
    if last:
        right.set_ylabel("beta_b / b", size=PANEL.label, color=INK)


def _table(shown: Sequence[Study]) -> Table:
    """Return a row for each data set and b."""
    names = (*METHODS, TAIL)
    columns = ["data set", "b", "beta_b / b", *(METHOD_STYLES[name].name for name in names)]
    rows = [
        [
            name_of(study.panel),
            f"{b:,}",
            "" if study.data.spectrum is None else f"{study.data.spectrum.beta_over_b(b):.3g}",
            *(_cell(study.of(name).get(b)) for name in names),
        ]
        for study in shown
        for b in study.sizes
    ]
    notes = [
        f"Iterations to the first evaluation with P(w) - P* <= {ACCURACY:g}, median over the runs (least to largest). "
        "Evaluations are 10 % or one iteration apart, so the target may have been reached that much earlier. >: most "
        "runs missed it within this budget.",
        "Pegasos and SDCA by the decaying average of their iterates, w_bar <- 0.9 w_bar + 0.1 w, as in the paper's "
        "experiments; Pegasos also by the mean of its tail, as in Algorithm 1: of the iterates after the 2^m-th, the "
        "last half to three quarters.",
    ]
    return Table(columns, rows, notes)


def _cell(effort: Effort | None) -> str:
    if effort is None:
        return ""
    text = effort.text(lambda cost: f"{cost:,.0f}")
    low, high = min(effort.costs), max(effort.costs)
    return text if low == high or not effort.known else f"{text} ({low:,.0f} to {high:,.0f})"


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claims."""
    found = studies(evidence)
    judges: dict[str, Judge] = {
        "minibatch.1": partial(judge_speed, found=found),
        "minibatch.2": partial(judge_naive, found=found),
        "minibatch.3": partial(judge_rivals, found=found),
    }
    shown = [study for study in found if study.efforts]
    return FigureResult(
        points(shown, (*METHODS, TAIL), _share),
        partial(_draw, found=shown),
        layout.size(len(shown), _HEAD, _COLUMNS),
        table=_table(shown),
        claims=judge_claims(evidence, judges),
    )


def _share(study: Study, _: str, b: int) -> dict[str, float | None]:
    """Return beta_b / b, the factor in the bounds on the iterations."""
    return {"beta_over_b": None if study.data.spectrum is None else study.data.spectrum.beta_over_b(b)}
