"""The cost of a response f(x_i), for methods that need one response in each step."""

from enum import Enum

from . import _core


class Accounting(Enum):
    """The two conventions of the papers, in kernel evaluations.

    on_demand: responses are not stored; computing one costs one evaluation for each support vector.
    kept: all n responses are stored and updated; each change of an alpha costs n evaluations.
    """

    on_demand = "on_demand"
    kept = "kept"

    def core(self) -> _core.Accounting:
        """Return the core's value for this convention."""
        return _core.Accounting.kept if self is Accounting.kept else _core.Accounting.on_demand
