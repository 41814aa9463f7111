"""Runs on small problems that tests of what makes runs share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.run import runner
from svm_cost_curves.experiments.run.console import Display
from svm_cost_curves.experiments.store import Store

DATA = ["dataset=synthetic", "dataset.n=300", "dataset.n_test=100", "dataset.d=12", "dataset.shape=noisy"]


def record(output: str) -> tuple[dict[str, Any], pd.DataFrame]:
    path = Path(next(line for line in output.splitlines() if line.startswith("result: ")).removeprefix("result: "))
    return json.loads(path.read_text()), pd.read_parquet(path.with_name("curve.parquet"))


def statuses(root: Path, **entries: Any) -> list[str]:
    """The status of each run in a store whose result.json has these entries, sorted."""
    results = [json.loads((folder / "result.json").read_text()) for folder in Store.at(root).ended()]
    return sorted(result["status"] for result in results if entries.items() <= result.items())


def alone(place: Path, *words: str, display: Display | None = None) -> tuple[dict[str, Any], pd.DataFrame]:
    """The same run in this process, without a picture."""
    settings = settings_of([*words, "picture=false", f"store.root={place / 'results'}"])
    outcome = runner.run(settings, display or Display(), ["run.py", "a test"])
    return record(f"result: {outcome.result_path}")


class Heard(Display):
    """Remembers warnings, and calls something at each."""

    def __init__(self, then: Callable[[], None] = lambda: None) -> None:
        self.warnings: list[str] = []
        self._then = then

    def warn(self, text: str) -> None:
        self.warnings.append(text)
        self._then()
