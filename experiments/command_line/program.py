"""The command line of ``run.py``, which calls `command` after it has changed to ``.venv`` where that is needed.

This file joins Hydra to the project and turns every error into a message and an exit status: 0 done (or found in the
store), 2 something in the command, the data or the store is wrong, 1 a fault of the program, 130 stopped by Ctrl-C, 75
by SIGTERM or another signal that asks for an end (`stopping`).
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import traceback
from collections.abc import Iterator

import hydra
from omegaconf import DictConfig

from ...support.errors import UserError, reason
from ..configuration.choices import CONF, CONFIG_DIR, add_config_folders, check_environment, missing_folders
from ..configuration.explain import COMPOSITION_ERRORS, explain
from ..processes.outcome import Outcome
from ..processes.stopping import EXIT_STATUS, status_of
from ..processes.streams import print_error, print_text
from ..run.console import note
from .help import help_text, version_text
from .job import run_composed
from .sweep import SWEEP_ID
from .words import register, translated

# Hydra 1.3 warns without a version, 1.4 with one
_BASE: dict[str, str] = {"version_base": "1.3"} if hydra.__version__.startswith("1.3.") else {}


@hydra.main(**_BASE, config_path=str(CONF), config_name="config")
def run(composed: DictConfig) -> Outcome:
    """Make one run: that of the command, or a job of a sweep."""
    return run_composed(composed)


@contextlib.contextmanager
def _for_python3() -> Iterator[None]:
    """Replace ``python`` by ``python3`` in the script that Hydra prints for completion in bash."""
    with contextlib.redirect_stdout(io.StringIO()) as script:
        yield
    print(re.sub(r"\bpython\b", "python3", script.getvalue()))


def main() -> int:
    """Run the command line and return its exit status."""
    arguments = sys.argv[1:]
    if {"--help", "-h"} & set(arguments):
        return print_text(lambda: help_text(arguments))  # Hydra would load its plugins first
    if "--version" in arguments:
        return print_text(version_text)
    os.environ["HYDRA_FULL_ERROR"] = "1"  # Hydra raises errors; otherwise it prints them and ends the process
    os.environ[SWEEP_ID] = str(os.getpid())  # two sweeps that start in the same second get different folders
    try:
        check_environment()
        add_config_folders(arguments)
        if missing := missing_folders():
            print_error(f"warning: {CONFIG_DIR} names {', '.join(map(str, missing))}: there is no such folder")
        register()
        sys.argv[1:] = translated(arguments)
        with _for_python3() if "install=bash" in arguments else contextlib.nullcontext():
            run()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    except KeyboardInterrupt as stopped:
        print_error(f"{status_of(stopped)}; the same command continues")
        return EXIT_STATUS[type(stopped)]
    except UserError as error:
        print_error(f"error: {error}")
        return 2
    except (*COMPOSITION_ERRORS, ValueError) as error:  # jobs do not raise: this is about the command line
        print_error(f"error: {explain(error)}")
        return 2
    except OSError as error:  # a folder cannot be made, or the working directory was removed
        print_error(f"error: {reason(error)}")
        return 2
    except Exception as error:  # of Hydra, or of a launcher
        if settings := [word for word in arguments if word.lstrip("+~").startswith(("hydra.", "hydra/"))]:
            why = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}".rstrip(": ")
            print_error(f"error: Hydra cannot work with {' '.join(settings)}: {why}")
            return 2
        print_error(traceback.format_exc())
        return 1
    return 0


def command() -> int:
    """Print a first line at once, since Hydra needs most of a second, and call `main`. ``run.py`` calls this."""
    options = {word for word in sys.argv[1:] if word.startswith("-")}
    if options <= {"-m", "--multirun"}:
        note("reading the settings")
    return main()
