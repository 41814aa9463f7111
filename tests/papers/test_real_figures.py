"""Figures made from the real data files."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from svm_cost_curves.experiments.reproduction.cli import main


def test_the_water_levels_of_adult(tmp_path: Path) -> None:
    """Both are judged against a level found by sorting, on the paper's own data, without leaving a run in the store."""
    folders = [f"store={tmp_path / 'store'}", f"figures={tmp_path / 'figures'}"]
    assert main(["figure=sbp_fig1,sbp_fig4", "scale=demo", *folders]) == 0
    for name in ("sbp_fig1", "sbp_fig4"):
        made = tmp_path / "figures" / name / "demo"
        verdict = json.loads((made / "verdict.json").read_text())
        assert verdict["data_sets"] == ["adult"]
        assert verdict["stand_in"] == {}
        assert {claim["verdict"] for claim in verdict["claims"]} == {"reproduced"}
        assert len(pd.read_csv(made / "data.csv")) > 100
    assert list((tmp_path / "store").iterdir()) == []
