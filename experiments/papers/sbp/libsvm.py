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
from experiments.papers.sbp.running_time import COST, SHARES, RunningTimes, percent
from experiments.papers.sbp.running_time_picture import SIZE, draw
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
    all_times = [RunningTimes(panel, counts=evidence.declared(panel)) for panel in evidence.panels]
    return Made(
        data=_data(all_times),
        draw=partial(draw, all_times=all_times),
        size=SIZE,
        table=_table(all_times, {spec.name: spec for spec in evidence.spec.numbers}),
        claims=[put_together(spec, RULE, [times.part for times in all_times]) for spec in evidence.spec.claims],
        numbers=[_number(spec, all_times) for spec in evidence.spec.numbers],
    )


def _number(spec: NumberSpec, all_times: Sequence[RunningTimes]) -> Number:
    kind, _, dataset = spec.name.rpartition(" ")
    times = next((times for times in all_times if times.panel.asked == dataset), None)
    if times is None:
        return compared(spec, None, None)
    if kind == LIBSVM_TIME:
        cpu = "" if times.libsvm is None else f"{times.libsvm.result['provenance'].get('cpu')}, not an Intel E7500"
        return compared(spec, times.panel, times.seconds, cpu)
    quarter = times.shares.get(SHARES[0])
    error = times.error if kind == LIBSVM_ERROR else quarter.estimate if quarter else None
    return compared(spec, times.panel, None if error is None else 100 * error)


def _table(all_times: Sequence[RunningTimes], printed: Mapping[str, NumberSpec]) -> Table:
    columns = ["data set", "n", "LIBSVM", "its error"]
    columns += [f"SBP at 1/{share}" for share in SHARES]
    columns += ["SBP at LIBSVM's error + 0.1 %", "paper: LIBSVM", "its error", "SBP at 1/4"]
    rows = []
    for times in all_times:
        shares = times.shares
        values = [shares.get(share) for share in SHARES]
        rows.append(
            [
                name_of(times.panel),
                "" if times.panel.n is None else f"{times.panel.n:,}",
                "" if times.seconds is None else f"{times.seconds:.3g} s",
                "" if times.error is None else percent(times.error),
                *("" if value is None else percent(value.estimate) for value in values),
                "" if times.reached is None else f"{times.reached:.3g} s",
                *(
                    _printed(printed.get(f"{kind} {times.panel.asked}"))
                    for kind in (LIBSVM_TIME, LIBSVM_ERROR, SBP_ERROR)
                ),
            ]
        )
    notes = [
        "CPU seconds of one thread, kernel rows included; errors on the test set, the SBP's as the mean over its runs.",
        *(f"{name_of(times.panel)}: {times.unequal}." for times in all_times if times.unequal),
        *(f"{name_of(times.panel)}: {why}." for times in all_times if (why := departure(times.panel))),
    ]
    return Table(columns, rows, notes)


def _printed(spec: NumberSpec | None) -> str:
    return "" if spec is None else f"{spec.paper:,.6g} {spec.unit}"


def _data(all_times: Sequence[RunningTimes]) -> pd.DataFrame:
    tables: list[pd.DataFrame] = []
    for times in all_times:
        mean = mean_over_runs(times.curves, cost=COST, measure="test_error")
        common = {"panel": times.panel.asked, "dataset": times.panel.dataset, "cost": COST}
        seeds = " ".join(map(str, times.panel.seeds("sbp")))
        tables.append(
            pd.DataFrame(
                common | {"series": "sbp", "x": mean["cost"], "mean": mean["mean"], "sd": mean["sd"], "seeds": seeds},
            )
        )
        if times.seconds is not None:
            tables.append(
                pd.DataFrame(
                    [
                        common
                        | {
                            "series": "libsvm",
                            "x": times.seconds,
                            "mean": times.error,
                            "sd": 0.0,
                            "seeds": "0",
                        }
                    ]
                )
            )
    known = [table for table in tables if len(table)]
    return pd.concat(known, ignore_index=True)[list(COLUMNS)] if known else pd.DataFrame(columns=list(COLUMNS))
