"""The options of a figure: their values from the command line, and the series that follow from them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, cast

from experiments.reproduction.spec import FigureSpec


@dataclass(frozen=True)
class Options:
    """What the command line says of how a figure is made.

    Attributes
    ----------
    scale : str
    datasets : tuple of str
        Only these; one that is not the figure's stands in for the figure's. Empty: the figure's own.
    jobs : int
        Runs at a time.
    overrides : tuple of str
        For every run: where it is stored, and what it may use.
    own : mapping of str to str
        Values of figures' own options (`FigureSpec.options`).
    settings : tuple of str
        Settings of ``run.py`` that some figures let the command line change (`FigureSpec.settings`).
    """

    scale: str
    datasets: tuple[str, ...] = ()
    jobs: int = 1
    overrides: tuple[str, ...] = ()
    own: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()


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
