"""The exponent of Theorem 4.3 and its slack, computed a second time from the figure's table by other code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from evidence_cases import evidence, finished_run, panel, with_data

from svm_cost_curves import datasets
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.papers.simba.saddle_point import optimum
from svm_cost_curves.experiments.papers.simba.theorem import make
from svm_cost_curves.experiments.reproduction.spec import read_figure


def exponent_and_slack(data: pd.DataFrame, n: int) -> tuple[float, float]:
    """Exponent a of T ~ epsilon^-a, and least ratio of the theorem's T to T, for Algorithm 1.

    `data` is the figure's data.csv, with the columns ``series``, ``iterations`` and ``epsilon``.
    """
    own = data[data["series"] == "constant"]
    slope, _ = np.polyfit(np.log(own["iterations"]), np.log(own["epsilon"]), 1)
    slack = (100**2 * np.log(n) / own["epsilon"] ** 2 / own["iterations"]).min()
    return -1 / slope, slack


def test_data_csv_gives_the_verdict_s_exponent(tmp_path: Path) -> None:
    spec = read_figure("simba_theorem")
    words = ["dataset.shape=noisy", "dataset.n=60", "dataset.d=3", "dataset.divide_by=2"]
    settings = settings_of(["dataset=synthetic", "algo=simba", "problem.nu=0.1", *words])
    data = datasets.load(settings.dataset, cache_dir=datasets.default_cache_dir())
    best = optimum(data.X, data.y, 0.1).upper
    noise = np.random.default_rng(0)
    runs = {
        name: [
            finished_run(
                name=name,
                algo="simba",
                dataset="synthetic",
                seed=seed,
                rows=[{"iterations": int(T), "water_level": best - noise.uniform(0.4, 0.6) * T**-0.5}],
            )
            for seed in range(5)
        ]
        for T, name in spec.members("constant").items()
    }
    made = make(
        with_data(
            evidence(spec, [panel("synthetic", runs, settings=dict.fromkeys([c.name for c in spec.curves], settings))])
        )
    )
    made.data.to_csv(tmp_path / "data.csv", index=False)
    a, slack = exponent_and_slack(pd.read_csv(tmp_path / "data.csv"), data.n)
    claims = {claim.id: claim.nearest.statistic.get("synthetic", {}) for claim in made.claims}
    assert a == pytest.approx(claims["simba.rate"]["a"]["exponent"]["estimate"], rel=1e-6)
    assert 1 / slack == pytest.approx(
        max(part["share"]["estimate"] for part in claims["simba.theorem"].values()), rel=1e-6
    )
