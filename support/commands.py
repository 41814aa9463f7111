"""The project's commands as a user types them: in a checkout, or where the program is installed."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Literal

_ROOT = Path(__file__).resolve().parents[1]

Program = Literal["run", "reproduce", "store", "predict"]


def made_by_make() -> bool:
    """Return whether this process runs in the environment that make has made in the checkout."""
    return Path(sys.prefix).resolve() == (_ROOT / ".venv").resolve()


def command(program: Program, *words: str) -> list[str]:
    """Return the words of a command: ``python3 run.py ...``, ``.venv/bin/svm-store ...``, or ``svm-run ...``."""
    if program in ("run", "reproduce") and (_ROOT / f"{program}.py").exists() and (_ROOT / "pyproject.toml").exists():
        return ["python3", f"{program}.py", *words]
    return [f".venv/bin/svm-{program}" if made_by_make() else f"svm-{program}", *words]


def command_line(program: Program, *words: str) -> str:
    """Return a command as text, with quotes where the shell needs them."""
    return shlex.join(command(program, *words))
