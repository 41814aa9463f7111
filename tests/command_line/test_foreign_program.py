"""Another program that uses Hydra, in the environment of this one: it meets nothing of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

PROGRAM = """
import sys
import hydra

@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(config):
    ours = [name for name in sys.modules if name.partition(".")[0] in ("svm_cost_curves", "pandas")]
    print("ours:", ours, "options:", [*config])

main()
"""


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "conf" / "dataset").mkdir(parents=True)
    (tmp_path / "conf" / "config.yaml").write_text("hydra: {output_subdir: null, run: {dir: .}}\nseed: 3\n")
    (tmp_path / "conf" / "dataset" / "theirs.yaml").write_text("n: 1\n")
    (tmp_path / "mine" / "dataset").mkdir(parents=True)
    (tmp_path / "mine" / "dataset" / "mystery.yaml").write_text("kind: synthetic\nd: 3\n")
    (tmp_path / "program.py").write_text(PROGRAM)
    monkeypatch.setenv("SVM_CONFIG_DIR", str(tmp_path / "mine"))
    return tmp_path / "program.py"


def call(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, program, *words]
    return subprocess.run(command, cwd=program.parent, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_another_program_imports_and_finds_nothing_of_ours(foreign: Path) -> None:
    done = call(foreign, "+dataset=theirs")
    assert (done.returncode, done.stdout) == (0, "ours: [] options: ['seed', 'dataset']\n"), done.stderr
    done = call(foreign, "dataset@x=mystery")
    assert done.returncode != 0
    assert "mystery" in done.stderr
    done = call(foreign, "--info", "searchpath")
    assert done.returncode == 0
    assert "user" not in done.stdout.replace(str(foreign.parent), "")
    assert "svm" not in done.stdout.replace(str(foreign.parent), "")


def test_modules_beside_those_of_others_have_the_projects_name() -> None:
    folder = Path(__file__).parents[2] / "hydra_plugins"
    assert {path.name for path in folder.glob("*.py")} == {"svm_cost_curves_sweeps.py"}
