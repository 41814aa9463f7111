from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from evidence_cases import evidence, finished_run, panel, with_data

from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.papers.asset import table1
from svm_cost_curves.experiments.papers.asset.table1 import Spectrum, make, spectrum_of
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.numbers import Number
from svm_cost_curves.experiments.reproduction.spec import overrides_of, read_figure

SPEC = read_figure("asset_table1")
SPECTRUM = Spectrum(1024, np.array([0.9, 0.08, 0.015, 0.004]))


@pytest.fixture(autouse=True)
def known_spectrum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table1, "spectrum_of", lambda _: SPECTRUM)


def counted(dataset: str, n: int, n_test: int, d: int, nnz: int, **fields: Any) -> Panel:
    counts = {"train": {"n": n, "d": d, "nnz": nnz}, "test": {"n": n_test, "d": d, "nnz": 1}}
    run = finished_run(dataset=dataset, rows=[{"iterations": 1}], provenance={"data": {"counts": counts}})
    paper_dataset = fields.get("paper_dataset", dataset)
    series = SPEC.series[1 if paper_dataset == "mnist_elastic" else 0]
    settings = settings_of(overrides_of(series, [], paper_dataset, dataset), jobs=1)
    return panel(dataset, {series.name: [run]}, **{"settings": {series.name: settings}} | fields)


def numbers(panels: list[Panel]) -> dict[str, Number]:
    return {number.name: number for number in make(with_data(evidence(SPEC, panels))).numbers}


def test_printed_sizes_agree_except_for_the_erratum() -> None:
    ccat = numbers([counted("rcv1_ccat", 78127, 11574, 47236, 5_937_000)])
    assert {name: number.agrees for name, number in ccat.items() if name.endswith(" rcv1_ccat")} == {
        "training rows of rcv1_ccat": True,
        "test rows of rcv1_ccat": True,
        "features of rcv1_ccat": False,  # one more is printed
        "density of rcv1_ccat": False,  # 0.16 %, printed 1.6 %
    }
    assert ccat["density of rcv1_ccat"].measured == pytest.approx(0.16, abs=0.002)
    assert "an error of the paper" in ccat["density of rcv1_ccat"].note
    adult = numbers([counted("adult", 32561, 8141, 123, 449_000)])
    assert all(number.agrees for name, number in adult.items() if name.endswith(" adult"))
    assert adult["features of mnist"].measured is None


def test_stand_ins_and_samples_are_not_compared() -> None:
    stand_in = counted("covtype_subset", 74370, 9296, 54, 880_000, paper_dataset="covtype", stand_in="a part")
    sample = counted("mnist", 1100, 1000, 784, 160_000)
    counts = numbers([stand_in, sample])
    assert counts["features of covtype"].agrees is None
    assert counts["features of covtype"].note == "a stand-in, n = 74,370"
    assert counts["test rows of mnist"].note == "a sample, n = 1,100 of 58,100"


def test_spectrum_equals_eigenvalues_of_the_kernel_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy.spatial.distance import cdist

    from svm_cost_curves.solvers import Gaussian, Problem

    X = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    problem = Problem(X, np.where(np.arange(60) % 2, 1, -1), Gaussian(2.0))
    monkeypatch.setattr(table1, "load_problem", lambda _: problem)
    run = SimpleNamespace(solver_settings=SimpleNamespace(eps_d=1e-16), seed=0)
    spectrum = spectrum_of(run)  # type: ignore[arg-type]
    expected = np.linalg.eigvalsh(np.exp(-cdist(X, X, "sqeuclidean") / 4.0))[::-1] / 60
    np.testing.assert_allclose(spectrum.eigenvalues[:20], expected[:20], rtol=1e-4)
    assert spectrum.needed == int(np.searchsorted(np.cumsum(expected), 0.99)) + 1
