"""``.venv/bin/python notebooks/execute.py [NAME ...]``: runs the notebooks, or some, and keeps what they give."""

import copy
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent
CLIENT = {
    "timeout": 600,  # seconds for a cell
    "record_timing": False,
    "coalesce_streams": True,  # else the pieces of a text depend on time
}


def execute(path: Path) -> None:
    """Run a notebook in an empty folder, and write it with its outputs and the metadata that it had."""
    notebook = nbformat.read(path, as_version=4)
    metadata = copy.deepcopy(notebook.metadata)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, resources={"metadata": {"path": folder}}, **CLIENT).execute()
    notebook.metadata = metadata
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.ipynb")):
        print(name, flush=True)
        execute(FOLDER / f"{name.removesuffix('.ipynb')}.ipynb")
