"""What a figure needs and what is missing, for stores in every state."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from store_cases import Shelf

from datasets import DataError, DatasetSpec
from experiments.outcome import Outcome
from experiments.reproduction.cost import expected_seconds
from experiments.reproduction.made import Made
from experiments.reproduction.making import evidence_of, judged
from experiments.reproduction.plan import Options, Plan, Planner, overrides_of
from experiments.reproduction.spec import FigureError, FigureSpec, SeriesSpec
from solvers import SettingsError

pytestmark = pytest.mark.usefixtures("hydra_context")


def plan(store: Shelf, figure: FigureSpec, options: Options) -> Plan:
    return Planner(store).plan(figure, options)


def test_an_empty_store_lacks_every_run(store: Shelf, figure: FigureSpec, options: Options) -> None:
    made = plan(store, figure, options)
    assert made.state == "none"
    assert [(run.series, run.settings.seed) for run in made.missing] == [("sbp", 0), ("sbp", 1), ("sbp", 2), ("smo", 0)]
    assert len({run.key for run in made.missing}) == 4


def test_a_partial_store_lacks_the_rest(store: Shelf, figure: FigureSpec, options: Options) -> None:
    first, second = plan(store, figure, options).missing[:2]
    store.record(first)
    store.record(second)
    made = plan(store, figure, options)
    assert made.state == "partial"
    assert [(run.series, run.settings.seed) for run in made.missing] == [("sbp", 2), ("smo", 0)]
    panel = evidence_of(made, {}).panels[0]
    assert panel.seeds("sbp") == (0, 1)
    assert panel.missing == {"sbp": "of 3 runs 1 not made", "smo": "of 1 runs 1 not made"}


def test_a_full_store_lacks_nothing(store: Shelf, figure: FigureSpec, options: Options) -> None:
    for run in plan(store, figure, options).missing:
        store.record(run)
    made = plan(store, figure, options)
    assert made.state == "done"
    assert made.missing == []
    assert evidence_of(made, {}).panels[0].missing == {}


def test_a_smaller_scale_with_the_same_settings_shares_the_runs(
    store: Shelf, figure: FigureSpec, options: Options
) -> None:
    for run in plan(store, figure, options).missing:
        store.record(run)
    assert plan(store, figure, dataclasses.replace(options, scale="quick")).state == "done"
    assert plan(store, figure, dataclasses.replace(options, scale="demo")).state == "none"


def test_a_failed_run_is_missing_and_told(store: Shelf, figure: FigureSpec, options: Options) -> None:
    first, *others = plan(store, figure, options).missing
    for run in others:
        store.record(run)
    made = plan(store, figure, options)
    failed = {str(first.key): Outcome(first.settings.label(), "failed", "broken")}
    assert evidence_of(made, failed).panels[0].missing == {"sbp": "of 3 runs 1 failed"}


def test_runs_from_another_commit_are_used_and_named(store: Shelf, figure: FigureSpec, options: Options) -> None:
    for run in plan(store, figure, options).missing:
        store.record(run, commit="b" * 40)
    made = plan(store, figure, options)
    assert made.state == "done"
    empty: Any = Made(data=None, draw=lambda _: None)  # type: ignore[arg-type]
    assert judged(evidence_of(made, {}), empty, "x").run_commits == ("b" * 40,)


def test_one_seed_only(store: Shelf, figure: FigureSpec, options: Options) -> None:
    made = plan(store, figure, dataclasses.replace(options, scale="demo"))
    assert [(run.series, run.settings.seed) for run in made.missing] == [("sbp", 0), ("smo", 0)]
    assert made.missing[0].settings.budget.epochs == 0.1  # the scale's override wins over the series'


def test_a_series_is_made_on_its_own_data_sets_only(store: Shelf, figure: FigureSpec, options: Options) -> None:
    figure.series.append(SeriesSpec("pegasos", ["algo=pegasos"], datasets=["adult"]))
    assert "pegasos" not in plan(store, figure, options).panels[0].settings


def test_a_data_set_asked_for_by_name_stands_in(store: Shelf, figure: FigureSpec, options: Options) -> None:
    figure.datasets = ["adult"]
    made = plan(store, figure, dataclasses.replace(options, datasets=("synthetic",)))
    assert [panel.dataset for panel in made.panels] == ["synthetic"]
    assert "adult" in made.panels[0].stand_in
    assert evidence_of(made, {}).stand_ins == {"synthetic": made.panels[0].stand_in}


def test_the_paper_s_own_data_set_by_name_is_no_stand_in(store: Shelf, figure: FigureSpec, options: Options) -> None:
    made = plan(store, figure, dataclasses.replace(options, datasets=("synthetic",)))
    assert made.panels[0].stand_in == ""


def refuse(*names: str) -> Any:
    def fetch(spec: DatasetSpec) -> None:
        if spec.name in names:
            raise DataError(f"{spec.name} is nowhere")

    return fetch


def test_what_cannot_be_had_is_left_out_and_named(store: Shelf, figure: FigureSpec, options: Options) -> None:
    figure.datasets = ["synthetic", "digits"]
    figure.series = [SeriesSpec("sbp", ["algo=sbp"])]
    made = Planner(store, refuse("digits")).plan(figure, options)
    assert [panel.dataset for panel in made.panels] == ["synthetic"]
    assert made.absent == {"digits": "digits is nowhere"}


def test_a_stand_in_of_the_figure_s_takes_the_place(store: Shelf, figure: FigureSpec, options: Options) -> None:
    figure.datasets, figure.instead = ["digits"], {"digits": "synthetic"}
    made = Planner(store, refuse("digits")).plan(figure, options)
    assert [(panel.asked, panel.dataset) for panel in made.panels] == [("digits", "synthetic")]
    assert made.panels[0].stand_in
    assert made.absent == {"digits": "digits is nowhere"}


def test_files_are_not_asked_for_when_all_runs_are_there(store: Shelf, figure: FigureSpec, options: Options) -> None:
    for run in plan(store, figure, options).missing:
        store.record(run)
    assert Planner(store, refuse("synthetic")).plan(figure, options).state == "done"


def test_unknown_names(store: Shelf, figure: FigureSpec, options: Options) -> None:
    with pytest.raises(FigureError, match="did you mean paper"):
        plan(store, figure, dataclasses.replace(options, scale="papr"))
    with pytest.raises(FigureError, match="did you mean adult"):
        plan(store, figure, dataclasses.replace(options, datasets=("adlt",)))
    figure.series[0].overrides = ["algo=sbpp"]
    with pytest.raises(SettingsError, match="did you mean sbp"):
        plan(store, figure, options)


def test_later_overrides_win() -> None:
    series = SeriesSpec("sbp", ["algo=sbp", "budget.epochs=1"], by_dataset={"adult": ["budget.epochs=2"]})
    words = overrides_of(series, ["budget.epochs=3"], "adult", "adult", Options("paper"))
    assert words == ("dataset=adult", "algo=sbp", "budget.epochs=3")
    assert "budget.epochs=2" in overrides_of(series, [], "adult", "adult_sample", Options("paper"))
    assert "budget.epochs=1" in overrides_of(series, [], "mnist", "mnist", Options("paper"))


def test_expected_seconds_grow_with_the_runs_and_fall_with_the_jobs(
    store: Shelf, figure: FigureSpec, options: Options
) -> None:
    runs = plan(store, figure, options).missing
    runs = [run.settings for run in runs]
    assert expected_seconds([], 1) == 0.0
    assert 0 < expected_seconds(runs[:1], 1) < expected_seconds(runs, 1)
    assert expected_seconds(runs, 2) < expected_seconds(runs, 1)


def test_a_timed_figure_makes_one_run_at_a_time(store: Shelf, figure: FigureSpec, options: Options) -> None:
    figure.timed = True
    made = plan(store, figure, options)
    assert made.options.jobs == 1
    assert {run.settings.jobs for run in made.runs} == {1}


def test_a_verdict_does_not_tell_of_the_machine_s_folders(store: Shelf, figure: FigureSpec, options: Options) -> None:
    made = dataclasses.replace(plan(store, figure, options), absent={"x": "Cannot download x: no. Put it into /a/b."})
    empty: Any = Made(data=None, draw=lambda _: None)  # type: ignore[arg-type]
    assert judged(evidence_of(made, {}), empty, "x").absent == {"x": "Cannot download x"}
