"""The compiled core of a program: loaded before any other of its modules, and compared with its sources."""

from __future__ import annotations

from pathlib import Path

from ...support.core_sources import changed_since_build
from ...support.errors import SettingsError
from .streams import print_error


def load_core() -> None:
    """Import the solvers with their compiled core; warn if its sources in this checkout have changed since its build.

    Raises SettingsError: the core refuses the value of SVM_ISA.
    """
    try:
        from ... import solvers
    except ImportError as error:
        if "SVM_ISA" not in str(error):
            raise
        raise SettingsError(str(error)) from error
    checkout = Path(solvers.__file__).resolve().parents[1]
    if changed_since_build(checkout, Path(str(solvers._core.__file__))):
        print_error(
            f"warning: the core was built before its sources in {checkout}/cpp changed, and runs as it was: type "
            f"`make environment` in {checkout}"
        )
