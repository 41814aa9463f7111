"""Claim sgdr.svmperf again, by other code: from the figure's data.csv, with pandas."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from evidence_cases import evidence
from sgdr_cases import times_panel

from svm_cost_curves.experiments.papers.sgdr.cpu_time import make
from svm_cost_curves.experiments.reproduction.spec import read_figure

SPEC = read_figure("sgdr_time")
SECONDS = {"svmperf": (20.0, 21.0, 26.0), "sgd_s": (4.0, 5.0, 4.5), "sgd_m": (9.0, 12.0, 10.0)}


def ratios(file: Path, protocol: str, C: float = 1.0) -> pd.DataFrame:
    """Return SVMperf's time over that of SGD-s and SGD-m: a row for each data set and method.

    Medians, and below five runs of a method the range of single runs; a time lies between seconds / step and seconds.
    """
    points = pd.read_csv(file)
    points = points[(points["C"] == C) & (points["protocol"].isin([protocol, "own"])) & points["seconds"].notna()]
    own = points[points["series"].isin(["sgd_s", "sgd_m"]) & (points["protocol"] == protocol)]
    rival = points[points["series"] == "svmperf"]
    both = own.merge(rival, on="panel", suffixes=("", "_rival"))
    both["ratio"] = both["seconds_rival"] / both["seconds"]
    both["low"] = both["least_rival"] / both["step_rival"] / both["largest"]
    both["high"] = both["largest_rival"] / both["least"] * both["step"]
    return both.set_index(["panel", "series"])[["ratio", "low", "high"]]


@pytest.mark.parametrize("protocol", ["own", "fixed", "first"])
def test_the_ratios_of_the_claim(tmp_path: Path, protocol: str) -> None:
    given = {name: dict.fromkeys(SPEC.members("optimum"), values) for name, values in SECONDS.items()}
    panels = [times_panel(SPEC, given, name) for name in ("adult", "web")]
    made = make(evidence(SPEC, panels))
    made.data.to_csv(tmp_path / "data.csv", index=False)
    found = ratios(tmp_path / "data.csv", protocol)
    claim = next(claim for claim in made.claims if claim.id == "sgdr.svmperf")
    reading = next(reading for reading in claim.readings if reading.id == protocol)
    for name in ("adult", "web"):
        for method, label in (("sgd_s", "SGD-s"), ("sgd_m", "SGD-m")):
            statistic = reading.statistic[name][f"C=1 SVMperf over {label}"]["ratio"]
            again = found.to_dict("index")[name, method]
            assert [statistic[key] for key in ("estimate", "low", "high")] == pytest.approx(list(again.values()))
    assert reading.held == (found["low"] > 2).sum()
