"""A small figure with a store and evidence, and commands on them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from svm_cost_curves.experiments.reproduction.cli import main
from svm_cost_curves.experiments.reproduction.publish import write_tables
from svm_cost_curves.experiments.reproduction.published import (
    RUNS,
    PublishedRun,
    figure_runs,
    read_facts,
    read_series,
    read_table,
)

FIGURE = """
id: mine_x
label: Figure 1
title: small
maker: svm_cost_curves.experiments.papers.curves
datasets: [synthetic]
series:
  - {name: sbp, overrides: [algo=sbp, dataset.n=120, dataset.n_test=60, dataset.d=4, budget.epochs=1]}
  - {name: smo, overrides: [algo=smo, dataset.n=120, dataset.n_test=60, dataset.d=4, budget.epochs=1], seeds: 1}
scales: {demo: {seeds: 2}, quick: {seeds: 3}, paper: {seeds: 3}}
"""


def reproduce(folder: Path, *words: str) -> int:
    places = [f"{name}={folder / name}" for name in ("store", "figures", "evidence")]
    given = {word.partition("=")[0] for word in words}
    usual = [*places, "jobs=1"]  # each process takes seconds to start
    return main([*words, f"figure={folder / 'mine_x.yaml'}", *(w for w in usual if w.partition("=")[0] not in given)])


def copied(made: Path, folder: Path) -> tuple[Path, dict[str, PublishedRun]]:
    """Copy the evidence; return its folder, and the runs by their keys."""
    shutil.copytree(made / "evidence", folder / "evidence")
    return folder / "evidence", figure_runs(folder / "evidence", "mine_x")


def publish(folder: Path, runs: Mapping[str, PublishedRun]) -> None:
    """Write the evidence again with changed runs."""
    keys = read_table(folder, "mine_x", RUNS).select(["key", "settings_key"]).to_pylist()
    changed = {row["key"]: (row["settings_key"], runs[row["key"]]) for row in keys}
    write_tables(folder, "mine_x", "mine_x", read_series(folder, read_facts(folder, "mine_x")), changed)
