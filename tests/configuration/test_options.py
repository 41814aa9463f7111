"""Files of options come from somebody else: they are settings, whichever way they are found, and run nothing."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from svm_cost_curves.experiments.configuration import choices
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.options import read_options
from svm_cost_curves.solvers import SettingsError

Ran = Callable[..., tuple[int, str, str]]
NAMES = [
    *("+hydra.callbacks.x._target_", "hydra.callbacks.x._target_", "hydra", "hydra/launcher", "+hydra/callbacks"),
    *("_target_", "dataset._target_", "~algo", "++seed", "algo@hydra.callbacks.x", " hydra", "hydra ", "'hydra'"),
    *("defaults", "_self_", "_args_", "_partial_", "dataset.defaults", "seed=1 hydra", "hydra\n", "${algo}", ""),
]
TEXTS = [
    *("${oc.env:HOME}", "a${oc.env:HOME,x}b", "${hydra:runtime.cwd}", "${hydra.job.name}", "${now:%Y}"),
    *("${${x}.env:HOME}", "${oc.create:{a: 1}}", "${ oc.env:HOME }", "$${oc.env:HOME}", "${oc.env:${x}}", "${oc.env"),
]


@pytest.mark.parametrize("nested", ["{}", "problem: {{{}}}", "dataset: {{files: [{{a: [{{{}}}]}}]}}"])
@pytest.mark.parametrize("name", NAMES)
def test_names_that_hydra_obeys_are_refused_at_any_depth(name: str, nested: str, tmp_path: Path) -> None:
    path = tmp_path / "nice.yaml"
    path.write_text(nested.format(f'"{name}": x'.replace("\n", "\\n")))
    assert yaml.safe_load(path.read_text())
    with pytest.raises(SettingsError, match=rf"^{path}: a file of options has settings only"):
        read_options(path)


@pytest.mark.parametrize("text", TEXTS)
def test_resolvers_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "nice.yaml"
    for content in ({"model": text}, {"dataset": {"remarks": ["fine", {"x": text}]}}):
        path.write_text(yaml.safe_dump(content))
        with pytest.raises(SettingsError, match=rf"^{path}: .* is not allowed"):
            read_options(path)


def test_settings_are_what_a_file_may_have(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    content = {"algo": "sbp", "problem.lambda_": 1e-3, "budget": {"every": "${seed}"}, "classes": {"-1": 3}}
    path.write_text(yaml.safe_dump(content))
    assert read_options(path) == content


class _Trap:
    """Creates a file when its pickle is loaded."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self._path,)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of options from somebody else, with a pickle that would be loaded."""
    folder = tmp_path / "theirs"
    for group in ("experiment", "dataset", "protocol", "store", "hydra/launcher"):
        (folder / group).mkdir(parents=True)
    (folder / "evil.pkl").write_bytes(pickle.dumps(_Trap(tmp_path / "executed")))
    call = f"{{_target_: pandas.read_pickle, filepath_or_buffer: {folder / 'evil.pkl'}}}"
    start = "algo: pegasos\ndataset: synthetic\n"
    (folder / "experiment" / "e1.yaml").write_text(f'{start}"+hydra.callbacks.x": {call}\n')
    (folder / "experiment" / "e2.yaml").write_text(f"{start}hydra: {{callbacks: {{x: {call}}}}}\n")
    (folder / "experiment" / "e3.yaml").write_text(f"algo: pegasos\ndataset: {folder}/dataset/d1\n")
    (folder / "experiment" / "e4.yaml").write_text(f"algo: pegasos\nprotocol: [{folder}/protocol/p1]\n")
    (folder / "experiment" / "e5.yaml").write_text(f"{start}seed: '0 hydra.callbacks.x={call}'\n")
    (folder / "experiment" / "e6.yaml").write_text("algo: pegasos\nseed: shuffle(range(1000000000))\n")
    package = f"# @package _global_\nhydra: {{callbacks: {{x: {call}}}}}\n"
    (folder / "dataset" / "d1.yaml").write_text(package)
    (folder / "dataset" / "d2.yaml").write_text("defaults:\n  - /hydra/callbacks: x\nkind: synthetic\n")
    (folder / "protocol" / "p1.yaml").write_text(package)
    (folder / "store" / "s1.yaml").write_text("root: ${oc.env:HOME}\n")
    (folder / "hydra" / "launcher" / "mine.yaml").write_text("_target_: hydra_plugins.x.Launcher\n")
    return folder


HOSTILE = [
    *(["+experiment=e1"], ["+experiment=e2"], ["+experiment=e3"], ["+experiment=e4"], ["+experiment=e5"]),
    *(["dataset=d1"], ["dataset=d2"], ["protocol=p1"], ["store=s1"], ["hydra/launcher=mine"]),
    *(["dataset={folder}/dataset/d1"], ["protocol={folder}/protocol/p1"], ["protocol=[{folder}/protocol/p1]"]),
    *(["hydra.searchpath=['file://{folder}']", "dataset=d1"], ["--config-path", "{folder}/dataset", "-cn", "d1"]),
    *(["--config-name", "evil"], ["--experimental-rerun", "{folder}/evil.pkl"], ["-m", "+experiment=e6"]),
    *(["-m", "dataset=d1,d2"], ["-m", "dataset={folder}/dataset/d1,synthetic"]),
]


@pytest.mark.parametrize("way", ["option", "environment"])
@pytest.mark.parametrize("words", HOSTILE, ids=" ".join)
def test_a_folder_from_somebody_else_runs_nothing(
    words: list[str], way: str, folder: Path, tmp_path: Path, run_py: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [word.format(folder=folder) for word in words]
    if way == "option":
        words += ["--config-dir", str(folder)]
    else:
        monkeypatch.setenv(choices.CONFIG_DIR, str(folder))
    status, _, err = run_py(*words, f"store.root={tmp_path / 'store'}", "budget.epochs=1", "progress=false")
    said = [line for line in err.splitlines() if not line.startswith("...")]
    assert (status, len(said)) == (2, 1), err
    assert said[0].startswith("error: ")
    assert not (tmp_path / "executed").exists()
    assert not (tmp_path / "store").exists()


def test_a_run_and_a_sweep_find_the_same_file(folder: Path, tmp_path: Path, run_py: Ran) -> None:
    """A data set of the user's with the name of one of ours, and widths of the user's."""
    text = "name: digits\nkind: synthetic\nd: 4\nn: 50\nn_test: 30\n"
    (folder / "dataset" / "digits.yaml").write_text(text)
    (folder / "preset" / "data").mkdir(parents=True)
    (folder / "preset" / "data" / "digits.yaml").write_text("source: my thesis\nunbiased: {sigma2: 4.5, C: 2}\n")
    store = f"store.root={tmp_path / 'store'}"
    words = ["algo=pegasos", "dataset=digits", "budget.epochs=1", "picture=false", "progress=false", store]
    status, out, err = run_py("--config-dir", str(folder), *words)
    assert status == 0, err
    assert "kernel        gaussian, sigma2=4.5 (my thesis)" in out
    assert "n = 50, d = 4" in out
    status, out, err = run_py("-m", "--config-dir", str(folder), *words, "--dry-run")
    assert (status, out.splitlines()[-1]) == (0, "1 of 1 run is in the store"), err
    assert settings_of(["dataset=digits"]).kernel.sigma2 == 4.5
