"""From a figure's file and the command line to the figure that is meant."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, cast

from experiments.reproduction.spec import FigureSpec

if TYPE_CHECKING:
    from experiments.reproduction.plan import Options


class Entry(Protocol):
    """A module that `FigureSpec.entry` names."""

    def enter(self, spec: FigureSpec, options: Options) -> FigureSpec:
        """Return a figure whose options have their values with the series that follow from them."""


def entered(spec: FigureSpec, options: Options) -> FigureSpec:
    """Return a figure with the values of its options, and with the series that follow from them if it has an `entry`.

    Raises
    ------
    FigureError, SettingsError
        A value is not allowed.
    """
    values = {name: replace(own, value=options.own.get(name, own.value)) for name, own in spec.options.items()}
    chosen = replace(spec, options=values)
    return cast(Entry, importlib.import_module(spec.entry)).enter(chosen, options) if spec.entry else chosen
