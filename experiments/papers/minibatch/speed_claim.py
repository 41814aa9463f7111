"""Claim 1: nearly linear speed-ups up to b = 1 / sigma^2; beyond it only aggressive SDCA and Pegasos go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from experiments.papers.cases import counted, decided
from experiments.papers.effort import ratio_of
from experiments.papers.judging import Part
from experiments.papers.minibatch.looks import LOOKS, METHODS
from experiments.papers.minibatch.study import Study, exponent
from experiments.papers.panels import called
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

LINEAR: Final = 0.5
"""Share of b that a nearly linear speed-up is at least: what beta_b <= 2 leaves of it in the bounds."""
BEYOND: Final = 4.0
"""Beyond 1 / sigma^2: from this multiple of it on, where beta_b / b is within a quarter of its limit."""
FLAT: Final = 0.25
"""Exponent of T ~ b^-a up to which T is flat: sixteen times the examples, at most half of the iterations saved."""
GO_ON: Final = ("pegasos", "aggressive")
RULE: Final = (
    "T(b): median over the runs of the iterations until P(w) - P* <= 0.001. Nearly linear: for each data set and "
    f"method T(1) / T(b) lies above {LINEAR:g} b at the largest b up to 1/sigma^2 (there beta_b <= 2, and the bounds "
    f"promise so much). Beyond: the exponent a of T ~ b^-a, fitted to all b >= {BEYOND:g}/sigma^2; safe SDCA is flat "
    f"where a <= {FLAT:g}, aggressive SDCA and Pegasos go on where a > {FLAT:g}. Each by its 95 % interval over the "
    "runs; where that holds the limit it is unclear. A size at which most runs did not get there counts with its "
    "budget if that is no less than what the next smaller size takes, which bounds a from above and decides only what "
    "such a bound can decide; with a smaller budget it is left out."
)


def judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Study]) -> Claim:
    """Judge the claim by all data sets."""
    linear = [[counted(_linear(study, name), evidence, study.panel) for study in found] for name in METHODS]
    flat = [counted(_beyond(study, "safe"), evidence, study.panel) for study in found]
    going = [[counted(_beyond(study, name), evidence, study.panel) for study in found] for name in GO_ON]
    sentences = [
        *(_told(f"{LOOKS[name].name} up to 1/sigma^2", parts) for name, parts in zip(METHODS, linear, strict=True)),
        _told("Safe SDCA beyond it", flat),
        *(_told(f"{LOOKS[name].name} beyond it", parts) for name, parts in zip(GO_ON, going, strict=True)),
    ]
    return decided(spec, RULE, [*linear, flat, *going], " ".join(sentences))


def _linear(study: Study, method: str) -> Part:
    place, about, name = (study.panel.asked, f"{method} nearly linear"), called(study.panel), LOOKS[method].name
    efforts, spectrum = study.of(method), study.data.spectrum
    if spectrum is None or 1 not in efforts:
        return Part(place, about, "not_applicable", note=study.data.unfit or f"no finished runs of {name}")
    b = max(size for size in efforts if size <= spectrum.enough)
    ratio = ratio_of(efforts[1], efforts[b])
    statistic = {"b": b, "speedup": None if ratio is None else ratio.as_dict(), "enough": spectrum.enough}
    if b == 1:
        return Part(place, about, "not_applicable", "", statistic, "1/sigma^2 is below 2")
    if ratio is None:
        return Part(place, about, "not_applicable", "", statistic, f"{name} does not get there with b = 1 nor b = {b}")
    measured = f"{ratio.text()} with b = {b}"
    if study.data.unfit:
        return Part(place, about, "not_applicable", measured, statistic, study.data.unfit)
    return Part(place, about, ratio.above(LINEAR * b), measured, statistic)


def _beyond(study: Study, method: str) -> Part:
    goes_on = method in GO_ON
    place = (study.panel.asked, f"{method} {'goes on' if goes_on else 'flat'}")
    about, name = called(study.panel), LOOKS[method].name
    efforts, spectrum = study.of(method), study.data.spectrum
    if spectrum is None or not efforts:
        return Part(place, about, "not_applicable", note=study.data.unfit or f"no finished runs of {name}")
    fitted = exponent(efforts, BEYOND * spectrum.enough)
    statistic = {"from": BEYOND * spectrum.enough, "exponent": None if fitted is None else fitted.as_dict()}
    if fitted is None:
        why = f"{name}: fewer than three sizes beyond b = {BEYOND * spectrum.enough:.3g}"
        return Part(place, about, "not_applicable", "", statistic, why)
    measured = f"a = {fitted.text()}" + (f" up to b = {fitted.largest:,}" if fitted.largest < max(efforts) else "")
    if study.data.unfit:
        return Part(place, about, "not_applicable", measured, statistic, study.data.unfit)
    ruling = fitted.above(FLAT) if goes_on else fitted.at_most(FLAT)
    note = f"{name}: the budgets were too small to tell" if ruling == "not_applicable" else ""
    return Part(place, about, ruling, measured, statistic, note)


def _told(what: str, parts: Sequence[Part]) -> str:
    """Say in how many data sets it is as claimed, and what each measured: a sentence."""
    judged = [part for part in parts if part.ruling != "not_applicable"]
    held = sum(part.ruling == "reproduced" for part in judged)
    values = ", ".join(f"{part.about} {part.measured}" for part in parts if part.measured)
    count = f"as claimed on {held} of {len(judged)} data sets" if judged else "nothing judged"
    return f"{what[0].upper()}{what[1:]}: {count}{f' ({values})' if values else ''}."
