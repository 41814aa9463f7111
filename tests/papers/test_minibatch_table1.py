from __future__ import annotations

from typing import Any

import pytest
from evidence_cases import finished_run, panel
from minibatch_cases import SPECTRUM, with_spectra

from svm_cost_curves.experiments.papers.dataset_table import QUANTITIES
from svm_cost_curves.experiments.papers.minibatch.table1 import LAMBDAS, ROWS, make
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.numbers import Number
from svm_cost_curves.experiments.reproduction.spec import read_figure

SPEC = read_figure("minibatch_table1")


def counted(dataset: str, n: int, n_test: int, d: int, nnz: int, **fields: Any) -> Panel:
    counts = {"train": {"n": n, "d": d, "nnz": nnz}, "test": {"n": n_test, "d": d, "nnz": 1}}
    rows = [{"iterations": 1, "primal": 0.3 + 1e-9, "dual": 0.3}]
    run = finished_run(name="optimum", dataset=dataset, rows=rows, provenance={"data": {"counts": counts}})
    return panel(dataset, {"optimum": [run]}, **{"settings": {"optimum": None}} | fields)


def numbers(panels: list[Panel]) -> dict[str, Number]:
    return {number.name: number for number in make(with_spectra(SPEC, panels)).numbers}


def test_the_paper_s_data_agree_with_what_is_printed() -> None:
    # a density of 0.1568 %, printed 0.16 %; one row of cov may be on the other side of the split
    agreeing = numbers(
        [counted("rcv1", 20242, 677399, 47236, 1_498_952), counted("covtype", 522910, 58102, 54, 6_210_000)]
    )
    assert {name for name, number in agreeing.items() if number.agrees} == {
        f"{quantity} of {name}" for quantity in QUANTITIES for name in ("rcv1", "covtype")
    }
    off = numbers([counted("rcv1", 20242, 677398, 47237, 2_000_000)])
    assert [off[f"{quantity} of rcv1"].agrees for quantity in ("test rows", "features", "density")] == [False] * 3
    assert off["features of covtype"].measured is None


def test_the_largest_speed_up_is_that_of_all_rows() -> None:
    made = make(with_spectra(SPEC, [counted("rcv1", ROWS["rcv1"], 100, 50, 1000)]))
    assert set(LAMBDAS) == set(ROWS) == set(SPEC.datasets)
    assert made.data["speedup"].max() == pytest.approx(1 / SPECTRUM.beta_over_b(SPECTRUM.n))
