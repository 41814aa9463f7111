"""A missing need of a launcher is named in one line, before anything runs."""

from __future__ import annotations

import importlib.util
import logging
import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hydra import compose, initialize_config_dir
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.experiments.command_line.words import register
from svm_cost_curves.experiments.configuration.choices import CONF, install_command
from svm_cost_curves.experiments.launchers import checks as choice
from svm_cost_curves.experiments.launchers.checks import check_address, check_launcher
from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.reproduction.options import parse
from svm_cost_curves.experiments.reproduction.spec import FigureError
from svm_cost_curves.solvers import SettingsError

TOY = ["dataset=synthetic", "dataset.n=120", "dataset.d=4"]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the extras."""
    real = importlib.util.find_spec

    def find_spec(name: str, *rest: Any) -> Any:
        return None if name.startswith(("ray", "hydra_plugins.hydra_ray", "hydra_plugins.hydra_sub")) else real(name)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


@pytest.fixture
def nobody() -> str:
    """An address of this machine at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture
def sweep(run_py: Callable[..., tuple[int, str, str]], tmp_path: Path) -> Any:
    """Return what a sweep writes to standard error; it is refused before it begins."""

    def refused(*words: str) -> str:
        status, out, err = run_py("-m", *TOY, *words, f"store.root={tmp_path / 'results'}")
        assert (status, out) == (2, "")
        return err

    yield refused
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("launcher", "extra"), [("ray", "ray"), ("submitit_slurm", "slurm"), ("submitit_local", "slurm")]
)
@pytest.mark.usefixtures("bare")
def test_a_launcher_that_is_not_installed(launcher: str, extra: str, sweep: Any) -> None:
    said = f"error: hydra/launcher={launcher} is not installed: {install_command(extra)}\n"
    assert sweep(f"hydra/launcher={launcher}") == said
    with pytest.raises(SettingsError, match=f"^launcher=ray is not installed: {re.escape(install_command('ray'))}$"):
        parse(["figure=sbp", "launcher=ray"])


def test_the_advice_to_install_something_is_for_the_environment_that_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of make has no pip; in another there may be no make."""
    targets = (PROJECT_ROOT / "Makefile").read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "prefix", str(PROJECT_ROOT / ".venv"))
    assert install_command("ray") == "make extras"
    assert re.search(r"^extras:.*\$\(DEV_READY\).*\$\(SWEEP_READY\)", targets, re.MULTILINE)  # mpi, server; ray, slurm
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert install_command("ray") == "pip install '.[ray]'"


def test_slurm_that_is_not_here(sweep: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_installed", lambda _: True)
    monkeypatch.setattr(choice.shutil, "which", lambda _: None)
    assert "there is no sbatch here" in sweep("hydra/launcher=submitit_slurm")


@pytest.mark.parametrize("how", ["override", "environment"])
def test_a_cluster_that_does_not_answer(how: str, nobody: str, sweep: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_installed", lambda _: True)
    words = [f"hydra.launcher.ray.init.address={nobody}"] if how == "override" else []
    if how == "environment":
        monkeypatch.setenv("RAY_ADDRESS", nobody)
    said = f"error: the Ray cluster {nobody} does not answer: Connection refused\n"
    assert sweep("hydra/launcher=ray", *words) == said
    with pytest.raises(SettingsError, match="does not answer"):
        parse(["figure=sbp", "launcher=ray", *([f"address={nobody}"] if words else [])])


@given(
    st.text(max_size=20).filter(lambda text: not text.rpartition(":")[2].isdecimal() and text != "auto")
    | st.sampled_from(["host:", ":1", "host:0", "host:70000", "ray://host:10001", "a/b:1", "host:²"])
)
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(SettingsError, match="HOST:PORT or auto"):
        check_address(address)


def test_what_needs_no_question() -> None:
    check_address("auto")
    check_launcher("local", "hydra/launcher=local")


def test_the_words_of_reproduce(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(choice, "_installed", lambda _: True)
    command = parse(["figure=sbp"])
    assert (command.launcher, command.address, command.jobs) == ("local", None, None)
    command = parse(["figure=sbp", "launcher=ray", "jobs=3"])
    assert (command.launcher, command.address, command.jobs) == ("ray", None, 3)
    assert parse(["figure=sbp", "launcher=ray", "address=auto"]).address == "auto"
    monkeypatch.setenv("RAY_ADDRESS", "auto")
    assert parse(["figure=sbp", "launcher=ray"]).address == "auto"
    assert parse(["figure=sbp"]).address is None
    with pytest.raises(FigureError, match="add launcher=ray"):
        parse(["figure=sbp", "address=auto"])
    with pytest.raises(FigureError, match=r"^launcher: .*'local' or 'ray'"):
        parse(["figure=sbp", "launcher=slurm"])


@pytest.mark.parametrize("path", sorted((CONF / "hydra" / "launcher").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_launcher_composes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "head:6379")
    register()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("config", [f"hydra/launcher={path.stem}"], return_hydra_config=True)
    launcher = config.hydra.launcher
    assert config.hydra.runtime.choices["hydra/launcher"] == path.stem
    if path.stem == "ray":
        assert launcher.ray.init.address == "head:6379"
    elif path.stem == "local":
        assert launcher.n_jobs == -1
    elif path.stem != "here":
        assert (launcher.cpus_per_task, launcher.tasks_per_node, launcher.nodes) == (1, 1, 1)


class Refusing:
    """A launcher of another library, which raises where it would launch."""

    def launch(self, *_: object, **__: object) -> None:
        raise RuntimeError(
            "sbatch: error: invalid partition specified: nope\n\nsbatch: error: Batch job submission failed: Invalid "
            "partition name specified\nreturned status 1"
        )


def test_a_partition_that_slurm_does_not_know(
    run_py: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hydra.core.plugins import Plugins

    monkeypatch.setattr(choice, "_installed", lambda _: True)
    monkeypatch.setattr(choice.shutil, "which", lambda _: "/usr/bin/sbatch")
    monkeypatch.setattr(Plugins, "instantiate_launcher", lambda *_, **__: Refusing())
    status, out, err = run_py("-m", *TOY, "hydra/launcher=submitit_slurm", f"store.root={tmp_path}")
    errors = "sbatch: error: invalid partition specified: nope; sbatch: error: Batch job submission failed: Invalid "
    said = f"error: hydra/launcher=submitit_slurm: {errors}partition name specified\n"
    assert (status, out, err) == (2, "", said)


def test_a_warning_that_submitit_repeats_is_written_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "_installed", lambda _: True)
    logger = logging.getLogger("submitit")
    before, streams = [*logger.filters], [logging.StreamHandler(sys.stdout), logging.StreamHandler(sys.stderr)]
    monkeypatch.setattr(logger, "handlers", streams)
    try:
        for _ in range(2):
            check_launcher("submitit_local", "hydra/launcher=submitit_local")
        for number in range(3):
            logger.warning(f"Call #{number} - Bypassing sacct error, status may be inaccurate.")
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), err.count("Bypassing")) == ("", 1, 1)
    finally:
        logger.filters[:] = before
