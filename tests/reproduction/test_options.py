"""The command line of reproduce.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from svm_cost_curves.experiments.configuration.paper_style import PaperStyle
from svm_cost_curves.experiments.configuration.settings import available_cores
from svm_cost_curves.experiments.reproduction.options import figure_named, parse
from svm_cost_curves.experiments.reproduction.spec import FigureError, FigureSpec, OptionSpec, choose
from svm_cost_curves.solvers import SettingsError

KNOWN = {"sbp_fig1": "sbp", "sbp_fig2": "sbp", "sgd_revisited_fig1": "sgd_revisited"}


def test_everything() -> None:
    command = parse(
        ["figure=sbp_fig2", "scale=paper", "dataset=adult,mnist", "jobs=3", "store.root=s", "figures=f", "memory=2GiB"]
    )
    assert command.figure == "sbp_fig2"
    assert command.options.scale == "paper"
    assert command.options.datasets == ("adult", "mnist")
    assert command.options.jobs == 3
    assert command.options.overrides == ("memory=2GiB", "store.root=s")
    assert (str(command.store), str(command.figures), str(command.report)) == ("s", "f", "report")
    assert command.verb == ""
    assert not command.dry_run


@pytest.mark.parametrize("name", ["store", "store.root", "figures", "report"])
@pytest.mark.parametrize("address", ["postgresql://user:secret@host/db", "sqlite:///s/mlflow.db", "ftp://host/x"])
def test_a_server_address_is_not_a_folder(name: str, address: str) -> None:
    with pytest.raises((FigureError, SettingsError), match=f"{name} must be the path of a folder") as refused:
        parse(["figure=sbp", f"{name}={address}"])
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("words", "folder", "server"),
    [
        ([], "results", None),
        (["store=s"], "s", None),
        (["store=local"], "results", None),
        (["store=local", "store.root=s"], "s", None),
        (["store=http://host:5000"], "results", "http://host:5000"),
        (["store=https://host/mlflow", "store.root=s"], "s", "https://host/mlflow"),
        (["store=server", "store.uri=http://host:5000"], "results", "http://host:5000"),
        (["store=s", "store.uri=http://host:5000"], "s", "http://host:5000"),
    ],
)
def test_a_store_is_a_folder_a_server_or_run_pys_word(words: list[str], folder: str, server: str | None) -> None:
    command = parse(["figure=all", *words])
    assert (command.store, command.store_uri) == (Path(folder), server)
    own = [f"store.root={folder}", *([f"store.uri='{server}'"] if server else [])]
    assert command.options.overrides == tuple(own)


def test_defaults() -> None:
    command = parse(["figure=all", "--dry-run"])
    assert command.options.scale == "quick"
    assert command.options.jobs == available_cores()
    assert not command.options.together
    assert parse(["figure=sbp_fig2", "timed=together"]).options.together
    assert command.options.datasets == ()
    assert command.dry_run


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["scale=paper"], "no figure is named"),
        (["sbp_fig2"], "write figure=sbp_fig2"),
        (["publsh", "figure=x"], "did you mean publish"),
        (["figure=x", "scal=demo"], "did you mean scale"),
        (["figure=x", "scale=papr"], r"^scale: .*'demo', 'quick' or 'paper', got 'papr'; did you mean paper"),
        (["figure=x", "scale=demo,quick"], "only list takes several scales"),
        (["figure=x", "jobs=0"], "^jobs: .*, got '0'"),
        (["figure=x", "jobs=two"], "^jobs: .*integer.*, got 'two'"),
        (["figure=x", "timed=both"], "^timed: .*'alone' or 'together', got 'both'"),
        (["figure=x", "from=store"], "^from: .*'evidence', got 'store'"),
        (["figure=x", "uncommitted=yes"], "^uncommitted: .*'marked', got 'yes'"),
        (["figure=x", "launcher=slurm"], "^launcher: .*'local' or 'ray', got 'slurm'"),
        (["figure=x", "address=h:1"], "add launcher=ray"),
        (["figure=x", "publish"], "publish must be the first word"),
        (["check", "figure=x", "seed=-1"], "^seed: .*, got '-1'"),
        (["check", "figure=x", "from=evidence"], "from=evidence draws them"),
        (["list", "dataset=adult"], "with a scale only"),
        (["--list", "scale=demo,full"], "'demo', 'quick' or 'paper', got 'full'"),
        (["figure="], "has no value"),
        (["figure=x", "store=server"], "store=server needs the address"),
        (["figure=x", "store=a", "store.root=b"], "are two folders"),
        (["figure=x", "--dryrun"], "did you mean --dry-run"),
    ],
)
def test_errors_name_the_fault(words: list[str], message: str) -> None:
    with pytest.raises(FigureError, match=message):
        parse(words)


@given(st.text(st.characters(exclude_characters="\0/:", exclude_categories=["Cs"]), min_size=1, max_size=50))
@example("2024_11_24")
@example("on")
@example("1e3")
def test_a_folder_keeps_its_name(name: str) -> None:
    assert parse(["figure=x", f"figures={name}"]).figures == Path(name)


def test_verbs() -> None:
    assert parse(["list"]).verb == parse(["scale=demo", "--list"]).verb == "list"
    assert parse(["list", "scale=demo,quick"]).scale == ("demo", "quick")
    command = parse(["check", "figure=x", "runs=each", "again=a"])
    assert (command.verb, command.runs, command.seed, command.again) == ("check", None, 0, Path("a"))
    assert parse(["check", "figure=x"]).runs == 5
    assert [parse([*words, "figure=x"]).options.scale for words in (["check"], ["publish"], [])] == [
        "paper",
        "paper",
        "quick",
    ]
    assert parse(["figure=x", "from=evidence"]).options.scale == "paper"


def test_the_style_of_a_paper() -> None:
    assert parse(["figure=sbp"]).options.paper is None
    assert parse(["figure=sbp", "style=screen"]).options.paper is None
    assert parse(["figure=sbp", "style=paper"]).options.paper == PaperStyle(6.75, ("pdf", "png"))
    assert parse(["figure=sbp", "style=paper", "width=3.25", "format=svg,pdf,svg"]).options.paper == PaperStyle(
        3.25, ("svg", "pdf")
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["style=book"], "style must be one of screen, paper; got 'book'"),
        (["width=3"], "width=: only a picture for a paper has it: add style=paper"),
        (["style=screen", "width=3", "format=pdf"], "width= and format=: only a picture for a paper has them"),
        (["style=paper", "width=0.5"], "width must be a number of inches from 1 to 40, got '0.5'"),
        (["style=paper", "width=wide"], "width must be a number of inches from 1 to 40, got 'wide'"),
        (["style=paper", "width=nan"], "width must be a number of inches from 1 to 40, got 'nan'"),
        (["style=paper", "format=pdf,gif"], "format must be one of pdf, svg, png, pgf; got 'gif'"),
    ],
)
def test_wrong_styles(words: list[str], message: str) -> None:
    with pytest.raises((FigureError, SettingsError), match=re.escape(message)):
        parse(["figure=sbp", *words])


def test_pgf_without_latex_is_refused_before_anything_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svm_cost_curves.experiments.configuration.paper_style.latex", lambda: None)
    with pytest.raises(SettingsError, match="format=pgf needs LaTeX"):
        parse(["figure=sbp", "style=paper", "format=pgf"])


def test_the_options_of_a_figure() -> None:
    own = FigureSpec(id="mine", options={"size": OptionSpec("3", "how large")}, settings=["problem", "dataset"])
    words = ["figure=mine", "size=4", "dataset=adult", "dataset.max_train=9", "problem.C=1"]
    options = parse(words, [own, own]).options
    assert options.own == {"size": "4"}
    assert options.datasets == ("adult",)
    assert options.settings == ("dataset.max_train=9", "problem.C=1")
    assert parse(["figure=mine"], [own]).options.own == {}
    with pytest.raises(FigureError, match=r"did you mean size.*\? known: size, problem\.\*, dataset\.\*, figure"):
        parse(["figure=mine", "sizes=4"], [own])
    with pytest.raises(FigureError, match="unknown setting 'size=4'"):
        parse(["figure=mine,other", "size=4"], [own, FigureSpec(id="other")])
    with pytest.raises(FigureError, match=r"unknown setting 'budget\.epochs=1'"):
        parse(["figure=mine", "budget.epochs=1"], [own])


def test_the_figure_named_last_counts() -> None:
    assert figure_named(["figure=a", "scale=demo", "figure=b"]) == "b"
    assert figure_named(["--list"]) == ""


def test_choose() -> None:
    assert choose("sbp_fig2", KNOWN) == ("sbp_fig2",)
    assert choose("sbp", KNOWN) == ("sbp_fig1", "sbp_fig2")
    assert choose("all", KNOWN) == tuple(KNOWN)
    assert choose("sgd_revisited", KNOWN) == ("sgd_revisited_fig1",)
    assert choose("sgd_revisited_fig1,sbp,sbp_fig1", KNOWN) == ("sgd_revisited_fig1", "sbp_fig1", "sbp_fig2")
    assert choose("sbp_fig1,mine/x.yaml", KNOWN) == ("sbp_fig1", "mine/x.yaml")
    with pytest.raises(FigureError, match="stands alone"):
        choose("sbp_fig1,report", KNOWN)
    with pytest.raises(FigureError, match="did you mean sbp_fig2"):
        choose("sbp_fig22", KNOWN)
    # one of no paper goes by its own name, and is one of all
    assert choose("arena", {**KNOWN, "arena": ""}) == ("arena",)
    assert choose("all", {**KNOWN, "arena": ""})[-1] == "arena"
    with pytest.raises(FigureError, match=r"known: sbp, sgd_revisited, all, .*arena"):
        choose("", {**KNOWN, "arena": ""})
