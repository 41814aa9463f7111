"""Runs as one table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from evidence_cases import finished_run, put_evidence

from svm_cost_curves.experiments import evidence
from svm_cost_curves.experiments.reproduction.published import EvidenceError
from svm_cost_curves.experiments.store.tidy import separating, tidy

ROWS = [
    {"iterations": k, "epochs": k / 10, "cpu_seconds": k / 100, "wall_seconds": k / 100, "test_error": 1 / (k + 2)}
    for k in range(3)
]


def test_a_point_is_a_row_and_what_differs_is_a_column() -> None:
    runs = [
        finished_run(seed=seed, rows=ROWS[: seed + 1], name=f"sbp{C}", settings={"problem": {"C": C}})
        for C in (1.0, 10.0)
        for seed in (0, 2)
    ]
    table = tidy(runs)
    assert list(table.columns[:5]) == ["algo", "dataset", "seed", "problem.C", "run"]
    assert len(table) == 2 * (1 + 3)
    assert table.groupby("problem.C")["iterations"].max().tolist() == [2, 2]
    assert "primal" not in table.columns
    assert table["run"].nunique() == 4
    assert table["test_error"].tolist()[:2] == [0.5, 0.5]


def test_a_list_is_a_text_by_which_runs_are_grouped(tmp_path: Path) -> None:
    runs = [
        finished_run(rows=ROWS, name=f"run {k}", settings={"dataset": {"name": "adult", "positive": positive}})
        for k, positive in enumerate(([1, 2], ["spam"], None))
    ]
    table = tidy(runs)
    assert table.groupby("dataset.positive", dropna=False).size().to_dict() == {"[1,2]": 3, "[spam]": 3, np.nan: 3}
    table.to_parquet(tmp_path / "table.parquet")


def test_descriptions_of_data_sets_are_no_columns() -> None:
    runs = [
        finished_run(
            dataset=name,
            rows=ROWS,
            settings={"dataset": {"name": name, "source": name, "expected_train": {"n": n}, "scaling": scaling}},
        )
        for name, n, scaling in (("adult", 5, "none"), ("web", 6, "minmax"))
    ]
    assert list(tidy(runs).columns[:5]) == ["algo", "dataset", "seed", "dataset.scaling", "run"]


def test_of_settings_that_follow_from_each_other_the_first_is_enough() -> None:
    records = [{"algo": algo, "lambda": x, "C": f"1/{x}", "only": algo} for algo in ("sbp", "smo") for x in "12"]
    assert separating(records, ["lambda", "C", "only"], ["algo"]) == ["algo", "lambda"]
    assert separating(records, ["C", "lambda", "only"], []) == ["C", "only"]


def test_without_runs_the_table_is_empty() -> None:
    assert tidy([]).empty


def test_published_runs_are_a_table(tmp_path: Path) -> None:
    runs = [finished_run(seed=seed, rows=ROWS) for seed in range(2)]
    put_evidence(tmp_path, "sbp_x", runs)
    pd.testing.assert_frame_equal(evidence.load("sbp_x", tmp_path), tidy(runs))
    with pytest.raises(EvidenceError, match="no evidence of sbp_y"):
        evidence.load("sbp_y", tmp_path)
