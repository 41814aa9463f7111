"""Fake runs of the ASSET paper: test errors along runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from evidence_cases import MadeUp, Rows, finished_run, panel, rows_of

from svm_cost_curves.experiments import curve
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import FigureSpec

SIZES = [2**k for k in range(1, 11)]


def like(dataset: str, **overrides: Any) -> MadeUp:
    """Make one run, the template of the others."""
    return finished_run(dataset=dataset, rows=[{"iterations": 1}], **overrides)


def run(model: MadeUp, name: str, seed: int, rows: Rows, **result: Any) -> MadeUp:
    """Make a run with this curve and the other fields of the template."""
    return replace(model, key=name, result={**model.result, "seed": seed, **result}, curve=curve.from_rows(rows))


def ending(model: MadeUp, name: str, error: float, seed: int, first: float | None = None) -> MadeUp:
    """Make a run of 100 epochs that ends at an error in per cent, and has another one after the first epoch."""
    early = error if first is None else first
    frame = _hundred_epochs().copy()  # to check the rows of hundreds of runs would take seconds
    frame["test_error"] = np.array([early, (early + error) / 2, error]) / 100
    return replace(model, key=name, result={**model.result, "seed": seed}, curve=frame)


@cache
def _hundred_epochs() -> pd.DataFrame:
    return curve.from_rows([{"iterations": k, "epochs": float(k), "test_error": 0.0} for k in (1, 10, 100)])


Swept = Mapping[int, Sequence[float]]
"""By s the errors at the end of each run, in per cent."""


def sizes_panel(
    spec: FigureSpec,
    methods: Mapping[str, Swept],
    dataset: str = "adult",
    *,
    exact: Sequence[float] = (5.0,),
    first: Mapping[int, float] | None = None,
    **fields: Any,
) -> Panel:
    """Make one data set of Figure 1; methods not given have no runs.

    `first`: by s the error of ASSET after one epoch; that of the end where it is not given. ``fourier`` has all
    sizes in one run.
    """
    model = like(dataset)
    runs: dict[str, list[MadeUp]] = {}
    if cosines := methods.get("fourier"):
        errors = np.transpose([cosines[s] for s in SIZES]) / 100
        runs["fourier"] = [
            run(model, f"fourier {seed}", seed, rows_of(inner_products=SIZES, test_error=row))
            for seed, row in enumerate(errors)
        ]
    for method, by_size in methods.items():
        for s, series in spec.members(method).items() if method != "fourier" else ():
            early = None if method != "asset" or first is None else first.get(int(s))
            runs[series] = [
                ending(model, f"{series} {seed}", error, seed, early)
                for seed, error in enumerate(by_size.get(int(s), ()))
            ]
    runs["svmlight"] = [ending(model, f"svmlight {seed}", error, seed) for seed, error in enumerate(exact)]
    return panel(dataset, runs, **fields)


def falling(at_two: float, end: float, spread: float = 0.01) -> Swept:
    """Errors that fall with log2 s, from the one at s = 2 to that at s = 1024; three runs."""
    return {
        s: [at_two + (end - at_two) * k / 9 + spread * (seed - 1) for seed in range(3)] for k, s in enumerate(SIZES)
    }
