"""The identity of the Python code changes with the files that make a run, and with no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from svm_cost_curves import solvers
from svm_cost_curves.experiments.run import code_identity
from svm_cost_curves.experiments.run.code_identity import code_id
from svm_cost_curves.solvers import Solver

FILES = {
    "mine.py": "from svm_cost_curves.solvers.base import Solver\nfrom svm_cost_curves.solvers.near import x\n",
    "near.py": "import numpy\nfrom svm_cost_curves.solvers import far\nfrom svm_cost_curves.solvers import _core\n",
    "far.py": "import svm_cost_curves.solvers.near\n",
    "base.py": "",
    "evaluation.py": "",
    "other.py": "from svm_cost_curves.solvers.near import x\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a solver and the modules that it imports."""
    (tmp_path / "solvers").mkdir()
    for name, text in FILES.items():
        (tmp_path / "solvers" / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(code_identity, "PROJECT_ROOT", tmp_path)
    return tmp_path / "solvers"


def identity(package: Path, libraries: tuple[str, ...] = ()) -> str:
    """Return the identity of a solver in the folder, as its files are now."""

    class Mine(Solver):
        pass

    Mine.libraries = libraries
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inspect.getfile", lambda _: str(package / "mine.py"))
        return code_id(Mine)


@pytest.mark.parametrize(
    ("name", "counts"), [("mine", True), ("near", True), ("far", True), ("evaluation", True), ("other", False)]
)
def test_a_change_counts_where_the_solver_imports_it(package: Path, name: str, counts: bool) -> None:
    before = identity(package)
    assert identity(package) == before
    path = package / f"{name}.py"
    path.write_text(path.read_text() + "\n# changed\n", encoding="utf-8")
    assert (identity(package) != before) is counts


def test_versions_of_libraries_count(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = identity(package, ("scikit-learn",))
    assert before != identity(package)
    monkeypatch.setattr("importlib.metadata.version", lambda _: "0.0")
    assert identity(package, ("scikit-learn",)) != before


def test_solvers_that_report_the_numbers_of_a_library_name_it() -> None:
    named = {name for name in solvers.names() if solvers.get(name).libraries}
    assert named == {name for name in solvers.names() if "sklearn" in name or name in ("libsvm", "liblinear")}


def test_two_solvers_have_two_identities() -> None:
    assert code_id(solvers.get("sbp")) != code_id(solvers.get("smo"))
