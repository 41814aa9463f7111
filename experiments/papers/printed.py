"""Comparison of measured with printed numbers, and of a panel's data with the paper's."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ..reproduction.claim_spec import NumberSpec
from ..reproduction.evidence import Panel
from ..reproduction.numbers import Number, number


def data_difference(panel: Panel, full: int | None) -> str:
    """Say why a panel's data differ from the paper's `full` training rows (None: unknown); empty if they do not."""
    n = panel.n
    if panel.stand_in:
        return "a stand-in" if n is None else f"a stand-in, n = {n:,}"
    return "" if n is None or full is None or n == full else f"a sample, n = {n:,} of {full:,}"


def size_of_test_set(panel: Panel) -> int | None:
    """Return the number of test rows that a panel's runs counted; None without runs."""
    run = next((run for runs in panel.runs.values() for run in runs), None)
    return None if run is None else int(run.result["provenance"]["data"]["counts"]["test"]["n"])


def compare_number(
    spec: NumberSpec, why: str, values: ArrayLike | None, note: str = "", *, test_rows: int | None = None
) -> Number:
    """Compare a printed number with our runs; not judged where `why` says that the data differ."""
    remarks = "; ".join(filter(None, (why if values is not None else "", note)))
    return number(spec, values, remarks, test_rows=test_rows, compared=not why)
