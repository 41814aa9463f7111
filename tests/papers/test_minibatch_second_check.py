"""The statistic of minibatch.speedups, computed again from the figure's data.csv with pandas alone."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from minibatch_cases import as_claimed, only, power, sweep_panel, with_spectra
from readings import reading

from svm_cost_curves.experiments.papers.minibatch.fig1 import make
from svm_cost_curves.experiments.reproduction.spec import read_figure


def speedups_apart(csv: Path) -> pd.DataFrame:
    """Speed-up of Pegasos over that of aggressive SDCA, by data set and b beyond 1 / sigma^2."""
    points = pd.read_csv(csv)
    known = points[2 * points["reached"] > points["runs"]]
    table = known.pivot_table(
        index=["panel", "b", "inverse_sigma2"], columns="series", values="iterations"
    ).reset_index()
    first = table[table["b"] == 1].set_index("panel")
    for method in ("pegasos", "aggressive"):
        table[f"{method} speed-up"] = table["panel"].map(first[method]) / table[method]
    table["ratio"] = table["pegasos speed-up"] / table["aggressive speed-up"]
    return table[table["b"] > table["inverse_sigma2"]]


@pytest.mark.parametrize("flat_from", [64.0, 1e9])
def test_the_claim_s_statistic_from_data_csv(tmp_path: Path, flat_from: float) -> None:
    spec = only(read_figure("minibatch_fig1"), "rcv1")
    runs = {**as_claimed(), "aggressive": power(1e6, 0.9, flat_from=flat_from)}
    made = make(with_spectra(spec, [sweep_panel(spec, runs)]))
    made.data.to_csv(tmp_path / "data.csv", index=False)
    table = speedups_apart(tmp_path / "data.csv").set_index("b")
    (claim,) = (one for one in made.claims if one.id == "minibatch.speedups")
    beyond = reading(claim, "beyond")
    pairs = beyond.statistic["rcv1"]["aggressive"]["pairs"]
    assert {f"Pegasos, b = 1 to {b:,}" for b in table.index} == set(pairs)
    for b, ratio in table["ratio"].items():
        assert pairs[f"Pegasos, b = 1 to {b:,}"]["estimate"] == pytest.approx(ratio)
    within = table["ratio"].between(0.5, 2.0).all()
    assert beyond.outcome == ("reproduced" if within else "contradicted")
