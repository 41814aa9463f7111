"""Command lines of the documents are understood: composed, and resolved job by job; random ones end as they should."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from random_commands import command_lines as random_lines
from test_contributing import ROOT, SOLVER, example
from waiting import PATIENCE

from svm_cost_curves.experiments.command_line.words import jobs_of, register, translated
from svm_cost_curves.experiments.configuration.choices import CONF
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.reproduction import options
from svm_cost_curves.experiments.reproduction.cli import _named
from svm_cost_curves.experiments.reproduction.options import resolve_options
from svm_cost_curves.experiments.reproduction.spec import choose, read_figure

DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PLACEHOLDERS = {
    "HOST": "127.0.0.1",
    "NAME": "main",
    "ID": "sbp_fig2",
    "range(10)": "range(2)",
    "range(100)": "range(2)",
}
OF_CONTRIBUTING = ("dataset=heart", "dataset=flowers", "figure=mine_draws", "margin_perceptron", "adatron")
"""Examples whose files CONTRIBUTING.md prints: `test_contributing` writes the files, and runs them."""


class Command(NamedTuple):
    document: str
    line: str

    @property
    def words(self) -> list[str]:
        """Words after ``run.py`` or ``reproduce.py``, with placeholders replaced."""
        line = self.line
        for name, value in PLACEHOLDERS.items():
            line = re.sub(rf"(?<![A-Za-z_]){re.escape(name)}(?![A-Za-z_])", value, line)
        words = shlex.split(line, comments=True)
        if words[0] == "make":  # make run ARGS="..."
            return shlex.split(words[2].removeprefix("ARGS="))
        return words[next(i for i, word in enumerate(words) if word.endswith(".py") and "=" not in word) + 1 :]


def command_lines(block: str) -> list[str]:
    """Lines of a block of code; one that ends with a backslash is joined with the next."""
    return block.replace("\\\n", " ").splitlines()


def commands(program: str) -> list[Command]:
    documented = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        fenced = re.findall(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        lines = [line for block in fenced for line in command_lines(block)]
        inline = re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
        if program == "run.py":
            lines = [re.sub(r'^make run ARGS="(.*)"$', r"python3 run.py \1", line) for line in lines]
            inline = [re.sub(r'^make run ARGS="(.*)"$', r"python3 run.py \1", line) for line in inline]
        pattern = rf"^(\w+=\S+ |mpirun .*)*python3? {re.escape(program)} (?!\.\.\.)"
        if program == "run.py":
            pattern += r'|^make run ARGS="\w'
        documented += [
            Command(str(path.relative_to(ROOT)), " ".join(line.split()))
            for line in [*lines, *inline]
            if re.match(pattern, line)
        ]
    return list(dict.fromkeys(documented))


RUN = [command for command in commands("run.py") if not any(name in command.line for name in OF_CONTRIBUTING)]
REPRODUCE = [
    command for command in commands("reproduce.py") if not any(name in command.line for name in OF_CONTRIBUTING)
]


@pytest.fixture
def mine(tmp_path: Path, own_solvers: Callable[[Path], None]) -> None:
    """A user's solver `mine`: the one that CONTRIBUTING.md prints, under another name."""
    path = tmp_path / "mine.py"
    path.write_text(example(SOLVER).replace('name = "margin_perceptron"', 'name = "mine"'), encoding="utf-8")
    own_solvers(path)


def settings_of_jobs(words: list[str]) -> list[RunSettings]:
    """Settings of each job of a command, composed as ``run.py`` does."""
    arguments = [word for word in translated(words) if not word.startswith("-")]
    if not {"-m", "--multirun"} & set(words):
        return [settings_of(arguments)]
    hydra_words = [word for word in arguments if word.startswith("hydra")]
    register()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        hydra_compose("config", hydra_words, return_hydra_config=True)
    return [settings_of(job, jobs=2) for job in jobs_of([word for word in arguments if word not in hydra_words])]


