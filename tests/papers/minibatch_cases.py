"""Fake runs of the mini-batch paper: objectives against iterations, for several sizes of the mini-batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from evidence_cases import MadeUp, finished_run, panel

from svm_cost_curves.experiments import curve
from svm_cost_curves.experiments.papers.minibatch.data import Spectrum
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.spec import FigureSpec

P_STAR = 0.3
ENOUGH = 4.0
"""1 / sigma^2 of all fake data."""
N = 20_000
SPECTRUM = Spectrum(n=N, sigma2=1 / ENOUGH, growth=(N / ENOUGH - 1) / (N - 1), lambda_=1e-4)
SIZES = [2**k for k in range(15)]

Iterations = Mapping[int, Sequence[float]]
"""Iterations of each run by b; negative: the target is missed within that many."""


def optimum_run(gap: float = 1e-9, **overrides: Any) -> MadeUp:
    """Return a run that certifies P* up to a gap."""
    rows = [{"iterations": 1, "primal": P_STAR + gap, "dual": P_STAR}]
    return finished_run(name="optimum", algo="dcd", n=N, rows=rows, **overrides)


@cache
def _reaching(iterations: float) -> pd.DataFrame:
    end = int(abs(iterations))
    before = {"iterations": max(end - 1, 0), "primal": P_STAR + 0.0011, "dual": P_STAR - 0.01}
    there = {"iterations": end, "primal": P_STAR + (0.0009 if iterations > 0 else 0.0011), "dual": P_STAR - 0.002}
    after = [{"iterations": 2 * end, "primal": P_STAR + 0.5, "dual": P_STAR - 0.001}] if iterations > 0 else []
    return curve.from_rows([before, there, *after])


def reaching(like: MadeUp, name: str, iterations: float, seed: int = 0) -> MadeUp:
    """Make a run that is 0.001 above P* after so many iterations and not before; of negative ones it never is.

    The rest is as of another run.
    """
    result = {**like.result, "seed": seed}
    return replace(like, key=name, result=result, curve=_reaching(iterations))


def sweep_panel(
    spec: FigureSpec, methods: Mapping[str, Iterations], dataset: str = "rcv1", *, gap: float = 1e-9, **fields: Any
) -> Panel:
    """Make one data set of Figure 1; methods that are not given have no runs."""
    optimum = optimum_run(gap, dataset=dataset)
    runs: dict[str, list[MadeUp]] = {"optimum": [optimum]}
    for method, iterations in methods.items():
        for b, series in spec.members(method).items():
            runs[series] = [
                reaching(optimum, f"{method} {b} {seed}", value, seed)
                for seed, value in enumerate(iterations.get(int(b), ()))
            ]
    return panel(dataset, runs, **{"settings": {"optimum": None}} | fields)


def with_spectra(spec: FigureSpec, panels: Sequence[Panel], **computed: Any) -> Evidence:
    """Return the evidence with `SPECTRUM` for all data sets, and what else the figure's module computes."""
    spectra = {one.paper_dataset: asdict(SPECTRUM) for one in panels if any(one.runs.values())}
    return Evidence(spec, "paper", tuple(panels), {}, {"spectra": spectra, **computed})


def only(spec: FigureSpec, *datasets: str) -> FigureSpec:
    """Return the figure of some data sets only."""
    return replace(spec, datasets=list(datasets))


def power(at_one: float, exponent: float, sizes: Sequence[int] = SIZES, flat_from: float = np.inf) -> Iterations:
    """Iterations that fall as b^-exponent up to a size, and not beyond; two runs, 2 % apart."""
    return {
        b: (round(value := max(at_one * min(b, flat_from) ** -exponent, 2)), round(1.02 * value) + 1) for b in sizes
    }


def as_claimed() -> dict[str, Iterations]:
    """Iterations of all methods as in the paper, with 1 / sigma^2 = 4."""
    naive = {b: runs if b <= 16 else (-90_000.0, -95_000.0) for b, runs in power(1e6, 1.0).items()}
    return {
        "pegasos": power(4e6, 0.9),
        "naive": naive,
        "safe": {b: (round(1e6 * share), round(1.02e6 * share)) for b in SIZES for share in [SPECTRUM.beta_over_b(b)]},
        "aggressive": power(1e6, 0.9),
        "pegasos_tail": power(3e6, 0.9),
    }
