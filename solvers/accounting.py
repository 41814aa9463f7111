"""How methods that look at one response at a time are charged."""

from enum import Enum

from solvers import _core


class Accounting(Enum):
    """The two conventions of the papers.

    on_demand: no responses are kept, each one asked for costs one kernel evaluation per support vector.
    kept: all responses are kept up to date, each example whose alpha changes costs n.
    """

    on_demand = "on_demand"
    kept = "kept"

    def core(self) -> _core.Accounting:
        """Return the convention as the core takes it."""
        return _core.Accounting.kept if self is Accounting.kept else _core.Accounting.on_demand