def test_no_command_is_overlooked() -> None:
    known = {command.line for program in ("run.py", "reproduce.py") for command in commands(program)}
    for path in DOCUMENTS:
        for block in re.findall(r"^```sh\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            lines = [" ".join(line.split()) for line in command_lines(block)]
            assert {line for line in lines if re.search(r"(run|reproduce)\.py (?!-sc )", line)} <= known, path.name
    assert len(RUN) > 30
    assert len(REPRODUCE) > 30
    assert {command.document for command in RUN} >= {"README.md", "docs/clusters.md", "docs/datasets.md", "docs/nu.md"}


@pytest.mark.parametrize("command", [command for command in RUN if "help" not in command.line], ids=" ".join)
def test_a_command_of_run_is_understood(command: Command) -> None:
    jobs = settings_of_jobs(command.words)
    named = re.search(r"algo=([\w,]+)", command.line)
    assert named is not None or "+experiment=" in command.line
    if named is not None:
        assert {job.algo for job in jobs} == set(named[1].split(","))


@pytest.mark.usefixtures("mine")
@pytest.mark.parametrize("command", REPRODUCE, ids=" ".join)
def test_a_command_of_reproduce_is_understood(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for check in ("check_launcher", "check_address"):  # there is no cluster at the placeholder's address
        monkeypatch.setattr(options, check, lambda *_: None)
    parsed = options.parse(command.words, _named(command.words))
    assert parsed.verb == "list" or parsed.figure
    if parsed.figure not in ("", "report"):
        for name in choose(parsed.figure):
            assert resolve_options(read_figure(name), parsed.options).series


SMALL = [
    command
    for command in RUN
    if re.search(r"dataset=(adult|digits)( |$)", command.line)
    and not re.search(r"seed=|launcher=|store=|engine=", command.line)
]


@pytest.mark.slow
@pytest.mark.parametrize("command", SMALL, ids=" ".join)
def test_a_command_on_bundled_data_runs(command: Command, tmp_path: Path) -> None:
    words = [sys.executable, str(ROOT / "run.py"), *command.words, f"store.root={tmp_path / 'results'}"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


READY = (ROOT / ".venv" / ".ready-core").exists()


def typed() -> set[str]:
    """The programs that the documents show, as they are typed: what comes before the first setting or verb."""
    calls: set[str] = set()
    for path in DOCUMENTS:
        if path == ROOT / "docs" / "elsewhere.md" or "results" in path.parts:  # a protocol; written by reproduce.py
            continue
        text = path.read_text(encoding="utf-8")
        fenced = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        lines = [line for block in fenced for line in command_lines(block)]
        lines += re.findall(r"`([^`\n]+)`", text)
        for line in lines:
            calls |= set(re.findall(r"(?:^|(?<=[\s(]))[\w./]*(?:python3? [\w/]+\.py|svm-(?:store|predict))(?= )", line))
    return calls


def in_an_empty_shell(line: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Type a line into a shell that has no environment active, nor any variable."""
    words = ["env", "-i", f"PATH={os.defpath}", "sh", "-c", line]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.skipif(not READY or not shutil.which("python3", path=os.defpath), reason="not the environment of make")
def test_every_program_starts_as_the_documents_type_it_in_an_empty_shell() -> None:
    programs = {line for line in typed() if "/" not in line or "svm-" in line}  # other scripts have no --help
    assert programs >= {"python3 run.py", "python3 reproduce.py", ".venv/bin/svm-store", ".venv/bin/svm-predict"}
    for program in sorted(programs):
        done = in_an_empty_shell(f"{program} --help")
        assert (done.returncode, done.stderr) == (0, ""), program


def test_without_the_environment_a_sentence_says_what_to_type(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    for name in ("run.py", "reproduce.py", "requirements/environment.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    for script in ("run.py", "reproduce.py"):
        done = in_an_empty_shell(f"{sys.executable} -S {script} algo=sbp", tmp_path)
        said = f"error: the program is not built yet: type `make environment` in {tmp_path} (some minutes)\n"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(r"^environment: \$\(CORE_READY\)", targets, re.MULTILINE)


def test_the_scripts_continue_in_the_environment_with_the_same_words(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    for name in ("run.py", "requirements/environment.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    python = tmp_path / ".venv" / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nprintf '%s|' \"$@\"\nexit 7\n")
    python.chmod(0o755)
    (tmp_path / ".venv" / ".ready-core").touch()
    done = in_an_empty_shell(f"{sys.executable} -S run.py -m 'seed=range(3)' 'model=a b.npz'", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (7, "run.py|-m|seed=range(3)|model=a b.npz|", "")


def test_the_commands_of_a_seed_are_the_same_for_every_count() -> None:
    few, many = list(random_lines(3, 20)), list(random_lines(3, 60))
    assert many[:20] == few
    assert len({tuple(words) for words in many}) == 60


@pytest.mark.slow
def test_random_commands_end_with_status_0_or_2() -> None:
    words = [sys.executable, str(Path("tests") / "random_commands.py"), "30", "--seed", "1"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert sum(int(line.split()[0]) for line in done.stdout.splitlines() if line.endswith("as it should")) == 30
