"""A claim's statistic computed a second time, from data.csv by other code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from asset_cases import falling, sizes_panel
from evidence_cases import evidence
from readings import claims_of

from svm_cost_curves.experiments.papers.asset.fig1 import make
from svm_cost_curves.experiments.reproduction.spec import read_figure


def doublings(path: Path, dataset: str, method: str, same: float = 0.1) -> float:
    """Doublings of s by which a method reaches CPSP's error, mean over CPSP's sizes: asset.dimension."""
    data = pd.read_csv(path)
    errors = data[data.panel == dataset].pivot_table(index="s", columns="series", values="error").drop(0)
    errors = errors[["cpsp", method]].dropna()
    behind = []
    for place, target in enumerate(errors["cpsp"]):
        reached = np.flatnonzero(errors[method] <= target + same)
        behind.append((reached[0] if len(reached) else len(errors)) - place)
    return float(np.mean(behind))


def test_dimension_by_pandas(tmp_path: Path) -> None:
    spec = read_figure("asset_fig1")
    own = falling(40.0, 6.0)
    quick = {s: [0.8 * error for error in own[min(2 * s, 1024)]] for s in own}
    made = make(evidence(spec, [sizes_panel(spec, {"asset": own, "cpsp": quick, "cpny": own}, "mnist")]))
    path = tmp_path / "data.csv"
    made.data.to_csv(path, index=False)
    found = claims_of(made)["asset.dimension"].nearest.statistic["mnist"]
    for method in ("asset", "cpny"):
        assert doublings(path, "mnist", method) == pytest.approx(found[f"doublings {method}"]["estimate"])
