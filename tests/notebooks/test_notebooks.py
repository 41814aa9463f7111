"""The notebooks run as they stand, write to temporary folders only, and are committed with what they gave."""

from __future__ import annotations

import ast
import copy
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from waiting import PATIENCE

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
LONG = {"from_run_to_figure", "mini_batches", "second_check", "your_own_solver"}
"""These take ten seconds and more."""
CELLS = range(8, 21)
"""How many there may be: one sitting."""
ABSOLUTE = r"(?<![\w.:/])(?:/(?:home|root|tmp|usr|var|work|Users|mnt|opt)/|[A-Za-z]:\\\w)"


MOST_BYTES = 400_000


def faults(notebook: Any) -> list[str]:
    """Say what of a notebook must not be committed."""
    messages = []
    for place, cell in enumerate(entry for entry in notebook.cells if entry.cell_type == "code"):
        if cell.execution_count != place + 1:
            messages.append(f"{cell.id}: not run in order")
        if any(output.output_type == "error" or output.get("name") == "stderr" for output in cell.outputs):
            messages.append(f"{cell.id}: an error or a warning")
        shown = [output.get("text", "") for output in cell.outputs]
        shown += [
            output.get("data", {}).get(kind, "") for output in cell.outputs for kind in ("text/plain", "text/html")
        ]
        if path := re.search(ABSOLUTE, "\n".join([cell.source, *shown])):
            messages.append(f"{cell.id}: absolute path {path[0]}")
    messages += [f"{cell.id}: metadata {', '.join(cell.metadata)}" for cell in notebook.cells if cell.metadata]
    if not pictures(notebook):
        messages.append("no picture: run notebooks/execute.py")
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        messages.append("kernel: python3 is the one that every environment has")
    return messages


def pictures(notebook: Any) -> list[str]:
    """The PNGs that the cells have given."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.data["image/png"] for output in outputs if "image/png" in output.get("data", {})]


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> Any:
    return nbformat.read(request.param, as_version=4)


def test_there_are_seven() -> None:
    assert len(NOTEBOOKS) == 7


def test_a_notebook_is_committed_with_its_outputs(notebook: Any) -> None:
    nbformat.validate(notebook)
    assert faults(notebook) == []


def test_a_notebook_is_small() -> None:
    assert {path.stem: size for path in NOTEBOOKS if (size := path.stat().st_size) > MOST_BYTES} == {}


def test_a_notebook_is_short_and_begins_with_its_title(notebook: Any) -> None:
    assert len(notebook.cells) in CELLS
    assert notebook.cells[0].source.startswith("# ")
    assert sum(cell.source.startswith("# ") for cell in notebook.cells if cell.cell_type == "markdown") == 1


def test_a_notebook_imports_names_that_exist(notebook: Any) -> None:
    trees = [ast.parse(cell.source) for cell in notebook.cells if cell.cell_type == "code"]
    imports = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert imports
    for node in imports:
        exec(ast.unparse(node), {})  # raises ImportError


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"outputs": [nbformat.v4.new_output("stream", name="stderr", text="a warning")]}, "an error or a warning"),
        ({"outputs": [nbformat.v4.new_output("error", ename="E", evalue="", traceback=[])]}, "an error or a warning"),
        ({"outputs": []}, "no picture"),
        ({"outputs": [nbformat.v4.new_output("stream", text="see /tmp/abc/x.csv")]}, "absolute path /tmp/"),
        ({"execution_count": 3}, "not run in order"),
        ({"metadata": {"collapsed": True}}, "metadata collapsed"),
        ({"source": "open('/home/ann/x.csv')"}, "absolute path /home/"),
        ({"source": r"open('C:\data')"}, "absolute path C:"),
    ],
)
def test_what_must_not_be_committed_is_found(change: dict[str, Any], fault: str) -> None:
    shown = nbformat.v4.new_output("display_data", {"image/png": "iVBORw0KGgo="})
    original = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 2", execution_count=1, outputs=[shown])])
    original.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    assert faults(original) == []
    changed = copy.deepcopy(original)
    changed.cells[0].update(nbformat.from_dict(change))
    assert [text for text in faults(changed) if fault in text]


@pytest.mark.parametrize(
    "notebook",
    [pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (path.stem in LONG)) for path in NOTEBOOKS],
    indirect=True,
)
def test_a_notebook_runs_and_leaves_nothing_behind(
    notebook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    here.mkdir()
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("SVM_GRAM_DIR", str(tmp_path / "nowhere"))  # a notebook that writes there has not set its own
    monkeypatch.setenv("SVM_DATA_CACHE", str(tmp_path / "nowhere"))
    monkeypatch.delenv("SVM_SOLVERS", raising=False)
    NotebookClient(
        notebook, timeout=PATIENCE, kernel_name="python3", resources={"metadata": {"path": str(here)}}
    ).execute()
    said = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [output.text for output in said if output.output_type == "stream" and output.name == "stderr"] == []
    assert pictures(notebook)
    assert list(here.iterdir()) == []
    assert not (tmp_path / "nowhere").exists()
    assert [path for path in temporary.rglob("*") if path.is_file()] == []
