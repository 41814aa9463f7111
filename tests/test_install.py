"""The installation: messages of make while uv installs, the wheel, the sdist, and the path of an editable one."""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from svm_cost_curves.experiments import provenance
from svm_cost_curves.experiments.provenance import PROJECT_ROOT

UV = """
import sys, time
assert sys.argv[1:] == ["pip", "--verbose"], sys.argv
for line in {lines!r}:
    print(line, file=sys.stderr, flush=True)
    time.sleep(0.3)
sys.exit({status})
"""


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("install", PROJECT_ROOT / "requirements" / "install.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PAUSE", 0.05)
    return module


def uv(lines: list[str], status: int) -> list[str]:
    return [sys.executable, "-c", UV.format(lines=lines, status=status), "pip"]


COMPILING = ["DEBUG uv 0.9", "DEBUG [1/78] Building CXX object a.cpp.o", "DEBUG [78/78] Linking CXX module _core.so"]


def test_the_files_compiled_are_told_and_the_log_is_not(
    install: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert install.main(["core: building", *uv([*COMPILING, "Installed 1 package in 2ms"], 0)]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "core: building"
    assert any(line.startswith("core: building, 1 of 78 files, ") for line in lines)
    assert lines[-1].startswith("core: building, 78 of 78 files, ")
    assert err == ""


def test_a_failure_keeps_its_status_and_shows_the_compilers_errors_and_uvs(
    install: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        *COMPILING,
        "DEBUG a.cpp:3:1: error: expected ';'",
        "  x Failed to build `svm-cost-curves`",
        "  TRACE more",
    ]
    assert install.main(["core: building", *uv(lines, 2)]) == 2
    assert capsys.readouterr().err.splitlines() == ["a.cpp:3:1: error: expected ';'", lines[-2]]


def test_the_wheel_has_every_folder_of_the_program_and_its_commands() -> None:
    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    linked = {path.resolve() for path in (PROJECT_ROOT / "package").glob("*/*")} | {PROJECT_ROOT / "hydra_plugins"}
    assert project["tool"]["scikit-build"]["wheel"]["packages"] == ["package/svm_cost_curves", "package/hydra_plugins"]
    assert linked >= {PROJECT_ROOT / name for name in ("conf", "datasets", "experiments", "solvers", "support")}
    for command in project["project"]["scripts"].values():
        module, _, function = command.partition(":")
        assert callable(getattr(importlib.import_module(module), function))


def test_an_editable_installation_adds_no_folder_with_other_packages_to_the_path(tmp_path: Path) -> None:
    code = "import sys; print(*sys.path, sep='\\n')"
    done = subprocess.run([sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert not {PROJECT_ROOT, *PROJECT_ROOT.parents} & {Path(line).resolve() for line in done.stdout.splitlines()}


@pytest.mark.slow
def test_an_sdist_names_its_commit_and_has_each_folder_once(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--no-tags", str(PROJECT_ROOT), str(clone)], check=True)
    code = f"from scikit_build_core.build import build_sdist; build_sdist({str(tmp_path)!r})"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    subprocess.run([sys.executable, "-c", code], cwd=clone, env=os.environ | {"PATH": path}, check=True)
    commit, _ = provenance.git_state(clone)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        files = {member.name.partition("/")[2]: member for member in archive.getmembers()}
        content = archive.extractfile(files["COMMIT"])
        assert content is not None
        assert content.read().decode().strip() == commit
    assert files["package/svm_cost_curves/solvers"].issym()
    assert not any(name.startswith(("evidence", "docs/results", "docs/figures")) for name in files)
    assert sum(member.size for member in files.values()) < 15e6
