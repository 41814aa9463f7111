"""Table 2: training time and test error of all methods for s = 512 and s = 1024, side by side in one run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import pandas as pd

from experiments.papers.asset import equal_claim, faster_claim, table2_picture
from experiments.papers.asset.looks import LOOKS
from experiments.papers.asset.printed import TABLE_2
from experiments.papers.asset.sizes import spread, written
from experiments.papers.asset.timing import TOLD, Case, Cell, cases
from experiments.papers.effort import seconds_text
from experiments.papers.judging import Judge, judged
from experiments.papers.panels import name_of
from experiments.papers.printed import compared, departure
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made, Table
from experiments.reproduction.spec import NumberSpec
from experiments.reproduction.verdict import Number

COLUMNS: Final = ("panel", "dataset", "s", "series", "seconds", "least", "largest", "error", "sd", "runs", "reached")
ROWS: Final = {"adult": 32561, "mnist": 58100, "rcv1_ccat": 78127, "ijcnn1": 113352, "covtype": 464809}
"""Training rows of the paper's data sets."""


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge its claims."""
    found = cases(evidence)
    names = [series.name for series in evidence.spec.series]
    shown = [case for case in found if case.cells]
    judges: dict[str, Judge] = {
        "asset.1": partial(faster_claim.judge, found=found),
        "asset.2": partial(equal_claim.judge, found=found),
    }
    return Made(
        _points(shown),
        partial(table2_picture.draw, found=shown, names=names),
        table2_picture.size(shown),
        table=_table(shown, names),
        claims=judged(evidence, judges),
        numbers=[_number(spec, found) for spec in evidence.spec.numbers],
    )


def _number(spec: NumberSpec, found: Sequence[Case]) -> Number:
    """Put an error of ASSET or ASSET*, at its stop, beside the printed one."""
    method, _, asked, size = spec.name.replace(" error on ", " on ").replace(", s = ", " ").split(" ")
    case = next((case for case in found if case.panel.asked == asked and case.s == int(size)), None)
    cell = None if case is None else case.cells.get(method)
    if case is None or cell is None:
        return compared(spec, "", None)
    note = f"{cell.last.mean():.2f} % at the end of the runs"
    return compared(spec, departure(case.panel, ROWS[asked]), float(cell.errors.mean()), note)


def _points(shown: Sequence[Case]) -> pd.DataFrame:
    rows = [
        {
            "panel": case.panel.asked,
            "dataset": case.panel.dataset,
            "s": case.s,
            "series": name,
            "seconds": cell.effort.median,
            "least": min(cell.effort.costs),
            "largest": max(cell.effort.costs),
            "error": cell.errors.mean(),
            "sd": spread(cell.errors),
            "runs": len(cell.errors),
            "reached": sum(cell.effort.reached),
        }
        for case in shown
        for name, cell in case.cells.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _table(shown: Sequence[Case], names: Sequence[str]) -> Table:
    columns = ["s", "data set", *(LOOKS[name].name for name in names)]
    rows: list[list[str]] = []
    for case in shown:
        rows.append([f"{case.s:,}", name_of(case.panel), *(_cell(case.cells.get(name)) for name in names)])
        printed = TABLE_2.get(case.s, {}).get(case.panel.asked, {})
        if printed:
            cells = ("" if name not in printed else _printed(*printed[name]) for name in names)
            rows.append([f"{case.s:,}", f"{case.panel.asked}, as printed", *cells])
    told = ", ".join(LOOKS[name].name for name in TOLD if name in names)
    notes = [
        "Training CPU time, features and bases in it, median over the runs; in brackets the mean test error in per "
        "cent ± standard deviation. Ours on one thread of one machine, one run at a time; the printed ones are of "
        "2011.",
        f"{told}: to the first checkpoint with a test error no larger than the mean of CPNY's, which is a stop by "
        "the test set, as in the paper; >: half of the runs or more did not get there, and took so long. The "
        "others: to the end that their own rules set. Those that know no s stand in both halves.",
        "ASSET and ASSET* are looked at ten times an epoch, by the average of their last 100 iterates; scikit-learn "
        "after 1, 2, 4, ... passes. LASVM, SVMlight and LIBSVM have an intercept, as the programs have by default.",
        _runs(shown, names),
    ]
    return Table(columns, rows, notes)


def _runs(shown: Sequence[Case], names: Sequence[str]) -> str:
    counts = {name: {len(case.cells[name].errors) for case in shown if name in case.cells} for name in names}
    texts = [f"{LOOKS[name].name} {' or '.join(map(str, sorted(own)))}" for name, own in counts.items() if own]
    return f"Runs: {', '.join(texts)}." if texts else ""


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    error = written(float(cell.errors.mean()), spread(cell.errors), len(cell.errors))
    return f"{cell.effort.text(seconds_text)} ({error})"


def _printed(seconds: float, error: float) -> str:
    return f"{seconds_text(seconds)} ({error:.2f})"
