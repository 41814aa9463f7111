"""Solvers in C++: CONTRIBUTING's example in the core, and one outside of it, compile and run like those in Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pybind11
import pytest
from test_contributing import COMPILED, ROOT, SOLVER, example, put, recorded
from waiting import PATIENCE

HEADER = "cpp/core/solvers/margin_perceptron.hpp"
LINES = {
    "cpp/bindings/solvers.cpp": ("pegasos", "  bind_solver<Perceptron>("),
    "cpp/tests/test_resume.cpp": ("minibatch", "      on<svm::Perceptron>("),
}
"""The header and the text before which the example's lines go, by file."""
OUTSIDE = ROOT / "cpp" / "examples" / "outside"
TOOLS = Path(sys.executable).parent
PYTHON = ("-G", "Ninja", f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")

WITH_CORE = """
import importlib.util, sys
name = "svm_cost_curves.solvers._core"
spec = importlib.util.spec_from_file_location(name, sys.argv.pop(1))
sys.modules[name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules[name])
from svm_cost_curves.experiments.command_line import program
sys.exit(program.main())
"""
"""`run.py` with the core in the file that is the first argument."""


def tree_with_the_example(folder: Path) -> Path:
    """Copy the core's sources, and add the example to them as CONTRIBUTING says."""
    tree = folder / "tree"
    shutil.copytree(ROOT / "cpp", tree / "cpp")
    for name in ("CMakeLists.txt", "pyproject.toml", ".clang-format"):
        shutil.copy(ROOT / name, tree / name)
    (tree / HEADER).write_text(example(HEADER), encoding="utf-8")
    for name, (header, place) in LINES.items():
        include, _, line = example(name).partition("\n\n")
        text = (ROOT / name).read_text(encoding="utf-8")
        for mark, added in ((f'#include "solvers/{header}.hpp"\n', f"{include}\n"), (place, line)):
            assert text.count(mark) == 1
            text = text.replace(mark, added + mark)
        (tree / name).write_text(text, encoding="utf-8")
    return tree


def done(*words: object, **settings: str) -> str:
    """Run a program, which has to succeed; return its output."""
    path = os.pathsep.join((str(TOOLS), os.environ["PATH"]))
    ended = subprocess.run(
        list(map(str, words)),
        cwd=ROOT,
        env={**os.environ, "PATH": path, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=4 * PATIENCE,  # to compile the core on a busy machine
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def test_the_example_compiles_without_warnings_and_has_the_projects_style(tmp_path: Path) -> None:
    tree = tree_with_the_example(tmp_path)
    warnings = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
    compiler = os.environ.get("CXX") or "c++"
    options = ("-std=c++17", "-fsyntax-only", f"-I{tree / 'cpp/core'}", '-DSVM_SOLVERS=""')
    done(compiler, *options, *warnings, tree / "cpp/tests/test_resume.cpp")
    done("clang-format", "--dry-run", "-Werror", tree / HEADER, *(tree / name for name in LINES))


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the core with the example, test it, and install it with its headers; return where."""
    folder = tmp_path_factory.mktemp("core")
    build = folder / "build"
    options = [f"-DSVM_{name}=ON" for name in ("INSTALL", "PORTABLE", "TESTS", "WERROR")]
    options += ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]  # compiles in half the time
    done("cmake", "-S", tree_with_the_example(folder), "-B", build, *PYTHON, *options)
    done("cmake", "--build", build, "--target", "_core", "svm_core", "test_resume")
    done("ctest", "--test-dir", build, "-R", "test_resume")
    done("cmake", "--install", build, "--prefix", folder / "prefix")
    return folder / "prefix"


@pytest.fixture
def result(prefix: Path, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Make a run with the installed core; return what it has recorded."""
    (core,) = (prefix / "svm_cost_curves" / "solvers").glob("_core*")

    def run(*words: str, **settings: str) -> dict[str, Any]:
        places = (f"store.root={tmp_path / 'results'}", "rows.provider=on_the_fly", "progress=false")
        return recorded((0, done(sys.executable, "-c", WITH_CORE, core, *words, *places, **settings), ""))

    return run


@pytest.mark.slow
def test_the_stub_of_a_core_with_the_example_has_its_settings(prefix: Path) -> None:
    (core,) = (prefix / "svm_cost_curves" / "solvers").glob("_core*")
    code = WITH_CORE.partition("from svm_cost_curves")[0] + "import core_stub; print(core_stub.text())"
    stub = done(sys.executable, "-c", code, core, PYTHONPATH=str(ROOT / "tests" / "solvers"))
    assert "class MarginPerceptron(KernelSolver):" in stub
    assert "self, rows: RowSource, *, seed: int, margin: float = 0.0" in stub


@pytest.mark.slow
def test_the_example_in_the_core_has_the_first_epoch_of_the_one_in_python(
    result: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    files = os.pathsep.join(str(put(tmp_path, name)) for name in (SOLVER, COMPILED))
    words = ("dataset=digits", "budget.epochs=1")
    slow = result("algo=margin_perceptron", *words, SVM_SOLVERS=files)
    fast = result("algo=fast_margin_perceptron", *words, SVM_SOLVERS=files)
    assert fast["counters"] == slow["counters"]
    assert fast["final"]["test_error"] == slow["final"]["test_error"]


CONSUMER = {
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.24)
project(consumer LANGUAGES CXX)
find_package(svm_core @VERSION@ CONFIG REQUIRED)
add_executable(consumer consumer.cpp)
target_compile_options(consumer PRIVATE -Werror)
target_include_directories(consumer PRIVATE include)
target_link_libraries(consumer PRIVATE svm::svm_core)
find_package(svm_core 1.0 CONFIG QUIET)
if(svm_core_FOUND)
  message(FATAL_ERROR "another major version is accepted")
endif()
""",
    "include/base/error.hpp": "inline int of_the_consumer(long value) { return value; }  // -Wconversion warns\n",
    "consumer.cpp": """
#include "base/error.hpp"
@HEADERS@
int main(int count, char**) {
  const svm::Examples examples({4, 1, {1.0F, -1.0F, 2.0F, -2.0F}}, {1, -1, 1, -1});
  const svm::Limit limit;  // none: SMO converges
  const svm::Result result = svm::train<svm::Smo>(examples, svm::KernelFunction{}, svm::SmoSettings{}, limit, 1);
  const std::vector<int> labels = result.model.predict({2, 1, {-1.5F, 1.5F}});
  return of_the_consumer(count) == 1 && labels == std::vector<int>{-1, 1} ? 0 : 1;
}
""",
}
"""A program that trains, with its own header of a common name and code that the project's own warnings would refuse."""


@pytest.mark.slow
def test_a_program_outside_finds_the_library_by_its_version_and_gets_neither_warnings_nor_names(
    prefix: Path, tmp_path: Path
) -> None:
    headers = sorted(path.relative_to(prefix / "include") for path in (prefix / "include").rglob("*.hpp"))
    assert {path.parts[0] for path in headers} == {"svm"}
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    included = "\n".join(f'#include "{path.as_posix()}"' for path in headers)
    for name, text in CONSUMER.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(
            text.replace("@VERSION@", version).replace("@HEADERS@", included), encoding="utf-8"
        )
    build = tmp_path / "build"
    done("cmake", "-S", tmp_path, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    done("cmake", "--build", build)
    done(build / "consumer")


@pytest.mark.slow
def test_a_solver_outside_the_tree_runs(prefix: Path, result: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    build = tmp_path / "build"
    done("cmake", "-S", OUTSIDE, "-B", build, *PYTHON, f"-DCMAKE_PREFIX_PATH={prefix}")
    done("cmake", "--build", build)
    settings = {"SVM_SOLVERS": str(OUTSIDE / "adatron.py"), "PYTHONPATH": str(build)}
    words = ("dataset=digits", "problem.C=1")
    adatron = result("algo=adatron", "algo.eta=1", "budget.epochs=30", *words, **settings)
    counters, final = adatron["counters"], adatron["final"]
    changed, rest = divmod(counters["kernel_evaluations"], adatron["provenance"]["data"]["counts"]["train"]["n"])
    assert rest == 0
    assert 0 < changed < counters["iterations"] == counters["presentations"]
    assert 0 <= final["primal"] - final["dual"] < 0.01 * final["primal"]  # so it is the optimum
