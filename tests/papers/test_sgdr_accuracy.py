from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from evidence_cases import evidence, panel
from pictures import drawn_with_table
from sgdr_cases import J_OPT, optimum_run, run

from experiments.papers.sgdr.accuracy import make, studies
from experiments.reproduction.evidence import Panel
from experiments.reproduction.spec import read_figure
from experiments.store import FinishedRun

SPEC = read_figure("sgdr_accuracy")
SMALL, MIDDLE, LARGE = SPEC.members("sgd_s")
EPOCHS = (*range(1, 13), 50, 100, 101, 500, 2000)


def power_law(
    folder: Path, dataset: str, *, exponents: tuple[float, ...], values: tuple[float, ...] = (MIDDLE,)
) -> Panel:
    """Runs with L exactly at the optimum and (J - L) / L = epochs^-a, a run for each a."""
    runs: dict[str, list[FinishedRun]] = {curve.name: [] for curve in SPEC.curves}
    for C in values:
        runs[SPEC.members("optimum")[C]] = [optimum_run(folder / dataset, f"optimum {C:g}", dataset=dataset)]
        runs[SPEC.members("sgd_s")[C]] = [
            run(
                folder / dataset,
                f"sgd_s {C:g}",
                [(float(k), k**-exponent, 0.0 if k > 1 else None) for k in EPOCHS],
                seed=seed,
                dataset=dataset,
            )
            for seed, exponent in enumerate(exponents)
        ]
    return panel(dataset, runs)


def test_epochs_and_exponent_by_hand(tmp_path: Path) -> None:
    (study,) = studies([power_law(tmp_path, "adult", exponents=(1.0, 1.0, 2.0))], SPEC)
    assert study.C == MIDDLE
    # 1 / epochs is 0.01 at 100, epochs^-2 at 10
    assert study.epochs_to(0.0101) == [10.0, 100.0, 100.0]
    assert study.epochs_to(1.01e-4) == [100.0, float("inf"), float("inf")]
    assert study.exponent is not None
    assert study.exponent.estimate == pytest.approx(4 / 3)
    assert (study.exponent.low, study.exponent.high) == pytest.approx((1.0, 2.0))
    assert study.accuracy is not None
    assert study.accuracy.runs == 3
    assert study.accuracy.cost[0] == 2.0  # there is no lower bound before
    assert study.accuracy.median[-1] == pytest.approx(1 / 2000)
    assert study.excess is not None
    assert study.excess.cost[0] == 1.0


def test_a_run_that_misses_all_targets_has_no_exponent(tmp_path: Path) -> None:
    runs = {SPEC.members("sgd_s")[SMALL]: [run(tmp_path, "sgd_s", [(1.0, 0.5, 0.5), (2.0, 0.4, 0.4)])]}
    (study,) = studies([panel("adult", runs)], SPEC)
    assert study.optimum is None
    assert study.excess is None
    assert study.exponent is None
    drawn_with_table(make(evidence(SPEC, [panel("adult", runs)])))


def test_picture_and_table(tmp_path: Path) -> None:
    values = (SMALL, MIDDLE, LARGE)
    one = power_law(tmp_path, "adult", exponents=(1.0, 1.1), values=values)
    panels = [replace(one, paper_dataset=name, dataset=name) for name in ("adult", "web", "ijcnn1", "digits")]
    made = drawn_with_table(make(evidence(SPEC, panels)))
    assert set(made.data["measure"]) == {"accuracy", "excess"}
    assert set(made.data["C"]) == set(values)
    assert made.table is not None
    assert len(made.table.rows) == 4 * 3
    row = made.table.rows[0]
    assert row[:4] == ["Adult", f"{SMALL:g}", f"{J_OPT:.6f}", "10 (9 to 11)"]
    assert row[6] == "-"
    assert "lacks its tables" in made.table.notes[-1]


def test_without_runs_the_figure_is_empty() -> None:
    for panels in ([], [Panel("adult", "adult")]):
        made = drawn_with_table(make(evidence(SPEC, panels)))
        assert made.claims == ()
        assert len(made.data) == 0
