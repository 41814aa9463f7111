"""Messages of make while uv installs and compiles."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import tomllib
from types import ModuleType

import pytest

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


def test_the_wheel_has_every_folder_of_the_program() -> None:
    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = project["tool"]["scikit-build"]["wheel"]["packages"]
    assert all((PROJECT_ROOT / source).exists() for source in packages.values())
    package = PROJECT_ROOT / "package" / "svm_cost_curves"
    links = {path.name: path.resolve() for path in package.iterdir() if path.name != "__pycache__"}
    mapped = {target: (PROJECT_ROOT / source).resolve() for target, source in packages.items()}
    assert {f"svm_cost_curves/{name}": path for name, path in links.items()} | {
        "hydra_plugins": PROJECT_ROOT / "hydra_plugins"
    } == mapped
    for command in project["project"]["scripts"].values():
        module, _, function = command.partition(":")
        assert callable(getattr(importlib.import_module(module), function))
