"""The command line of reproduce.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from svm_cost_curves.experiments.configuration.choices import PaperStyle
from svm_cost_curves.experiments.configuration.settings import available_cores
from svm_cost_curves.experiments.reproduction.cli import completions, main
from svm_cost_curves.experiments.reproduction.options import figure_named, parse
from svm_cost_curves.experiments.reproduction.spec import FigureError, FigureSpec, OptionSpec, catalogue, choose
from svm_cost_curves.solvers import SettingsError


def test_everything_and_defaults() -> None:
    words = ["scale=paper", "dataset=adult,mnist", "jobs=3", "store.root=s", "figures=f", "memory=2GiB", "--dry-run"]
    command = parse(["figure=sbp_fig2", *words, "timed=together"])
    options = command.options
    assert (command.figure, command.verb, command.dry_run) == ("sbp_fig2", "", True)
    assert (str(command.store), str(command.figures), str(command.report)) == ("s", "f", "report")
    assert (options.scale, options.datasets, options.jobs, options.together) == ("paper", ("adult", "mnist"), 3, True)
    assert options.overrides == ("memory=2GiB", "store.root=s")
    command = parse(["figure=all"])
    options = command.options
    assert not command.dry_run
    assert (options.scale, options.datasets, options.jobs) == ("quick", (), available_cores())
    assert not options.together


def test_a_figure_with_a_name_that_no_file_can_have_is_unknown() -> None:
    with pytest.raises(FigureError, match=r"unknown figure 'a{200}\.\.\. \(3,000 characters\)'"):
        choose("a" * 3000)


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
    overrides = [f"store.root={folder}", *([f"store.uri='{server}'"] if server else [])]
    assert command.options.overrides == tuple(overrides)


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
        (["figure=x", "runs=3"], "unknown setting 'runs=3'"),
        (["check", "figure=x", "runs=0"], "runs must be a whole number >= 1 or 'each', got '0'"),
        (["check", "figure=x", "seed=-1"], "^seed: .*, got '-1'"),
        (["check", "figure=x", "from=evidence"], "from=evidence draws them"),
        (["list", "dataset=adult"], "with a scale only"),
        (["--list", "scale=demo,full"], "'demo', 'quick' or 'paper', got 'full'"),
        (["figure="], "has no value"),
        (["figure=x", "store=server"], "store=server needs the address"),
        (["figure=x", "store=a", "store.root=b"], "are two folders"),
        (["figure=x", "--dryrun"], "did you mean --dry-run"),
        (["figure=x", "style=book"], "style must be one of screen, paper; got 'book'"),
        (["figure=x", "style=screen", "width=3", "format=pdf"], "only a picture for a paper has them: add style=paper"),
        (["figure=x", "style=paper", "width=nan"], "width must be a number of inches from 1 to 40, got 'nan'"),
        (["figure=x", "style=paper", "format=pdf,gif"], "format must be one of pdf, svg, png, pgf; got 'gif'"),
    ],
)
def test_errors_name_the_fault(words: list[str], message: str) -> None:
    with pytest.raises((FigureError, SettingsError), match=message):
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
    for words, scale in ((["check"], "paper"), (["publish"], "paper"), (["from=evidence"], "paper"), ([], "quick")):
        assert parse([*words, "figure=x"]).options.scale == scale


def test_the_style_of_a_paper() -> None:
    for words, style in (
        ([], None),
        (["style=screen"], None),
        (["style=paper"], PaperStyle(6.75, ("pdf", "png"))),
        (["style=paper", "width=3.25", "format=svg,pdf,svg"], PaperStyle(3.25, ("svg", "pdf"))),
    ):
        assert parse(["figure=sbp", *words]).options.paper == style


def test_pgf_without_latex_is_refused_before_anything_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svm_cost_curves.experiments.configuration.choices.latex", lambda: None)
    with pytest.raises(SettingsError, match="format=pgf needs LaTeX"):
        parse(["figure=sbp", "style=paper", "format=pgf"])


def test_the_options_of_a_figure() -> None:
    spec = FigureSpec(id="mine", options={"size": OptionSpec("3", "how large")}, settings=["problem", "dataset"])
    words = ["figure=mine", "size=4", "dataset=adult", "dataset.max_train=9", "problem.C=1"]
    options = parse(words, [spec, spec]).options
    assert options.figure_options == {"size": "4"}
    assert options.datasets == ("adult",)
    assert options.settings == ("dataset.max_train=9", "problem.C=1")
    assert parse(["figure=mine"], [spec]).options.figure_options == {}
    with pytest.raises(FigureError, match=r"did you mean size.*\? known: size, problem\.\*, dataset\.\*, figure"):
        parse(["figure=mine", "sizes=4"], [spec])
    with pytest.raises(FigureError, match="unknown setting 'size=4'"):
        parse(["figure=mine,other", "size=4"], [spec, FigureSpec(id="other")])
    with pytest.raises(FigureError, match=r"unknown setting 'budget\.epochs=1'"):
        parse(["figure=mine", "budget.epochs=1"], [spec])


def test_figures_are_named_by_id_paper_all_or_file() -> None:
    known = catalogue()
    sbp = tuple(name for name, paper in known.items() if paper == "sbp")
    assert choose("sbp_fig2") == ("sbp_fig2",)
    assert choose("sbp") == sbp
    assert choose("all") == tuple(known)
    assert choose("simba_fig1,sbp,sbp_fig1") == ("simba_fig1", *sbp)
    assert choose("sbp_fig1,mine/x.yaml") == ("sbp_fig1", "mine/x.yaml")
    assert choose("arena") == ("arena",)  # of no paper
    for name, message in (
        ("sbp_fig1,report", "stands alone"),
        ("sbp_fig22", "did you mean sbp_fig2"),
        ("", "known: .*sbp, .*all, "),
    ):
        with pytest.raises(FigureError, match=message):
            choose(name)
    assert figure_named(["figure=a", "scale=demo", "figure=b"]) == "b"
    assert figure_named(["--list"]) == ""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("figure=sbp_fig", [f"figure=sbp_fig{k}" for k in range(1, 5)]),
        ("figure=sbp_fig2,sbp_fig3 scale=", ["scale=demo", "scale=quick", "scale=paper"]),
        ("dataset=adult,as", ["dataset=adult,astro_ph"]),
        ("sc", ["scale="]),
        ("style=p", ["style=paper"]),
        ("--dry", ["--dry-run"]),
        ("jobs=", []),
    ],
)
def test_the_last_word_is_completed(line: str, words: list[str]) -> None:
    assert completions(f"python3 reproduce.py {line}") == words


def test_an_empty_word_offers_all_settings() -> None:
    assert {"figure=", "scale=", "style=", "publish", "--help"} <= set(completions("python3 reproduce.py "))


def test_the_shell_asks_as_it_asks_hydra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COMP_LINE", "python3 reproduce.py figure=rep and more")
    monkeypatch.setenv("COMP_POINT", "30")
    assert main(["-sc", "query=bash"]) == 0
    assert capsys.readouterr().out == "figure=report\n"
    assert main(["-sc", "install=bash"]) == 2
    assert re.search(r'eval "\$\(python3 run.py -sc install=bash\)"', capsys.readouterr().err)
