"""The page of the edition, counted again from the tables of evidence with pandas alone."""

from __future__ import annotations

import json
import re
from functools import cache

import pandas as pd
import pytest

from svm_cost_curves.experiments.reproduction.published import EVIDENCE, published_figures
from svm_cost_curves.experiments.reproduction.report.edition import edition_page

ROW = re.compile(r"\| (\w+)(?:, alone)? \| (.*) \| ([\d to]+) \| ([\d,]+)(?: of [\d,]+)? \| ([\d,]+) \| ([\d.]+) \|")


def number(text: str) -> int:
    return int(text.replace(",", ""))


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, ...]]:
    return [match.groups() for line in edition_page(EVIDENCE).splitlines() if (match := ROW.fullmatch(line))]


@cache
def series_of(tables: str) -> pd.DataFrame:
    return pd.read_parquet(EVIDENCE / tables / "series.parquet")


def test_runs_and_repetitions_of_every_figure(rows: list[tuple[str, ...]]) -> None:
    assert sorted(row[0] for row in rows) == published_figures(EVIDENCE)
    for figure, data, repetitions, runs, _, _ in rows:
        of_tables = series_of(json.loads((EVIDENCE / f"{figure}.json").read_text())["tables"])
        series = of_tables[of_tables["figure"] == figure]
        assert number(runs) == series["key"].nunique()
        of_series = series.groupby(["panel", "series"]).size()
        wanted = {int(of_series.min()), int(of_series.max())} if len(series) else {0}
        assert {int(count) for count in repetitions.split(" to ")} == wanted
        assert all(name in data or "data sets" in data for name in series["dataset"].unique())


def test_a_run_of_several_figures_is_new_once(rows: list[tuple[str, ...]]) -> None:
    for paper in ("sbp", "minibatch", "asset"):
        runs = pd.read_parquet(EVIDENCE / paper / "runs.parquet", columns=["key"])
        assert sum(number(row[4]) for row in rows if row[0].startswith(f"{paper}_")) == len(runs)
