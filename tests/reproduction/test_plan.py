"""Plans of figures for empty, partial and full stores."""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path
from typing import Any

import pytest
from store_cases import TOY, FakeStore

from svm_cost_curves.datasets import DataError, DatasetSpec
from svm_cost_curves.experiments.configuration.choices import install_command
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.reproduction.build import evidence_of, verdict_of
from svm_cost_curves.experiments.reproduction.durations import expected_seconds
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.listing import announcement
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.plan import Plan, Planner
from svm_cost_curves.experiments.reproduction.series_spec import SeriesSpec
from svm_cost_curves.experiments.reproduction.spec import FigureError, FigureSpec, overrides_of, read_figure
from svm_cost_curves.solvers import SettingsError


def plan(store: FakeStore, figure: FigureSpec, options: Options) -> Plan:
    return Planner(store).plan(figure, options)


def test_an_empty_store_lacks_every_run(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    made = plan(store, figure, options)
    assert made.state == "none"
    assert [(run.series, run.settings.seed) for run in made.missing] == [("sbp", 0), ("sbp", 1), ("sbp", 2), ("smo", 0)]
    assert len({run.key for run in made.missing}) == 4


def test_a_partial_store_lacks_the_rest(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    first, second = plan(store, figure, options).missing[:2]
    store.record(first)
    store.record(second)
    made = plan(store, figure, options)
    assert made.state == "partial"
    assert [(run.series, run.settings.seed) for run in made.missing] == [("sbp", 2), ("smo", 0)]
    panel = evidence_of(made, {}).panels[0]
    assert panel.seeds("sbp") == (0, 1)
    assert panel.missing == {"sbp": "of 3 runs 1 not made", "smo": "of 1 runs 1 not made"}


def test_a_full_store_lacks_nothing(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    for run in plan(store, figure, options).missing:
        store.record(run)
    made = plan(store, figure, options)
    assert made.state == "done"
    assert made.missing == []
    assert evidence_of(made, {}).panels[0].missing == {}


def test_a_smaller_scale_with_the_same_settings_shares_the_runs(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    for run in plan(store, figure, options).missing:
        store.record(run)
    assert plan(store, figure, dataclasses.replace(options, scale="quick")).state == "done"
    assert plan(store, figure, dataclasses.replace(options, scale="demo")).state == "none"


def test_a_failed_run_is_reported_as_missing(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    first, *others = plan(store, figure, options).missing
    for run in others:
        store.record(run)
    made = plan(store, figure, options)
    failed = {str(first.key): Outcome(first.settings.label(), "failed", "broken")}
    assert evidence_of(made, failed).panels[0].missing == {"sbp": "of 3 runs 1 failed"}


def test_runs_from_another_commit_are_used_and_named(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    for run in plan(store, figure, options).missing:
        store.record(run, commit="b" * 40)
    made = plan(store, figure, options)
    assert made.state == "done"
    empty: Any = FigureResult(data=None, draw=lambda _: None)  # type: ignore[arg-type]
    assert verdict_of(evidence_of(made, {}), empty, "x").run_commits == ("b" * 40,)


def test_one_seed_only(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    made = plan(store, figure, dataclasses.replace(options, scale="demo"))
    assert [(run.series, run.settings.seed) for run in made.missing] == [("sbp", 0), ("smo", 0)]
    assert made.missing[0].settings.budget.epochs == 0.1  # the scale's override wins over the series'


def test_a_series_is_made_on_its_own_data_sets_only(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    figure.series.append(SeriesSpec("pegasos", ["algo=pegasos"], datasets=["adult"]))
    assert "pegasos" not in plan(store, figure, options).panels[0].settings


def swept(name: str = "sbp", **fields: Any) -> SeriesSpec:
    return SeriesSpec(name, [f"algo={name}", *TOY], grid={"problem.nu": [0.01, 1.0]}, **fields)


def test_a_grid_makes_a_series_of_each_value(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    figure.series = [swept(), SeriesSpec("smo", ["algo=smo", *TOY], seeds=1)]
    made = plan(store, figure, options)
    assert figure.members("sbp") == {0.01: "sbp nu=0.01", 1.0: "sbp nu=1"}
    assert figure.members("smo") == {}
    planned = [(run.series, run.settings.problem.nu, run.settings.seed) for run in made.runs]
    assert planned == [
        *(("sbp nu=0.01", 0.01, seed) for seed in range(3)),
        *(("sbp nu=1", 1.0, seed) for seed in range(3)),
        ("smo", None, 0),
    ]
    assert len({run.key for run in made.runs}) == 7
    assert list(made.panels[0].settings) == ["sbp nu=0.01", "sbp nu=1", "smo"]


def test_members_keep_the_fields_of_their_series(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    figure.datasets = ["synthetic", "digits"]
    figure.series = [swept(seeds=2, datasets=["digits"], by_dataset={"digits": ["dataset.max_train=50"]})]
    first, second = plan(store, figure, options).panels
    assert first.runs == ()
    assert [run.series for run in second.runs] == ["sbp nu=0.01", "sbp nu=0.01", "sbp nu=1", "sbp nu=1"]
    assert {run.settings.dataset.max_train for run in second.runs} == {50}


def test_a_seed_can_also_draw_the_rows(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    figure.datasets = ["digits"]
    figure.series = [SeriesSpec("sbp", ["algo=sbp", "dataset.max_train=50"], seeds=2)]
    same = plan(store, figure, options)
    figure.split_by_seed = True
    other = plan(store, figure, options)
    assert [run.settings.dataset.split_seed for run in other.runs] == [0, 1]
    assert same.runs[0].key == other.runs[0].key
    assert same.runs[1].key != other.runs[1].key


def test_a_panels_runs_are_looked_up_in_one_query_and_once(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    figure.series = [swept(), SeriesSpec("smo", ["algo=smo", *TOY], seeds=1)]
    planner = Planner(store)
    made = planner.plan(figure, options)
    assert store.looked_up == [[run.key for run in made.runs]]
    for run in made.runs[:3]:
        store.record(run)
    again = [planner.plan(figure, options) for _ in range(2)]
    assert [run.found is not None for run in again[0].runs] == [True] * 3 + [False] * 4
    assert [len(keys) for keys in store.looked_up] == [7, 7, 4]


def test_members_are_found_missing_and_shared_one_by_one(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    figure.series = [swept()]
    for run in plan(store, figure, options).runs[:4]:
        store.record(run)
    made = plan(store, figure, options)
    assert made.state == "partial"
    panel = evidence_of(made, {}).panels[0]
    assert {name: panel.seeds(name) for name in panel.runs} == {"sbp nu=0.01": (0, 1, 2), "sbp nu=1": (0,)}
    assert panel.missing == {"sbp nu=1": "of 3 runs 2 not made"}
    # the same settings written out are the same runs
    figure.series = [SeriesSpec("by hand", ["algo=sbp", *TOY, "problem.nu=0.01"])]
    assert plan(store, figure, options).state == "done"


def test_settings_paired_with_a_grid_may_differ_between_data_sets(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    figure.datasets = ["synthetic", "digits"]
    paired: dict[str, dict[str, list[float | None]]] = {"budget.epochs": {"digits": [2.0, 4.0], "adult": [8.0, None]}}
    figure.series = [swept(by_dataset={"digits": ["dataset.max_train=50"]}, paired_with=paired, seeds=1)]
    first, second = plan(store, figure, options).panels
    # a data set that is not named has the values of the first
    assert [run.settings.budget.epochs for run in first.runs] == [2.0, 4.0]
    assert [run.settings.budget.epochs for run in second.runs] == [2.0, 4.0]
    assert {run.settings.dataset.max_train for run in second.runs} == {50}
    assert {run.settings.dataset.max_train for run in first.runs} == {None}
    (other,) = plan(store, figure, dataclasses.replace(options, datasets=("adult",))).panels
    assert [(run.series, run.settings.budget.epochs) for run in other.runs] == [("sbp nu=0.01", 8.0)]


def test_no_mini_batch_is_larger_than_the_data(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    grid = {"algo.batch_size": [1.0, 120.0, 121.0]}
    figure.series = [SeriesSpec("sdca", ["algo=minibatch_sdca", "problem.C=1", *TOY], grid=grid)]
    assert list(plan(store, figure, options).panels[0].settings) == ["sdca batch_size=1", "sdca batch_size=120"]


def test_no_more_features_are_sampled_than_there_are_examples(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    grid = {"algo.features": [120.0, 121.0]}
    figure.series = [
        SeriesSpec("sampled", ["algo=asset", "problem.C=1", *TOY], grid=grid),
        SeriesSpec("drawn", ["algo=asset_online", "problem.C=1", *TOY], grid=grid),
    ]
    names = ["sampled features=120", "drawn features=120", "drawn features=121"]
    assert list(plan(store, figure, options).panels[0].settings) == names


def test_whole_numbers_of_a_grid_are_integers(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    figure.series = [SeriesSpec("sbp", ["algo=sbp", *TOY], grid={"budget.evaluations": [10.0, 1e3]})]
    found = plan(store, figure, options).panels[0].settings
    assert {name: run.budget.evaluations for name, run in found.items()} == {
        "sbp evaluations=10": 10,
        "sbp evaluations=1000": 1000,
    }


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("{problem.nu: []}", "grid.problem.nu"),
        ("{problem.nu: [0.1, .nan]}", "grid.problem.nu.1"),
        ("{problem.nu: [0.1, 0.2, 0.1]}", "differ"),
        ("{problem.nu: [0.1], problem.C: [1.0]}", "series.0.grid"),
        ("{problem.nu: [low]}", "low"),
        ("[0.1]", "sbp_x.yaml"),
        (
            "{problem.nu: [0.1]}, paired_with: {problem.C: {adult: [1.0, 2.0]}}",
            "problem.C is paired with it, and needs 1",
        ),
        ("{}, paired_with: {problem.C: {adult: [1.0]}}", "problem.C is paired with it, and needs 0"),
    ],
)
def test_a_malformed_grid_is_an_error_in_one_line(tmp_path: Path, grid: str, message: str) -> None:
    (tmp_path / "sbp_x.yaml").write_text(f"series: [{{name: sbp, grid: {grid}}}]", encoding="utf-8")
    with pytest.raises(FigureError, match=message) as caught:
        read_figure("sbp_x", tmp_path)
    assert "sbp_x.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_grid_is_read_from_a_file(tmp_path: Path) -> None:
    text = "series: [{name: pegasos, overrides: [algo=pegasos], grid: {problem.lambda_: [1e-5, 1.0]}}, {name: smo}]"
    (tmp_path / "sbp_x.yaml").write_text(text, encoding="utf-8")
    spec = read_figure("sbp_x", tmp_path)
    assert spec.members("pegasos") == {1e-5: "pegasos lambda=1e-05", 1.0: "pegasos lambda=1"}
    assert [(curve.name, curve.overrides) for curve in spec.curves] == [
        ("pegasos lambda=1e-05", ["algo=pegasos", "problem.lambda_=1e-05"]),
        ("pegasos lambda=1", ["algo=pegasos", "problem.lambda_=1"]),
        ("smo", []),
    ]


def test_another_data_set_on_the_command_line_is_a_stand_in(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    figure.datasets = ["adult"]
    made = plan(store, figure, dataclasses.replace(options, datasets=("synthetic",)))
    assert [panel.dataset for panel in made.panels] == ["synthetic"]
    assert "adult" in made.panels[0].stand_in
    assert evidence_of(made, {}).stand_ins == {"synthetic": made.panels[0].stand_in}


def test_the_papers_data_set_on_the_command_line_is_not_a_stand_in(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    made = plan(store, figure, dataclasses.replace(options, datasets=("synthetic",)))
    assert made.panels[0].stand_in == ""


def test_a_figure_without_data_sets_ignores_them(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    figure.datasets, figure.series = [], []
    assert not plan(store, figure, dataclasses.replace(options, datasets=("synthetic",))).panels


def refuse(*names: str) -> Any:
    def fetch(spec: DatasetSpec) -> None:
        if spec.name in names:
            raise DataError(f"{spec.name} is nowhere")

    return fetch


def test_data_sets_that_are_not_available_are_left_out_and_named(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    figure.datasets = ["synthetic", "digits"]
    figure.series = [SeriesSpec("sbp", ["algo=sbp"])]
    made = Planner(store, refuse("digits")).plan(figure, options)
    assert [panel.dataset for panel in made.panels] == ["synthetic"]
    assert made.absent == {"digits": "digits is nowhere"}


def test_series_of_a_missing_engine_are_left_out(
    store: FakeStore, figure: FigureSpec, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    figure.series = [
        SeriesSpec("alone", ["algo=minibatch_sdca", *TOY]),
        SeriesSpec("together", ["algo=minibatch_sdca", *TOY, "engine=mpi"], grid={"ranks": [1.0, 2.0]}),
    ]
    made = plan(store, figure, options)
    assert [list(panel.settings) for panel in made.panels] == [["alone"]]
    assert list(made.absent) == ["engine=mpi"]
    assert install_command("mpi") in made.absent["engine=mpi"]


def test_the_figures_stand_in_replaces_a_missing_data_set(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    figure.datasets, figure.stand_ins = ["digits"], {"digits": "synthetic"}
    made = Planner(store, refuse("digits")).plan(figure, options)
    assert [(panel.paper_dataset, panel.dataset) for panel in made.panels] == [("digits", "synthetic")]
    assert made.panels[0].stand_in
    assert made.absent == {"digits": "digits is nowhere"}


def test_files_are_not_fetched_when_all_runs_are_in_the_store(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    for run in plan(store, figure, options).missing:
        store.record(run)
    assert Planner(store, refuse("synthetic")).plan(figure, options).state == "done"


def test_unknown_names(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    with pytest.raises(FigureError, match="did you mean paper"):
        plan(store, figure, dataclasses.replace(options, scale="papr"))
    with pytest.raises(FigureError, match="did you mean adult"):
        plan(store, figure, dataclasses.replace(options, datasets=("adlt",)))
    figure.series[0].overrides = ["algo=sbpp"]
    with pytest.raises(SettingsError, match="did you mean sbp"):
        plan(store, figure, options)


def test_later_overrides_win() -> None:
    series = SeriesSpec("sbp", ["algo=sbp", "budget.epochs=1"], by_dataset={"adult": ["budget.epochs=2"]})
    words = overrides_of(series, ["budget.epochs=3"], "adult", "adult")
    assert words == ("dataset=adult", "algo=sbp", "budget.epochs=3")
    assert "budget.epochs=2" in overrides_of(series, [], "adult", "adult_sample")
    assert "budget.epochs=1" in overrides_of(series, [], "mnist", "mnist")


def test_a_stand_in_has_the_overrides_of_the_data_set_and_its_own() -> None:
    own = {"adult": ["problem.lambda_=1", "budget.epochs=2"], "digits": ["budget.epochs=3"]}
    words = overrides_of(SeriesSpec("sbp", ["algo=sbp"], by_dataset=own), [], "adult", "digits")
    assert words == ("dataset=digits", "algo=sbp", "problem.lambda_=1", "budget.epochs=3")


def test_expected_seconds_grow_with_the_runs_and_fall_with_the_jobs(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    runs = plan(store, figure, options).missing
    runs = [run.settings for run in runs]
    few, many, faster = (expected_seconds(*given, lambda _: 1.0) for given in ((runs[:1], 1), (runs, 1), (runs, 2)))
    assert 0 < few < many
    assert faster < many


def test_a_timed_figure_makes_one_run_at_a_time(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    figure.timed = True
    made = plan(store, figure, options)
    assert made.options.jobs == 1
    assert {run.settings.jobs for run in made.runs} == {1}
    together = plan(store, figure, dataclasses.replace(options, jobs=3, together=True))
    assert together.options.jobs == 3
    assert [run.key for run in together.runs] == [run.key for run in made.runs]


def test_a_timed_figure_takes_no_run_that_was_made_beside_others(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    for run in plan(store, figure, options).runs:
        store.record(run, jobs=2 if run.settings.seed else 1)
    planner = Planner(store, alone=True)
    assert planner.plan(figure, options).state == "done"
    figure.timed = True
    timed = planner.plan(figure, options)
    assert [(run.settings.seed, run.beside) for run in timed.runs if run.found is None] == [(1, True), (2, True)]
    assert {run.settings.alone for run in timed.runs} == {True}
    assert "  2 more were made beside other runs: they are made again, alone, for their times" in announcement(
        timed, lambda _: 1.0
    )
    assert planner.plan(figure, dataclasses.replace(options, together=True)).state == "done"
    assert planner.plan(figure, dataclasses.replace(options, scale="quick")).state == "done"
    served = dataclasses.replace(options, overrides=(*options.overrides, "store.uri='http://host:1'"))
    assert planner.plan(figure, served).state == "done"
    for run in timed.missing:
        store.record(run)
    assert planner.plan(figure, options).state == "done"


def test_a_verdict_contains_no_folder_of_this_machine(store: FakeStore, figure: FigureSpec, options: Options) -> None:
    made = dataclasses.replace(plan(store, figure, options), absent={"x": "Cannot download x: no. Put it into /a/b."})
    empty: Any = FigureResult(data=None, draw=lambda _: None)  # type: ignore[arg-type]
    assert verdict_of(evidence_of(made, {}), empty, "x").absent == {"x": "Cannot download x"}
