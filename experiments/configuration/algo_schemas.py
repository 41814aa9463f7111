"""The schemas of ``algo=<name>``, as members of this module: ``algo_schemas.sbp``.

A process that a launcher has started finds them by these names. A class that is made on the way is sent there as a
whole otherwise, and is not the dataclass any more that it was.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import solvers
from experiments.configuration.schema import algo_schema


def __getattr__(name: str) -> type:
    if name not in solvers.names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    settings: Any = solvers.get(name).Settings
    return _member(name, settings)


@cache
def _member(name: str, settings: type) -> type:
    schema = algo_schema(name, settings)
    schema.__module__, schema.__qualname__ = __name__, name
    return schema
