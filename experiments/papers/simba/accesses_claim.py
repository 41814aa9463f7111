"""Claim 1: SIMBA has Pegasos's best test error about 100 times cheaper; asked for each way of counting accesses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from experiments.papers.judging import Part, between, points, put_together
from experiments.papers.panels import name_of
from experiments.papers.simba.reach import TOLERANCE, Reach, excess, reach
from experiments.papers.simba.sweep import DENSE, HELD, METHODS, NONZEROS, Member
from experiments.plotting import STYLES
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim, Ruling, in_words

ABOUT_100: Final = (30.0, 300.0)
FURTHER: Final = (0.0, 0.1, 0.5)
"""Other tolerances that the ratio is told at: it hangs on how near to the best error one asks."""


@dataclass(frozen=True)
class Accounting:
    """How the two are charged.

    Attributes
    ----------
    says : str
    columns : (str, str)
        Pegasos's and SIMBA's costs, of `Runs.costs`.
    """

    says: str
    columns: tuple[str, str]

    @property
    def alike(self) -> bool:
        """Whether both are charged in the same way: only then does the ratio decide."""
        return self.columns[0] == self.columns[1]


ACCOUNTINGS: Final[Mapping[str, Accounting]] = {
    "nonzeros": Accounting("nonzeros", (NONZEROS, NONZEROS)),
    "dense": Accounting("all coordinates", (DENSE, DENSE)),
    "mixed": Accounting("Pegasos's coordinates and SIMBA's nonzeros", (DENSE, NONZEROS)),
}

RULE: Final = (
    "For each data set and each way of counting accesses: what Pegasos takes over what SIMBA takes until the mean "
    f"test error over the runs is at most {100 * TOLERANCE:.0f} % (relative) above Pegasos's lowest, each with the "
    "parameter of the lowest mean test error; 95 % interval over the runs of both, where a ratio of 0 stands for not "
    f"within the budget. About 100 is from {ABOUT_100[0]:.0f} to {ABOUT_100[1]:.0f}. Reproduced: the ratio lies there "
    "and its interval above 1; partly: it is above 1; not reproduced: at most 1, or an error that SIMBA does not have. "
    "What counts are the two ways that charge both methods alike. Measured beside them: Pegasos's coordinates and "
    "SIMBA's nonzeros, and parameters chosen on a held-out part of the training set."
)

Choice = Mapping[str, Member | None]
"""By method."""


def judge(evidence: Evidence, spec: ClaimSpec, by_test: Mapping[str, Choice], held: Mapping[str, Choice]) -> Claim:
    """Judge the claim.

    Parameters
    ----------
    evidence : Evidence
    spec : ClaimSpec
    by_test, held : mapping of str to Choice
        For each of the paper's data sets the parameters chosen on test error, and on held-out training rows.
    """
    parts: list[Part] = []
    for panel in evidence.panels:
        judged = evidence.declared(panel)
        parts += [_part(panel, by_test[panel.asked], name, judged=judged) for name in ACCOUNTINGS]
        parts.append(_lowest(panel, by_test[panel.asked]))
        if all(held[panel.asked].values()):
            parts += [_part(panel, held[panel.asked], name, HELD, judged=judged) for name in ACCOUNTINGS]
    return put_together(spec, RULE, parts)


def ratios(panel: Panel, choice: Choice) -> list[str]:
    """Say how the ratio depends on how near to Pegasos's best error one asks: a sentence, or none without runs."""
    simba, pegasos = choice.get("simba"), choice.get("pegasos")
    if simba is None or pegasos is None:
        return []
    tolerances = sorted((TOLERANCE, *FURTHER))
    texts: list[str] = []
    for accounting in ACCOUNTINGS.values():
        found = [reach(pegasos.runs, simba.runs, accounting.columns, tolerance) for tolerance in tolerances]
        values = ("not reached" if each.simba is None else f"{each.ratio.estimate:.3g}" for each in found)
        texts.append(f"counting {accounting.says} {', '.join(values)}")
    errors = ", ".join(f"{100 * tolerance:g} %" for tolerance in tolerances)
    return [
        f"{name_of(panel)}: Pegasos's accesses over SIMBA's to an error {errors} (relative) above Pegasos's lowest: "
        f"{'; '.join(texts)}."
    ]


def _part(panel: Panel, choice: Choice, name: str, ending: str = "", *, judged: bool) -> Part:
    accounting, place, about = ACCOUNTINGS[name], (panel.asked, name + ending), name_of(panel)
    simba, pegasos = choice.get("simba"), choice.get("pegasos")
    if simba is None or pegasos is None:
        lacking = " and ".join(STYLES[method].name for method in METHODS if choice.get(method) is None)
        return Part(place, about, "not_applicable", note=f"no finished runs of {lacking}")
    found = reach(pegasos.runs, simba.runs, accounting.columns)
    further = {
        f"{tolerance:g}": reach(pegasos.runs, simba.runs, accounting.columns, tolerance).ratio.as_dict()
        for tolerance in FURTHER
    }
    members = {"simba": simba.value, "pegasos": pegasos.value}
    by_itself, measured = _ruling(found), _in_words(found, accounting)
    statistic = {**found.as_dict(), "parameters": members, "at_tolerance": further, "by_itself": by_itself}
    if ending:
        return Part(place, f"{about}, parameters chosen on held-out rows", "not_applicable", measured, statistic)
    if not accounting.alike:
        return Part(place, about, "not_applicable", measured, statistic)
    if not judged:
        measured += f" (by itself {in_words(by_itself)})"
        return Part(place, about, "not_applicable", measured, statistic, "measured, not counted")
    note = "a stand-in, judged as well, for both methods have the same data" if panel.stand_in else ""
    return Part(place, about, by_itself, measured, statistic, note)


def _lowest(panel: Panel, choice: Choice) -> Part:
    """Lowest errors of both, which say whether SIMBA can have Pegasos's at all; measured, not judged."""
    place = (panel.asked, "lowest_errors")
    simba, pegasos = choice.get("simba"), choice.get("pegasos")
    if simba is None or pegasos is None:
        return Part(place, name_of(panel), "not_applicable")
    difference = excess(pegasos.runs, simba.runs)
    statistic: dict[str, Any] = {
        "simba": simba.runs.best,
        "pegasos": pegasos.runs.best,
        "difference": difference.as_dict(),
    }
    measured = (
        f"lowest errors SIMBA {100 * simba.runs.best:.2f} %, Pegasos {100 * pegasos.runs.best:.2f} %, difference "
        f"{points(difference)}"
    )
    return Part(place, name_of(panel), "not_applicable", measured, statistic)


def _ruling(found: Reach) -> Ruling:
    low, high = ABOUT_100
    if found.simba is None or found.ratio.estimate <= 1:
        return "not_reproduced"
    return "reproduced" if low <= found.ratio.estimate <= high and found.ratio.low > 1 else "partly"


def _in_words(found: Reach, accounting: Accounting) -> str:
    to_error = f"to {100 * found.target:.2f} %: Pegasos {_power(found.pegasos)}"
    if found.simba is None:
        below = f"ratio below {found.pegasos / found.budget:.3g} counting {accounting.says}"
        return f"{below} ({to_error}, SIMBA not within {_power(found.budget)})"
    return f"ratio {between(found.ratio, '.3g')} counting {accounting.says} ({to_error}, SIMBA {_power(found.simba)})"


def _power(value: float) -> str:
    """Write 1.2e6 for 1234567."""
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa}e{int(exponent)}"
