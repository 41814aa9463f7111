"""One run, from its settings to its record.

This package can be called: ``experiments.run(algo="sbp", X=X, y=y)`` makes a run on arrays.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    """A module that can be called: this package and the function have the same name."""

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        """See `experiments.run.arrays.run`."""
        from experiments.run.arrays import run

        return run(*arguments, **settings)


sys.modules[__name__].__class__ = _CallableModule
