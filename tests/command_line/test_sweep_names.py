"""Names, groups and colours of the runs of a sweep."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path
from typing import Any

import pytest
from store_records import make_curve, result_of

from svm_cost_curves.experiments.command_line import sweep_figures, sweep_names
from svm_cost_curves.experiments.command_line.sweep_names import groups
from svm_cost_curves.experiments.command_line.sweep_results import draw, table
from svm_cost_curves.experiments.configuration.composition import distinguishing
from svm_cost_curves.experiments.plotting import STYLES, Picture, curves_picture
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.run.console import console
from svm_cost_curves.experiments.store import Store


def test_jobs_are_named_by_what_differs_between_them() -> None:
    same = ["dataset=adult", "budget.epochs=2"]
    jobs = [["algo=sbp", *same, f"problem.lambda_={value}"] for value in ("0.000464158883361", "0.1")]
    assert sweep_names.job_labels(jobs) == ["lambda=0.000464", "lambda=0.1"]
    assert sweep_names.job_labels([["algo=sbp", *same, "seed=1"], ["algo=smo", *same, "seed=1"]]) == ["sbp", "smo"]
    assert sweep_names.job_labels([["algo=sbp", "seed=1"]]) == ["algo=sbp seed=1"]


def outcome(algo: str, seed: int, error: float, *overrides: str, status: Any = "finished") -> Outcome:
    settings = (f"algo={algo}", f"seed={seed}", "store.root=/x", *overrides)
    return Outcome("x", status, algo=algo, dataset="toy", seed=seed, test_error=error, overrides=settings)


def test_a_sweep_is_grouped_by_everything_but_the_seed() -> None:
    outcomes = [
        outcome("sbp", 0, 0.1, "problem.C=1", "budget.epochs=2"),
        outcome("sbp", 1, 0.3, "problem.C=1", "budget.epochs=2", status="found"),
        outcome("sbp", 0, 0.5, "problem.C=10", "budget.epochs=2"),
        outcome("smo", 0, 0.5, "problem.C=1", "budget.epochs=2"),
        Outcome("y", "refused", "why", overrides=("algo=smo",)),
    ]
    grouped = groups(outcomes)
    assert [group.name for group in grouped] == ["sbp problem.C=1", "sbp problem.C=10", "smo problem.C=1"]
    assert grouped[0].mean("test_error") == pytest.approx(0.2)
    assert grouped[0].spread("test_error") == pytest.approx(0.02**0.5)
    assert grouped[1].spread("test_error") is None
    assert grouped[0].mean("epochs") is None
    assert [group.name for group in groups(outcomes[:2])] == ["sbp"]
    out = io.StringIO()
    console(out).print(table(outcomes))
    assert "20.00 % ± 14.14" in out.getvalue()


def swept(algo: str, **values: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    return algo, tuple((name.replace("__", "."), value) for name, value in values.items())


def test_a_sweep_s_groups_are_sorted_by_value() -> None:
    values = ["0.01", "0.001", "0.1", "0.0001", "10", "9", "auto"]
    outcomes = [outcome("sbp", 0, 0.1, f"problem.nu={value}", "budget.epochs=2") for value in values]
    grouped = groups([*outcomes, *(outcome("asset", 0, 0.1, f"problem.nu={value}") for value in ("2", "1"))])
    assert [group.values[0][1] for group in grouped if group.algo == "sbp"] == [*sorted(values[:-1], key=float), "auto"]
    assert [group.algo for group in grouped] == ["sbp"] * 7 + ["asset"] * 2
    assert [group.values[0][1] for group in grouped[-2:]] == ["1", "2"]


def test_the_curves_of_a_sweep_are_named_by_what_differs_between_them() -> None:
    nu = [swept("simba", problem__nu=value) for value in ("0.001", "0.003", "0.01")]
    assert sweep_figures.labels(nu) == ["nu=0.001", "nu=0.003", "nu=0.01"]
    third = [swept("simba", problem__nu=value) for value in ("1e-06", "3.16227766017e-06", "1000000.5")]
    assert sweep_figures.labels(third) == ["nu=1e-06", "nu=3.16e-06", "nu=1000000.5"]
    near = [swept("simba", problem__nu=value) for value in ("1.00000000001", "1.00000000002")]
    assert sweep_figures.labels(near) == ["nu=1.00000000001", "nu=1.00000000002"]
    both = [swept(algo, problem__lambda_=value) for algo in ("sbp", "smo") for value in ("0.1", "0.000123456")]
    assert sweep_figures.labels(both) == [
        "SBP lambda=0.1",
        "SBP lambda=0.000123456",
        "SMO lambda=0.1",
        *["SMO lambda=0.000123456"],
    ]
    twice = [swept("sbp", algo__step=a, problem__step=b) for a, b in (("1", "2"), ("2", "1"))]
    assert sweep_figures.labels(twice) == ["algo.step=1 problem.step=2", "algo.step=2 problem.step=1"]
    same = [swept("sbp", dataset__n="5", problem__nu="1"), swept("sbp", dataset__n="5", problem__nu="2")]
    assert sweep_figures.labels(same) == ["nu=1", "nu=2"]  # what differs on another data set only is left out
    assert sweep_figures.labels([swept("sbp"), swept("mine")]) == ["SBP", "mine"]
    assert sweep_figures.labels([swept("sbp")]) == ["SBP"]


def lightness(color: str) -> float:
    return sum(weight * int(color[i : i + 2], 16) for weight, i in ((0.299, 1), (0.587, 3), (0.114, 5)))


@pytest.mark.parametrize("algorithms", [["sbp"], ["sbp", "pegasos", "mine"]])
def test_the_colours_of_a_sweep_go_from_dark_to_light_in_the_order_of_the_values(algorithms: list[str]) -> None:
    curves = [swept(algo, problem__nu=str(value)) for algo in algorithms for value in range(5)]
    styles = sweep_figures.styles(curves)
    assert list(styles) == sweep_figures.labels(curves)
    assert len({style.color for style in styles.values()}) == len(curves)
    for place in range(len(algorithms)):
        family = list(styles.values())[5 * place : 5 * place + 5]
        assert len({style.line for style in family}) == 1
        assert len({style.marker for style in family}) == 5
        shades = [lightness(style.color) for style in family]
        assert shades == sorted(shades)
        assert shades[-1] < 230  # seen on white
    one = sweep_figures.styles([swept("sbp"), swept("smo")])
    assert [one[name].color for name in ("SBP", "SMO")] == [STYLES["sbp"].color, STYLES["smo"].color]


def test_the_picture_of_a_sweep_has_each_label_whole_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []
    for value in ("0.01", "0.001", "0.003"):
        key = value.replace(".", "_")
        recorded = Store.open(tmp_path / "store").finish(key, result_of(), make_curve(3))
        made = outcome("sbp", 0, 0.1, f"problem.nu={value}")
        runs.append(dataclasses.replace(made, result_path=str(recorded.result_path)))
    drawn: dict[str, Any] = {}

    def picture(curves: Any, **rest: Any) -> Picture:
        drawn.update(rest, curves=curves)
        return curves_picture(curves, **rest)

    monkeypatch.setattr("svm_cost_curves.experiments.command_line.sweep_figures.curves_picture", picture)
    draw(runs, tmp_path, "run.py")
    assert list(drawn["curves"]) == ["nu=0.001", "nu=0.003", "nu=0.01"]
    assert [style.name for style in drawn["styles"].values()] == list(drawn["curves"])
    assert drawn["in_order"]
    assert drawn["title"] == "Test error against cost on toy, SBP"


def test_resources_do_not_distinguish_runs() -> None:
    given = ["algo=sbp", "dataset=x", "seed=1", "threads=2", "+memory=1GiB", "store.root=y", "problem.C=1"]
    assert distinguishing(given) == ["problem.C=1"]
    assert groups([]) == []
