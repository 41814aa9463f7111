"""Section 5: the SBP's test error after parts of the time that LIBSVM takes, with bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import pandas as pd

from experiments.curve import mean_over_runs
from experiments.papers.judging import put_together
from experiments.papers.panels import COLUMNS, name_of
from experiments.papers.sbp.printed import compared, departure
from experiments.papers.sbp.race import COST, SHARES, Race, percent
from experiments.papers.sbp.race_picture import SIZE, draw
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made, Table
from experiments.reproduction.spec import NumberSpec
from experiments.reproduction.verdict import Number

LIBSVM_ERROR: Final = "LIBSVM error"
SBP_ERROR: Final = "SBP error"
LIBSVM_TIME: Final = "LIBSVM time"
"""Numbers of conf/figure/, followed by the paper's data set."""
RULE = (
    "For each data set: reproduced if the SBP's test error (mean over its runs, each at its last checkpoint in a "
    "quarter of LIBSVM's time) is at most LIBSVM's plus 0.001. Clocks are CPU seconds of one thread; LIBSVM's is that "
    "of its fit, to its own stopping rule; both compute kernel rows inside their clocks."
)


def make(evidence: Evidence) -> Made:
    """Compare the two on every data set, and judge the claim."""
    instead = evidence.spec.instead
    races = [
        Race(panel, counts=not panel.stand_in or instead.get(panel.asked) == panel.dataset) for panel in evidence.panels
    ]
    return Made(
        data=_data(races),
        draw=partial(draw, races=races),
        size=SIZE,
        table=_table(races, {spec.name: spec for spec in evidence.spec.numbers}),
        claims=[put_together(spec, RULE, [race.part for race in races]) for spec in evidence.spec.claims],
        numbers=[_number(spec, races) for spec in evidence.spec.numbers],
    )


def _number(spec: NumberSpec, races: Sequence[Race]) -> Number:
    kind, _, dataset = spec.name.rpartition(" ")
    race = next((race for race in races if race.panel.asked == dataset), None)
    if race is None:
        return compared(spec, None, None)
    if kind == LIBSVM_TIME:
        cpu = "" if race.libsvm is None else f"{race.libsvm.result['provenance'].get('cpu')}, not an Intel E7500"
        return compared(spec, race.panel, race.seconds, cpu)
    quarter = race.shares.get(SHARES[0])
    error = race.error if kind == LIBSVM_ERROR else quarter.estimate if quarter else None
    return compared(spec, race.panel, None if error is None else 100 * error)


def _table(races: Sequence[Race], printed: Mapping[str, NumberSpec]) -> Table:
    columns = ["data set", "n", "LIBSVM", "its error"]
    columns += [f"SBP at 1/{share}" for share in SHARES]
    columns += ["SBP at LIBSVM's error + 0.1 %", "paper: LIBSVM", "its error", "SBP at 1/4"]
    rows = []
    for race in races:
        shares = race.shares
        values = [shares.get(share) for share in SHARES]
        rows.append(
            [
                name_of(race.panel),
                "" if race.panel.n is None else f"{race.panel.n:,}",
                "" if race.seconds is None else f"{race.seconds:.3g} s",
                "" if race.error is None else percent(race.error),
                *("" if value is None else percent(value.estimate) for value in values),
                "" if race.reached is None else f"{race.reached:.3g} s",
                *(
                    _printed(printed.get(f"{kind} {race.panel.asked}"))
                    for kind in (LIBSVM_TIME, LIBSVM_ERROR, SBP_ERROR)
                ),
            ]
        )
    notes = [
        "CPU seconds of one thread, kernel rows included; errors on the test set, the SBP's as the mean over its runs.",
        *(f"{name_of(race.panel)}: {race.unequal}." for race in races if race.unequal),
        *(f"{name_of(race.panel)}: {why}." for race in races if (why := departure(race.panel))),
    ]
    return Table(columns, rows, notes)


def _printed(spec: NumberSpec | None) -> str:
    return "" if spec is None else f"{spec.paper:,.6g} {spec.unit}"


def _data(races: Sequence[Race]) -> pd.DataFrame:
    tables: list[pd.DataFrame] = []
    for race in races:
        mean = mean_over_runs(race.curves, cost=COST, measure="test_error")
        common = {"panel": race.panel.asked, "dataset": race.panel.dataset, "cost": COST}
        seeds = " ".join(map(str, race.panel.seeds("sbp")))
        tables.append(
            pd.DataFrame(
                common | {"series": "sbp", "x": mean["cost"], "mean": mean["mean"], "sd": mean["sd"], "seeds": seeds},
            )
        )
        if race.seconds is not None:
            tables.append(
                pd.DataFrame(
                    [common | {"series": "libsvm", "x": race.seconds, "mean": race.error, "sd": 0.0, "seeds": "0"}]
                )
            )
    known = [table for table in tables if len(table)]
    return pd.concat(known, ignore_index=True)[list(COLUMNS)] if known else pd.DataFrame(columns=list(COLUMNS))
