"""Continues ``run.py`` or ``reproduce.py`` in the environment that make has made, ``.venv``.

The two scripts use it when the Python that they were started with does not have the program. Like them it needs the
standard library only, and no newer Python than 3.8.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent
VENV = CHECKOUT / ".venv"


def enter():
    """Run this process's command in ``.venv``, which replaces the process; without it end with a sentence."""
    why = "the program is not built yet"
    if (VENV / ".ready-core").exists() and Path(sys.prefix).resolve() != VENV.resolve():
        python = str(VENV / "bin" / "python3")
        try:
            os.execv(python, [python, *sys.argv])
        except OSError as error:
            why = f"{python} cannot be started ({error.strerror})"
    with suppress(OSError, AttributeError):  # standard error is full, or closed
        sys.stderr.write(f"error: {why}: type `make environment` in {CHECKOUT} (some minutes)\n")
        sys.stderr.flush()
    sys.exit(2)
