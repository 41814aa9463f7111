"""Options and series of the arena: the same problem and budget for all solvers."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_cases import FakeStore

from svm_cost_curves import solvers
from svm_cost_curves.experiments.arena.options import COSTS, Entrant, Targets, read_costs, read_entrants, read_targets
from svm_cost_curves.experiments.reproduction.figure_commands import announcement
from svm_cost_curves.experiments.reproduction.options import parse
from svm_cost_curves.experiments.reproduction.plan import Plan, Planner
from svm_cost_curves.experiments.reproduction.spec import FigureError, known_data_sets, read_figure
from svm_cost_curves.solvers import SettingsError


def plan(tmp_path: Path, *words: str) -> Plan:
    spec = read_figure("arena")
    options = parse(["figure=arena", "jobs=2", *words], [spec]).options
    return Planner(FakeStore().find_all_finished).plan(spec, options)


def test_the_default_arena(tmp_path: Path) -> None:
    made = plan(tmp_path, "scale=demo")
    assert made.spec.id == "arena"
    (panel,) = made.panels
    assert panel.dataset == "digits"
    assert panel.stand_in == ""
    assert list(panel.settings) == ["sbp", "pegasos", "sdca", "smo", "lasvm", "optimum"]
    assert len(panel.runs) == 5 * 3 + 1
    assert not panel.left_out


def test_all_have_one_problem_and_one_budget(tmp_path: Path) -> None:
    # asset has a preset of its own on adult, with another width and another C
    made = plan(tmp_path, "dataset=adult,ijcnn1", "algos=sbp,pegasos,asset,fourier", "scale=quick")
    for panel in made.panels:
        runs = list(panel.settings.values())
        assert len({(repr(run.kernel), run.problem.lambda_, run.problem.C, run.problem.bias) for run in runs}) == 1
        # a printed nu belongs to another lambda, as docs/nu.md tells: here it always follows from lambda
        assert {run.problem.nu for run in runs} == {None}
        entrants = [run for name, run in panel.settings.items() if name != "optimum"]
        counted = {run.algo: run.budget.limit.kernel_evaluations for run in entrants}
        assert counted == dict.fromkeys(["sbp", "pegasos", "asset"], 20 * 8000**2) | {"fourier": None}  # it counts none
        assert {run.budget.epochs for run in entrants} == {200}
    kernel = made.panels[0].settings["asset"].kernel
    assert kernel.sigma2 == 10.0


def test_a_solver_for_other_problems_is_left_out_with_the_reason(tmp_path: Path) -> None:
    (panel,) = plan(tmp_path, "dataset=adult", "algos=sbp,dcd,libsvm").panels
    assert set(panel.settings) == {"sbp", "optimum"}
    assert panel.left_out["dcd"] == "works with kernel=linear only, got kernel=gaussian"
    assert "with a bias only" in panel.left_out["libsvm"]


def test_all_solvers_take_part_or_are_left_out(tmp_path: Path) -> None:
    (panel,) = plan(tmp_path, "dataset=adult", "algos=all", "kernel=linear").panels
    assert panel.settings["optimum"].algo == "dcd"
    assert {"dcd", "simba", "sgd_m", "smo", "liblinear"} <= set(panel.settings)
    assert panel.settings["liblinear"].budget.limit.iterations == 200
    assert {"fourier", "libsvm", "asset_online"} <= set(panel.left_out)


def test_with_bias_another_solver_computes_the_optimum(tmp_path: Path) -> None:
    (panel,) = plan(tmp_path, "algos=sbp,pegasos", "kernel=linear", "problem.bias=true").panels
    assert list(panel.settings) == ["sbp", "optimum"]
    assert panel.settings["optimum"].algo == "smo"


def test_an_arena_without_solvers_is_an_error(tmp_path: Path) -> None:
    for target in ("gap", "best"):
        with pytest.raises(FigureError, match="nothing is left to compare on adult: works with kernel=linear only"):
            plan(tmp_path, "dataset=adult", "algos=dcd", f"target={target}")
    with pytest.raises(SettingsError, match=r"kernel\.sigma2 must be a positive number"):
        plan(tmp_path, "kernel.sigma2=-1")


def test_the_command_line_changes_the_problem_for_all(tmp_path: Path) -> None:
    words = ["problem.C=3", "kernel.sigma2=7", "budget.epochs=2", "dataset.max_train=500"]
    (panel,) = plan(tmp_path, "algos=sbp,sdca", *words).panels
    for name, run in panel.settings.items():
        assert run.problem.C == 3
        assert run.kernel.sigma2 == 7
        assert run.dataset.max_train == 500
        # the optimum is no entrant: it is to be found, whatever that takes
        assert run.budget.epochs == (1e5 if name == "optimum" else 2)
        assert run.budget.limit.kernel_evaluations is None


def test_a_solver_may_take_part_twice(tmp_path: Path) -> None:
    (panel,) = plan(tmp_path, "algos=sdca,sdca:accounting=kept", "target=best").panels
    assert list(panel.settings) == ["sdca", "sdca accounting=kept"]
    # a value is not looked at before the settings are put together
    (panel,) = plan(tmp_path, "algos=sdca,sdca:accounting=keept").panels
    assert "algo.accounting" in panel.left_out["sdca accounting=keept"]


def test_different_arenas_have_different_folders(tmp_path: Path) -> None:
    commands = [
        [],
        ["algos=sbp,smo"],
        ["cost=iterations"],
        ["target=best"],
        ["dataset=adult"],
        ["dataset=ijcnn1"],
        ["problem.C=2"],
        ["passes=3"],
    ]
    ids = [plan(tmp_path, *words).spec.id for words in commands]
    assert len(set(ids)) == len(ids)
    assert ids[0] == "arena"
    assert all(name.startswith("arena_") for name in ids[1:])
    assert plan(tmp_path, "algos=sbp,smo").spec.id == ids[1]


def test_timed_arenas_make_one_run_at_a_time(tmp_path: Path) -> None:
    assert plan(tmp_path, "cost=cpu_seconds").options.jobs == 1
    assert plan(tmp_path, "cost=iterations").options.jobs == 2


@pytest.mark.parametrize(
    ("words", "rows"),
    [(["cost=cpu_seconds"], "cache"), (["cost=cpu_seconds", "kernel=linear"], "auto"), (["cost=iterations"], "auto")],
)
def test_timed_runs_compute_their_kernel_rows(tmp_path: Path, words: list[str], rows: str) -> None:
    """A Gram matrix is made before a run, so the times of methods that read it would lack the kernel values."""
    (panel,) = plan(tmp_path, "algos=sbp,smo", "dataset=adult", *words).panels
    assert {run.rows for run in panel.settings.values()} == {rows}


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("alogs=sbp", "did you mean algos"),
        ("passes=0", "passes must be a whole number"),
        ("seed=3", r"known: .*algos.*problem\.\*"),
        ("dataset=adlt", "did you mean adult"),
        ("problem.CC=1", "unknown setting 'problem.CC'"),
    ],
)
def test_errors_name_the_fault(tmp_path: Path, word: str, message: str) -> None:
    with pytest.raises((FigureError, SettingsError), match=message):
        plan(tmp_path, word)


def test_other_figures_refuse_its_options() -> None:
    with pytest.raises(FigureError, match="unknown setting 'algos=sbp'"):
        parse(["figure=sbp_fig2", "algos=sbp"], [read_figure("sbp_fig2")])
    with pytest.raises(FigureError, match=r"unknown setting 'problem.C=1'"):
        parse(["figure=sbp_fig2", "problem.C=1"], [read_figure("sbp_fig2")])


def test_own_data_of_a_file_and_of_a_folder_of_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = tmp_path / "points.csv"
    points.write_text("".join(f"{row},{row % 3},{1 - row % 2 * 2}\n" for row in range(40)))
    (tmp_path / "dataset").mkdir()
    (tmp_path / "dataset" / "mine.yaml").write_text(f"kind: file\ntrain: {points}\n")
    monkeypatch.setenv("SVM_CONFIG_DIR", str(tmp_path))
    known_data_sets.cache_clear()
    try:
        made = plan(tmp_path, f"dataset=file:{points},mine", "algos=sbp", "target=error:0.3")
    finally:
        known_data_sets.cache_clear()
    assert [panel.settings["sbp"].dataset.train for panel in made.panels] == [str(points)] * 2
    assert made.panels[0].dataset == "points"
    assert "/" not in made.spec.id


def test_before_the_first_run_its_number_is_said_and_no_time(tmp_path: Path) -> None:
    made = plan(tmp_path, "scale=demo", "algos=sbp", "target=error:0.3")
    line = announcement(made)[-1]
    assert line.startswith(f"  {len(made.runs)} to make, ")
    assert not re.search(r"\d (ms|s|min|h)\b", line)


def test_entrants() -> None:
    assert read_entrants("sbp,sdca") == (Entrant("sbp"), Entrant("sdca"))
    assert read_entrants("[sbp, sdca]") == read_entrants("sbp,sdca")
    (kept,) = read_entrants("sdca:accounting=kept")
    assert kept.name == "sdca accounting=kept"
    assert kept.overrides == ["algo=sdca", "algo.accounting=kept"]
    assert [entrant.algo for entrant in read_entrants("all")] == solvers.names()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sbp,sdka", "unknown algorithm 'sdka'.*did you mean sdca"),
        ("sbp,", "unknown algorithm ''"),
        ("sbp,sdca,sbp", "names sbp twice"),
        ("sdca:accounting", "is written sdca:name=value"),
        ("sdca:acounting=kept", "unknown setting 'acounting' of sdca in algos=; .*did you mean accounting"),
        ("perceptron:x=1", "unknown setting 'x' of perceptron in algos=; it has no settings$"),
    ],
)
def test_wrong_entrants(text: str, message: str) -> None:
    with pytest.raises(FigureError, match=message):
        read_entrants(text)


def test_targets() -> None:
    assert read_targets("gap") == Targets("gap", (0.1, 0.01, 0.001))
    assert read_targets("gap:0.01,0.1,0.1") == Targets("gap", (0.1, 0.01))
    assert read_targets("error:0.155").text(0.155) == "error 15.5 %"
    assert read_targets("best:0.02").text(0.02) == "best + 2 %"
    assert read_targets("gap").measure == "primal"
    assert read_targets("best").measure == "test_error"
    assert read_targets("gap:0.1", "first") == Targets("gap", (0.1,), stays=False)
    with pytest.raises(FigureError, match="reach is stays or first, got 'firts'; did you mean first"):
        read_targets("gap", "firts")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gapp", "did you mean gap"),
        ("0.01", "gap:E, error:E or best:E"),
        ("error", "needs a number: target=error:0.15"),
        ("error:15", "a fraction between 0 and 1, got '15'"),
        ("gap:0", "a number > 0, got '0'"),
        ("gap:", "a number > 0, got ''"),
        ("gap:nan", "a number > 0"),
        ("gap:inf", "a number > 0"),
    ],
)
def test_wrong_targets(text: str, message: str) -> None:
    with pytest.raises(FigureError, match=message):
        read_targets(text)


@given(st.text(max_size=12))
def test_any_target_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(FigureError):
        levels = read_targets(text).levels
        assert levels == tuple(sorted(set(levels), reverse=True))
        assert all(level > 0 for level in levels)


def test_costs() -> None:
    assert read_costs("all") == COSTS
    assert read_costs("auto") == ()
    assert read_costs("[iterations,cpu_seconds]") == ("iterations", "cpu_seconds")
    with pytest.raises(FigureError, match="did you mean kernel_evaluations"):
        read_costs("kernel_evals")
