"""Numbers that a paper prints of its data, and whether a panel's data are those: numbers of others do not compare."""

from __future__ import annotations

from dataclasses import replace

from experiments.reproduction.evidence import Panel
from experiments.reproduction.spec import NumberSpec
from experiments.reproduction.verdict import Number, number


def data_difference(panel: Panel, full: int | None) -> str:
    """Why a panel's data are not those of the paper, in a few words; empty where they are, or where there is no run.

    Parameters
    ----------
    panel : Panel
    full : int or None
        Training rows of the whole data set; None: not known.
    """
    n = panel.n
    if panel.stand_in:
        return "a stand-in" if n is None else f"a stand-in, n = {n:,}"
    return "" if n is None or full is None or n == full else f"a sample, n = {n:,} of {full:,}"


def compare_number(spec: NumberSpec, why: str, measured: float | None, note: str = "") -> Number:
    """Put a measured number beside a printed one.

    Parameters
    ----------
    spec : NumberSpec
    why : str
        Why the data are others than the paper's: agreement is then not asked. Empty where they are the paper's.
    measured : float or None
    note : str
    """
    if not why or measured is None:
        return number(spec, measured, note)
    return number(replace(spec, tolerance=None), measured, "; ".join(filter(None, (why, note))))
