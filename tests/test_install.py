"""What make says while uv installs and compiles."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest

from experiments.provenance import PROJECT_ROOT

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


@pytest.mark.parametrize(
    ("state", "refused"),
    [("wheel", True), ("metadata_wheel", True), ("editable", False), ("metadata_editable", False), ("sdist", False)],
)
def test_only_an_editable_installation_is_allowed(state: str, refused: bool) -> None:
    reader = pytest.importorskip("scikit_build_core.settings.skbuild_read_settings").SettingsReader
    settings = reader.from_file(str(PROJECT_ROOT / "pyproject.toml"), state=state).settings
    assert bool(settings.fail) == refused
    said = settings.messages.after_failure
    assert ("works in its checkout only" in said) == refused
    for command in ("make demo", "pip install --editable ."):
        assert (command in said) == refused
