"""Plans of figures for empty, partial and full stores."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from store_cases import TOY, FakeStore

from svm_cost_curves.datasets import DataError, DatasetSpec
from svm_cost_curves.experiments.configuration.choices import install_command
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.reproduction.build import evidence_of, verdict_of
from svm_cost_curves.experiments.reproduction.evidence import FigureResult
from svm_cost_curves.experiments.reproduction.figure_commands import announcement
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.plan import Plan, Planner
from svm_cost_curves.experiments.reproduction.series_spec import SeriesSpec
from svm_cost_curves.experiments.reproduction.spec import FigureError, FigureSpec, overrides_of, read_figure
from svm_cost_curves.solvers import SettingsError

SMO = SeriesSpec("smo", ["algo=smo", *TOY], seeds=1)
PlanNow = Callable[..., Plan]


@pytest.fixture
def plan(store: FakeStore, figure: FigureSpec, options: Options) -> PlanNow:
    """Plan the figure on the store with changed options, by a new planner."""
    return lambda **changes: Planner(store.find_all_finished).plan(figure, replace(options, **changes))


def missing(made: Plan) -> list[tuple[str, int]]:
    return [(run.series, run.settings.seed) for run in made.missing]


def test_a_data_set_may_have_another_number_of_runs(plan: PlanNow, figure: FigureSpec) -> None:
    figure.scales["paper"].seeds_on = {"synthetic": 5, "adult": 2}
    assert missing(plan()) == [*(("sbp", seed) for seed in range(5)), ("smo", 0)]
    assert len(missing(plan(scale="quick"))) == 3
    assert verdict_of(evidence_of(plan(), {}), FigureResult(None, lambda _: None), "x").seeds == 5  # type: ignore[arg-type]


def test_only_runs_that_are_not_in_the_store_are_missing(plan: PlanNow, store: FakeStore) -> None:
    first, second, third, smo = plan().missing
    assert missing(plan()) == [("sbp", 0), ("sbp", 1), ("sbp", 2), ("smo", 0)]
    assert len({run.key for run in plan().runs}) == 4
    store.record(first, commit="b" * 40)
    store.record(second)
    assert missing(plan()) == [("sbp", 2), ("smo", 0)]
    failed = {third.key: Outcome(third.settings.label(), "failed", "broken")}
    panel = evidence_of(plan(), failed).panels[0]
    assert panel.seeds("sbp") == (0, 1)
    assert panel.missing == {"sbp": "of 3 runs 1 failed", "smo": "of 1 run 1 not made"}
    store.record(third)
    store.record(smo)
    made = plan()
    assert missing(made) == []
    evidence = evidence_of(made, {})
    assert evidence.panels[0].missing == {}
    # runs of another commit are used and named, and no folder of this machine is
    absent = replace(evidence, absent={"x": "Cannot download x: no. Put it into /a/b."})
    verdict = verdict_of(absent, FigureResult(None, lambda _: None), "x")  # type: ignore[arg-type]
    assert "b" * 40 in verdict.run_commits
    assert verdict.absent == {"x": "Cannot download x"}
    # a smaller scale with the same settings shares the runs; its own overrides win over those of the series
    assert missing(plan(scale="quick")) == []
    assert missing(plan(scale="demo")) == [("sbp", 0), ("smo", 0)]
    assert plan(scale="demo").runs[0].settings.budget.epochs == 0.1


def swept(name: str = "sbp", **fields: Any) -> SeriesSpec:
    return SeriesSpec(name, [f"algo={name}", *TOY], grid={"problem.nu": [0.01, 1.0]}, **fields)


def test_a_grid_makes_a_series_of_each_value(plan: PlanNow, store: FakeStore, figure: FigureSpec) -> None:
    figure.series = [swept(), SMO]
    made = plan()
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
    for run in made.runs[:4]:
        store.record(run)
    panel = evidence_of(plan(), {}).panels[0]
    assert {name: panel.seeds(name) for name in panel.runs} == {"sbp nu=0.01": (0, 1, 2), "sbp nu=1": (0,), "smo": ()}
    assert panel.missing["sbp nu=1"] == "of 3 runs 2 not made"
    # the same settings written out are the same runs
    figure.series = [SeriesSpec("by hand", ["algo=sbp", *TOY, "problem.nu=0.01"])]
    assert missing(plan()) == []


def test_a_grid_of_two_settings_makes_a_series_of_each_combination(plan: PlanNow, figure: FigureSpec) -> None:
    evaluations: dict[str, list[float | None]] = {"digits": [5.0, 6.0, 7.0]}
    series = SeriesSpec(
        "sbp",
        ["algo=sbp", *TOY],
        label="SBP",
        grid={"problem.nu": [0.01, 1.0], "budget.epochs": [2.0, 3.0, 4.0]},
        paired_with={"budget.epochs": {"budget.evaluations": evaluations}},
    )
    figure.series = [series]
    settings = plan().panels[0].settings
    assert [(one.problem.nu, one.budget.epochs, one.budget.evaluations) for one in settings.values()] == [
        (nu, epochs, evaluations) for nu in (0.01, 1.0) for epochs, evaluations in ((2.0, 5), (3.0, 6), (4.0, 7))
    ]
    assert list(settings)[:2] == ["sbp nu=0.01 epochs=2", "sbp nu=0.01 epochs=3"]
    assert series.curves()[0].label == "SBP nu=0.01 epochs=2"
    assert [dict(values) for values, _ in figure.points("sbp")][1] == {"problem.nu": 0.01, "budget.epochs": 3.0}
    chosen = series.at({"budget.epochs": [3.0, 4.0]})
    assert [member.series for member in chosen.members()] == [
        member.series for member in series.members() if member.values["budget.epochs"] != 2.0
    ]


def test_members_keep_the_fields_of_their_series(plan: PlanNow, figure: FigureSpec) -> None:
    figure.datasets = ["synthetic", "digits"]
    figure.series = [swept(seeds=2, datasets=["digits"], by_dataset={"digits": ["dataset.max_train=50"]})]
    first, second = plan().panels
    assert first.runs == ()
    assert [run.series for run in second.runs] == ["sbp nu=0.01", "sbp nu=0.01", "sbp nu=1", "sbp nu=1"]
    assert {run.settings.dataset.max_train for run in second.runs} == {50}


def test_a_seed_can_also_draw_the_rows(plan: PlanNow, figure: FigureSpec) -> None:
    figure.datasets = ["digits"]
    figure.series = [SeriesSpec("sbp", ["algo=sbp", "dataset.max_train=50"], seeds=2)]
    same = plan()
    figure.split_by_seed = True
    other = plan()
    assert [run.settings.dataset.split_seed for run in other.runs] == [0, 1]
    assert same.runs[0].key == other.runs[0].key
    assert same.runs[1].key != other.runs[1].key


def test_a_panels_runs_are_looked_up_in_one_query_and_once(
    store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    figure.series = [swept(), SMO]
    planner = Planner(store.find_all_finished)
    made = planner.plan(figure, options)
    assert store.looked_up == [[run.key for run in made.runs]]
    for run in made.runs[:3]:
        store.record(run)
    again = [planner.plan(figure, options) for _ in range(2)]
    assert [run.recorded is not None for run in again[0].runs] == [True] * 3 + [False] * 4
    assert [len(keys) for keys in store.looked_up] == [7, 7, 4]


def test_settings_paired_with_a_grid_may_differ_between_data_sets(plan: PlanNow, figure: FigureSpec) -> None:
    figure.datasets = ["synthetic", "digits"]
    epochs: dict[str, list[float | None]] = {"digits": [2.0, 4.0], "adult": [8.0, None]}
    paired = {"problem.nu": {"budget.epochs": epochs}}
    figure.series = [swept(by_dataset={"digits": ["dataset.max_train=50"]}, paired_with=paired, seeds=1)]
    first, second = plan().panels
    # a data set that is not named has the values of the first
    assert [run.settings.budget.epochs for run in first.runs] == [2.0, 4.0]
    assert [run.settings.budget.epochs for run in second.runs] == [2.0, 4.0]
    assert {run.settings.dataset.max_train for run in second.runs} == {50}
    assert {run.settings.dataset.max_train for run in first.runs} == {None}
    (other,) = plan(datasets=("adult",)).panels
    assert [(run.series, run.settings.budget.epochs) for run in other.runs] == [("sbp nu=0.01", 8.0)]


def test_no_mini_batch_or_sample_is_larger_than_the_data(plan: PlanNow, figure: FigureSpec) -> None:
    algos = {"sdca": "minibatch_sdca", "sampled": "asset", "drawn": "asset_online"}
    figure.series = [
        SeriesSpec(name, [f"algo={algo}", "problem.C=1", *TOY], grid={f"algo.{setting}": [120.0, 121.0]})
        for (name, algo), setting in zip(algos.items(), ("batch_size", "features", "features"), strict=True)
    ]
    names = ["sdca batch_size=120", "sampled features=120", "drawn features=120", "drawn features=121"]
    assert list(plan().panels[0].settings) == names


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ("{problem.nu: []}", "grid.problem.nu"),
        ("{problem.nu: [0.1, .nan]}", "grid.problem.nu.1"),
        ("{problem.nu: [0.1, 0.2, 0.1]}", "differ"),
        ("{problem.nu: [low]}", "low"),
        ("[0.1]", "sbp_x.yaml"),
        (
            "{problem.nu: [0.1]}, paired_with: {problem.nu: {problem.C: {adult: [1.0, 2.0]}}}",
            "problem.C, paired with problem.nu, needs 1",
        ),
        ("{problem.nu: [0.1]}, paired_with: {problem.nu: {problem.C: {}}}", "problem.C, paired with problem.nu, needs"),
        ("{}, paired_with: {problem.nu: {problem.C: {adult: [1.0]}}}", "it does not have problem.nu"),
    ],
)
def test_a_malformed_grid_is_an_error_in_one_line(tmp_path: Path, grid: str, message: str) -> None:
    (tmp_path / "sbp_x.yaml").write_text(f"series: [{{name: sbp, grid: {grid}}}]", encoding="utf-8")
    with pytest.raises(FigureError, match=message) as caught:
        read_figure(str(tmp_path / "sbp_x.yaml"))
    assert "sbp_x.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_another_number_of_runs_on_an_unknown_data_set_is_refused(tmp_path: Path) -> None:
    text = "datasets: [adult]\nscales: {paper: {seeds: 2, seeds_on: {adlut: 5}}}"
    (tmp_path / "sbp_x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(FigureError, match=r"adlut.*adult"):
        read_figure(str(tmp_path / "sbp_x.yaml"))


def test_a_grid_is_read_from_a_file_and_whole_numbers_are_integers(tmp_path: Path) -> None:
    text = "series: [{name: pegasos, overrides: [algo=pegasos], grid: {problem.lambda_: [1e-5, 1.0]}}, {name: smo}]"
    (tmp_path / "sbp_x.yaml").write_text(text, encoding="utf-8")
    spec = read_figure(str(tmp_path / "sbp_x.yaml"))
    assert spec.members("pegasos") == {1e-5: "pegasos lambda=1e-05", 1.0: "pegasos lambda=1"}
    assert [(curve.name, curve.overrides) for curve in spec.curves] == [
        ("pegasos lambda=1e-05", ["algo=pegasos", "problem.lambda_=1e-05"]),
        ("pegasos lambda=1", ["algo=pegasos", "problem.lambda_=1"]),
        ("smo", []),
    ]


def test_another_data_set_on_the_command_line_is_a_stand_in(plan: PlanNow, figure: FigureSpec) -> None:
    assert plan(datasets=("synthetic",)).panels[0].stand_in == ""  # the figure's own
    figure.datasets = ["adult"]
    made = plan(datasets=("synthetic",))
    assert [panel.dataset for panel in made.panels] == ["synthetic"]
    assert "adult" in made.panels[0].stand_in
    assert evidence_of(made, {}).stand_ins == {"synthetic": made.panels[0].stand_in}
    figure.datasets, figure.series = [], []
    assert not plan(datasets=("synthetic",)).panels  # a figure without data sets has none


def test_data_sets_that_are_not_available_are_replaced_or_left_out_and_named(
    plan: PlanNow, store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    asked: list[str] = []

    def fetch(spec: DatasetSpec) -> None:
        asked.append(spec.name)
        if spec.name == "digits":
            raise DataError("digits is nowhere")

    figure.datasets = ["synthetic", "digits"]
    figure.series = [SeriesSpec(name, [f"algo={name}", "dataset.max_train=50"]) for name in ("sbp", "smo")]
    planner = Planner(store.find_all_finished, fetch)
    for _ in range(2):
        made = planner.plan(figure, options)
        assert [panel.dataset for panel in made.panels] == ["synthetic"]
        assert made.absent == {"digits": "digits is nowhere"}
    assert asked == ["synthetic", "digits"]  # once: another attempt may take minutes
    figure.datasets, figure.stand_ins = ["digits"], {"digits": "synthetic"}
    made = planner.plan(figure, options)
    assert [(panel.paper_dataset, panel.dataset) for panel in made.panels] == [("digits", "synthetic")]
    assert made.panels[0].stand_in
    assert made.absent == {"digits": "digits is nowhere"}
    figure.stand_ins = {}
    for run in plan().missing:
        store.record(run)
    assert missing(planner.plan(figure, options)) == []  # with all runs in the store no files are needed


def test_series_of_a_missing_engine_are_left_out(
    plan: PlanNow, figure: FigureSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    figure.series = [
        SeriesSpec("alone", ["algo=minibatch_sdca", *TOY]),
        SeriesSpec("together", ["algo=minibatch_sdca", *TOY, "engine=mpi"], grid={"ranks": [1.0, 2.0]}),
    ]
    made = plan()
    assert [list(panel.settings) for panel in made.panels] == [["alone"]]
    assert list(made.absent) == ["engine=mpi"]
    assert install_command("mpi") in made.absent["engine=mpi"]


def test_unknown_names(plan: PlanNow, figure: FigureSpec) -> None:
    with pytest.raises(FigureError, match="did you mean paper"):
        plan(scale="papr")
    with pytest.raises(FigureError, match="did you mean adult"):
        plan(datasets=("adlt",))
    figure.series[0].overrides = ["algo=sbpp"]
    with pytest.raises(SettingsError, match="did you mean sbp"):
        plan()


def test_later_overrides_win_and_a_stand_in_has_those_of_the_data_set_and_its_own() -> None:
    by_dataset = {"adult": ["problem.lambda_=1", "budget.epochs=2"], "digits": ["budget.epochs=3"]}
    series = SeriesSpec("sbp", ["algo=sbp", "budget.epochs=1"], by_dataset=by_dataset)
    words = ("algo=sbp", "budget.epochs=2", "problem.lambda_=1")
    assert overrides_of(series, [], "mnist", "mnist") == ("dataset=mnist", "algo=sbp", "budget.epochs=1")
    assert overrides_of(series, [], "adult", "ijcnn1") == ("dataset=ijcnn1", *words)
    assert overrides_of(series, [], "adult", "digits") == ("dataset=digits", words[0], "budget.epochs=3", words[2])
    assert "budget.epochs=4" in overrides_of(series, ["budget.epochs=4"], "adult", "digits")


def test_a_timed_figure_makes_one_run_at_a_time(plan: PlanNow, figure: FigureSpec) -> None:
    figure.timed = True
    made, together = plan(), plan(jobs=3, together=True)
    assert made.options.jobs == 1
    assert {run.settings.jobs for run in made.runs} == {1}
    assert together.options.jobs == 3
    assert [run.key for run in together.runs] == [run.key for run in made.runs]


def test_a_timed_figure_takes_no_run_that_was_made_beside_others(
    plan: PlanNow, store: FakeStore, figure: FigureSpec, options: Options
) -> None:
    for run in plan().runs:
        store.record(run, jobs=2 if run.settings.seed else 1)
    planner = Planner(store.find_all_finished, timed=True)
    assert missing(planner.plan(figure, options)) == []
    figure.timed = True
    timed = planner.plan(figure, options)
    assert [(run.settings.seed, run.untimed) for run in timed.runs if run.recorded is None] == [(1, True), (2, True)]
    assert {run.settings.timed for run in timed.runs} == {True}
    line = "  2 more have no times that can be compared: they are made again, alone"
    assert line in announcement(timed)
    served = (*options.overrides, "store.uri='http://host:1'")
    for others in ({"together": True}, {"scale": "quick"}, {"overrides": served}):
        assert missing(planner.plan(figure, replace(options, **others))) == []  # type: ignore[arg-type]
    for run in timed.missing:
        store.record(run)
    assert missing(planner.plan(figure, options)) == []
