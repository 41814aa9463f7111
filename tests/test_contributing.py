"""The worked examples of CONTRIBUTING.md do what it says: their text is taken from there, and run."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from waiting import PATIENCE

from svm_cost_curves.experiments.configuration import presets
from svm_cost_curves.experiments.reproduction.cli import main as reproduce

Ran = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).resolve().parents[1]
SOLVER = "solvers/margin_perceptron.py"
SOLVER_TEST = "tests/solvers/test_margin_perceptron.py"
DATASET = "conf/dataset/heart.yaml"
PRESET = "conf/preset/heart.yaml"
FIGURE = "conf/figure/mine_draws.yaml"
COMPILED = "solvers/fast_margin_perceptron.py"


def example(name: str) -> str:
    """Text of the fenced block that follows a line with the file's name."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = re.findall(rf"^`{re.escape(name)}`:\n\n```\w+\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 1, f"{len(blocks)} blocks are called {name}"
    return str(blocks[0])


def commands() -> list[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return [
        line
        for block in re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
    ]


def call(*words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the checkout."""
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One store for all runs: making a database takes seconds."""
    return tmp_path_factory.mktemp("store")


def recorded(ended: tuple[int, str, str]) -> dict[str, Any]:
    """Result of a run that ended without an error, from the file that its last line names."""
    status, out, err = ended
    assert status == 0, err
    last = out.splitlines()[-1]
    assert last.startswith("result: ")
    result: dict[str, Any] = json.loads(Path(last.removeprefix("result: ")).read_text(encoding="utf-8"))
    return result


def put(folder: Path, name: str) -> Path:
    path = folder / Path(name).name
    path.write_text(example(name), encoding="utf-8")
    return path


@pytest.fixture
def solver(tmp_path: Path, own_solvers: Callable[[Path], None]) -> None:
    own_solvers(put(tmp_path, SOLVER))


@pytest.mark.usefixtures("solver")
def test_the_solver_runs_from_one_file(store: Path, run_py: Ran) -> None:
    command = next(line for line in commands() if "algo=margin_perceptron" in line)
    result = recorded(run_py(*command.split()[2:], f"store.root={store}"))
    assert (result["algo"], result["status"]) == ("margin_perceptron", "finished")
    assert result["settings"]["algo"]["margin"] == 0.0
    n, evaluations = result["provenance"]["data"]["counts"]["train"]["n"], result["counters"]["kernel_evaluations"]
    mistakes, rest = divmod(evaluations, n)
    assert rest == 0
    assert 0 < mistakes < result["counters"]["iterations"] == 3 * n
    assert result["final"]["test_error"] < 0.05  # one digit of ten is the positive class


@pytest.mark.usefixtures("solver")
def test_the_solver_refuses_what_it_says_it_refuses(tmp_path: Path, run_py: Ran) -> None:
    status, _, err = run_py("algo=margin_perceptron", "algo.margin=-1", f"store.root={tmp_path / 'results'}")
    assert status == 2
    assert "algo.margin = -1.0: it must be finite and not negative" in err
    assert not (tmp_path / "results").exists()


@pytest.mark.usefixtures("solver")
def test_the_solver_is_in_the_help(run_py: Ran) -> None:
    assert re.search(r"margin_perceptron +Averaged kernel Perceptron", run_py("--help")[1])


@pytest.mark.usefixtures("solver")
def test_the_solver_passes_its_own_test(tmp_path: Path) -> None:
    test = put(tmp_path, SOLVER_TEST)
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, f"--rootdir={tmp_path}", str(test)]
    done = call(*words)
    assert done.returncode == 0, done.stdout
    assert f"{example(SOLVER_TEST).count('def test_')} passed" in done.stdout


@pytest.mark.parametrize("name", [SOLVER, SOLVER_TEST, COMPILED])
@pytest.mark.parametrize("check", [("check",), ("format", "--check")], ids=["lint", "format"])
def test_the_examples_follow_the_projects_style(name: str, check: tuple[str, ...]) -> None:
    words = [sys.executable, "-m", "ruff", *check, "--stdin-filename", name, "-"]
    done = subprocess.run(
        words, cwd=ROOT, input=example(name), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_solver_is_typed(tmp_path: Path) -> None:
    done = call("-m", "mypy", "--strict", "--config-file", "pyproject.toml", str(put(tmp_path, SOLVER)))
    assert done.returncode == 0, done.stdout


def heart_like(folder: Path) -> str:
    """Write a file with the shape and the class counts of heart_scale; return its checksum."""
    generator = np.random.default_rng(0)
    labels = generator.permutation(np.repeat([-1, 1], [150, 120]))
    points = generator.uniform(-1, 1, size=(270, 13))
    points[:, 0] += labels
    lines = [
        f"{label:+d} " + " ".join(f"{j}:{value:.6g}" for j, value in enumerate(row, start=1))
        for label, row in zip(labels, points, strict=True)
    ]
    content = ("\n".join(lines) + "\n").encode()
    (folder / "heart_scale").write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def test_the_data_set_is_one_file(
    tmp_path: Path,
    store: Path,
    run_py: Ran,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mirror, group = tmp_path / "mirror", tmp_path / "more" / "dataset"
    mirror.mkdir()
    group.mkdir(parents=True)
    spec = yaml.safe_load(example(DATASET))
    spec["files"][0]["sha256"] = heart_like(mirror)
    spec["expected_train"]["nnz"] = 270 * 13
    (group / "heart.yaml").write_text(yaml.safe_dump(spec), encoding="utf-8")
    words = ["--config-dir", str(group.parent), "algo=sbp", "dataset=heart", "budget.epochs=1"]
    monkeypatch.setenv("SVM_DATA_MIRROR", str(mirror))
    result = recorded(run_py(*words, f"store.root={store}"))
    assert result["dataset"] == "heart"
    counts = result["provenance"]["data"]["counts"]
    assert (counts["train"]["n"], counts["test"]["n"]) == (189, 81)
    assert result["final"]["test_error"] < 0.25
    with monkeypatch.context() as environment:
        environment.setenv("SVM_CONFIG_DIR", str(group.parent))
        assert recorded(run_py(*words[2:], f"store.root={store}"))["key"] == result["key"]

    spec["expected_train"]["classes"] = {"-1": 120, "1": 150}
    (group / "heart.yaml").write_text(yaml.safe_dump(spec), encoding="utf-8")
    status, _, err = run_py(*words, "seed=1", f"store.root={tmp_path / 'other'}")
    assert status == 2
    assert "heart" in err


def test_a_data_set_of_your_own_is_one_file(
    tmp_path: Path, store: Path, run_py: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dataset").mkdir()
    put(tmp_path / "dataset", "conf/dataset/flowers.yaml")
    put(tmp_path, "flowers.csv")
    monkeypatch.setenv("SVM_CONFIG_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)  # the path of the file is relative
    command = next(line for line in commands() if "dataset=flowers" in line).split()[2:]
    data = recorded(run_py(*command, f"store.root={store}"))["provenance"]["data"]
    assert data["label_rule"] == "column 3 ('kind'): late is +1, the rest is -1"
    assert (data["counts"]["train"]["n"], data["counts"]["test"]["n"], data["counts"]["train"]["d"]) == (6, 2, 2)
    assert data["warnings"] == []


def test_the_preset_is_one_file() -> None:
    numbers = {"sigma2": 4.0, "C": 2.0}
    options = presets.options({"heart.yaml": yaml.safe_load(example(PRESET))})
    assert options == {("data", "heart"): {"source": "my thesis, Table 3", "unbiased": numbers, "biased": numbers}}


def test_a_preset_outside_the_project_is_read(tmp_path: Path, store: Path, run_py: Ran) -> None:
    group = tmp_path / "preset" / "data"
    group.mkdir(parents=True)
    (group / "synthetic.yaml").write_text("source: my thesis\nunbiased: {sigma2: 4.0, C: 2.0}\n", encoding="utf-8")
    words = ["algo=sbp", "dataset=synthetic", "budget.iterations=5", f"store.root={store}"]
    result = recorded(run_py("--config-dir", str(tmp_path), *words))
    assert result["settings"]["origins"]["kernel.sigma2"] == "my thesis"


def test_the_figure_is_one_file(tmp_path: Path, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = next(line for line in commands() if "figure=mine_draws" in line).split()[2:]
    figure = put(tmp_path, FIGURE)
    words = [word.replace("mine_draws", str(figure)) for word in command]
    assert reproduce([*words, f"store={store}", f"figures={tmp_path / 'figures'}"]) == 0
    made = tmp_path / "figures" / "mine_draws" / "demo"
    assert f"figure: {made / 'figure.png'}" in capsys.readouterr().out.splitlines()
    (claim,) = json.loads((made / "verdict.json").read_text(encoding="utf-8"))["claims"]
    assert [(reading["id"], reading["outcome"]) for reading in claim["readings"]] == [
        ("pairs", "reproduced"),
        ("single", "reproduced"),
    ]
    header, *points = (made / "data.csv").read_text(encoding="utf-8").splitlines()
    assert header.startswith("panel,dataset,series,cost,x,mean,sd,seeds")
    assert {line.split(",")[2] for line in points} == {"sbp pairs", "sbp single"}


@pytest.mark.real_data
def test_the_data_set_is_the_published_one(tmp_path: Path, store: Path, run_py: Ran) -> None:
    if not os.environ.get("SVM_DATA_MIRROR"):
        pytest.skip("SVM_DATA_MIRROR is not set")
    group = tmp_path / "more" / "dataset"
    group.mkdir(parents=True)
    (group / "heart.yaml").write_text(example(DATASET), encoding="utf-8")
    words = ["--config-dir", str(group.parent), "algo=sbp", "dataset=heart", f"store.root={store}"]
    result = recorded(run_py(*words))
    assert 0.05 < result["final"]["test_error"] < 0.3
