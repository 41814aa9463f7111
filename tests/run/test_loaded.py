"""Runs of one process that share their data: loaded once, with the bits of a run by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from run_cases import DATA, alone

from svm_cost_curves import datasets
from svm_cost_curves.experiments.run import assembly
from svm_cost_curves.experiments.store import Store

LINEAR = ["algo=dcd", "kernel=linear", "budget.epochs=3"]
GAUSSIAN = ["algo=sbp", "kernel.sigma2=2", "budget.epochs=2"]


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    load = datasets.load

    def counted(spec: Any, **arguments: Any) -> Any:
        names.append(spec.name)
        return load(spec, **arguments)

    monkeypatch.setattr(datasets, "load", counted)
    monkeypatch.setattr(assembly, "_last", None)
    return names


def test_runs_that_share_have_the_bits_of_runs_by_themselves(
    tmp_path: Path, loads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [
        [*LINEAR, "problem.C=1"],
        [*LINEAR, "problem.C=3"],
        [*LINEAR, "problem.C=3", "problem.rho=1"],
        [*GAUSSIAN, "problem.C=1"],
        [*GAUSSIAN, "problem.C=2", "problem.bias=true"],
        [*GAUSSIAN, "problem.C=2", "kernel.sigma2=3"],
    ]
    shared = [alone(tmp_path / "shared", *words, *DATA) for words in runs]
    assert len(loads) == 1
    for words, (_, curve) in zip(runs, shared, strict=True):
        monkeypatch.setattr(assembly, "_last", None)
        _, reference = alone(tmp_path / "own", *words, *DATA)
        measured = [name for name in reference if not name.endswith("_seconds")]
        assert reference[measured].equals(curve[measured])


def test_other_data_and_the_data_of_a_user_s_solver_are_loaded_again(
    tmp_path: Path, loads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in (300, 200, 300):
        alone(tmp_path, *LINEAR, *DATA, f"dataset.n={n}", f"problem.C={len(loads) + 1}")
    assert len(loads) == 3
    monkeypatch.setattr(assembly, "is_plugin", lambda _: True)
    for C in (5, 6, 7):
        alone(tmp_path, *LINEAR, *DATA, f"problem.C={C}")
    assert len(loads) == 5
    assert len(Store.open(tmp_path / "results").runs()) == 6
