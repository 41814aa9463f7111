"""Parses the command line of ``reproduce.py``, and applies the options of a figure."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, NonNegativeInt, PositiveInt, TypeAdapter, ValidationError, ValidationInfo

from ...support.forms import first_fault
from ...support.text import command_line, known_names, nearest, setting_name
from ..configuration import choices
from ..configuration.choices import PaperStyle, folder
from ..launchers.checks import RAY, check_address, check_launcher
from ..provenance import cores as available_cores
from .published import EVIDENCE, RESULTS
from .spec import FigureError, FigureSpec, Scale

OK, FAULT, USER_ERROR, NOT_ALL, DIFFERS = 0, 1, 2, 3, 4
"""Exit statuses."""
VERBS = ("check", "list", "publish")
"""First word of a command that does not make figures."""
FLAGS = ("--dry-run", "--version", "--help", "-h")
FOLDERS = ("figures", "report", "evidence", "results")
CHECK = ("runs", "seed", "again")
"""Settings of ``check``."""


@dataclass(frozen=True)
class Options:
    """Options of the command line for making a figure."""

    scale: str
    datasets: tuple[str, ...] = ()
    """Only these; any other data set stands in for the figure's. Empty: the figure's own."""
    jobs: int = 1
    """Runs at a time."""
    overrides: tuple[str, ...] = ()
    """For every run: store, memory and threads."""
    figure_options: Mapping[str, str] = field(default_factory=dict)
    """Values of the figure's options (`FigureSpec.options`)."""
    settings: tuple[str, ...] = ()
    """Settings of ``run.py`` that the figure lets the command line change (`FigureSpec.settings`)."""
    together: bool = False
    """Whether runs of figures whose cost is time (`FigureSpec.timed`) are made `jobs` at a time as well."""
    paper: PaperStyle | None = None
    """Also write a picture for a paper."""


def _folder(text: str, info: ValidationInfo) -> Path:
    return folder(str(info.field_name), text)


def _runs(text: str) -> int | None:
    if text != "each" and not (text.isascii() and text.isdigit() and int(text)):
        raise ValueError(f"runs must be a whole number >= 1 or 'each', got {text!r}")
    return None if text == "each" else int(text)


Timed = Literal["alone", "together"]
Launcher = Literal["local", "ray"]
Folder = Annotated[Path, BeforeValidator(_folder)]
Commas = BeforeValidator(lambda text: tuple(dict.fromkeys(text.split(","))))


@dataclass(frozen=True)
class Words:
    """The words ``name=value`` that every figure takes, as ``--help`` explains them; pydantic converts the values."""

    figure: str = ""
    scale: Annotated[tuple[Scale, ...], Commas] = ()
    dataset: Annotated[tuple[str, ...], Commas] = ()
    from_: Literal["evidence"] | None = None
    uncommitted: Literal["marked"] | None = None
    jobs: PositiveInt | None = None
    timed: Timed = "alone"
    launcher: Launcher = "local"
    address: str | None = None
    store: Folder = Path("results")
    store_uri: str | None = None
    figures: Folder = Path("figures")
    report: Folder = Path("report")
    evidence: Folder = EVIDENCE
    results: Folder = RESULTS
    memory: str | None = None
    threads: str | None = None
    runs: Annotated[int | None, BeforeValidator(_runs)] = 5
    """None: one of every figure, solver and data set."""
    seed: NonNegativeInt = 0
    again: Folder | None = None


@dataclass(frozen=True)
class Command(Words):
    """A parsed command line: its words, one of `VERBS` or no verb, and what else `Options` has."""

    verb: str = ""
    dry_run: bool = False
    figure_options: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    paper: PaperStyle | None = None

    @property
    def options(self) -> Options:
        """The options for making its figures."""
        given = {"memory": self.memory, "threads": self.threads, "store.root": self.store}
        overrides = [f"{name}={value}" for name, value in given.items() if value is not None]
        return Options(
            self.scale[0] if self.scale else "paper" if self.from_ or self.verb in ("check", "publish") else "quick",
            self.dataset,
            self.jobs or available_cores(),
            (*overrides, *([f"store.uri='{self.store_uri}'"] if self.store_uri else [])),
            self.figure_options,
            self.settings,
            self.timed == "together",
            self.paper,
        )

    @property
    def draws_evidence(self) -> bool:
        """Whether it draws and judges published figures: no other command does without solvers and settings."""
        return bool(self.from_) and not self.verb and self.figure != "report"


_COMMAND = TypeAdapter(Command)
_FIELDS = {word.name.rstrip("_").replace("_", "."): word.name for word in fields(Words)}
NAMES = (*_FIELDS, "store.root", *choices.STYLE_SETTINGS)
"""Names of the words that every figure takes."""


def worst(statuses: Iterable[int]) -> int:
    """Return the status of several figures: an error before missing data, and these before 0."""
    return max(statuses, key=(OK, NOT_ALL, FAULT, USER_ERROR).index, default=OK)


def figure_named(arguments: Sequence[str]) -> str:
    """Return the value of ``figure=`` on a command line; empty without one."""
    return next((word.partition("=")[2] for word in reversed(arguments) if word.startswith("figure=")), "")


def parse(arguments: Sequence[str], figures: Sequence[FigureSpec] = ()) -> Command:
    """Parse a command line that names these figures, with their options; ``--list`` anywhere is the verb ``list``.

    Raises FigureError or SettingsError if a word has a wrong form, an unknown name or a wrong value, or no figure is
    named.
    """
    if "--list" in arguments:
        arguments = ["list", *(word for word in arguments if word not in ("list", "--list"))]
    verb, arguments = (arguments[0], arguments[1:]) if arguments and arguments[0] in VERBS else ("", arguments)
    figure_options, groups = (
        _shared([figure.options for figure in figures]),
        _shared([figure.settings for figure in figures]),
    )
    names = (*(name for name in NAMES if verb == "check" or name not in CHECK), *figure_options)
    given: dict[str, str] = {}
    settings: list[str] = []
    for word in arguments:
        name, equals, value = word.partition("=")
        if word in VERBS:
            raise FigureError(f"{word} must be the first word, and the only one of {', '.join(VERBS)}")
        if word.startswith("-") and word not in FLAGS:
            raise FigureError(f"unknown option {word!r}{known_names(word, FLAGS)}")
        if equals and setting_name(word).partition(".")[0] in groups and (name not in names or "." in name):
            settings.append(word)
        elif name in names and equals:
            if not value:
                raise FigureError(f"{name}= has no value")
            given[name] = value
        elif word not in FLAGS:
            if not equals:
                raise FigureError(f"unknown word {word!r}{nearest(word, VERBS) or f'; write figure={word}'}")
            allowed = [*figure_options, *(f"{group}.*" for group in groups), *names[: len(names) - len(figure_options)]]
            see = command_line("reproduce", "--help")
            raise FigureError(f"unknown setting {word!r}{known_names(name, allowed, see)}")
    style: dict[str, str] = {name: given.pop(name) for name in choices.STYLE_SETTINGS if name in given}
    values: dict[str, Any] = {"verb": verb, "dry_run": "--dry-run" in arguments, "settings": tuple(settings)}
    values["figure_options"] = {name: given.pop(name) for name in figure_options if name in given}
    values |= {_FIELDS[name]: value for name, value in _with_store(given).items()}
    try:
        command = _COMMAND.validate_python(values)
    except ValidationError as error:
        raise FigureError(first_fault(error, places=1)) from error
    _check(command)
    return replace(command, paper=choices.style_of(style) if style else None, address=_address(command))


def _with_store(given: Mapping[str, str]) -> dict[str, str]:
    """Return the words with ``store=`` as a folder; it may be a server, or ``local`` or ``server`` as in ``run.py``."""
    rest = dict(given)
    store, root, server = (rest.pop(name, None) for name in ("store", "store.root", "store.uri"))
    if store == "server" and server is None:
        raise FigureError("store=server needs the address of an mlflow server: store.uri=http://HOST:5000")
    if store is not None and store.startswith(("http:", "https:")):
        store, server = None, server or store
    elif store in ("local", "server"):
        store = None
    if root is not None:
        folder("store.root", root)
    if store is not None and root is not None:
        raise FigureError(f"store={store} and store.root={root} are two folders: give one")
    return rest | {name: text for name, text in (("store", root or store), ("store.uri", server)) if text is not None}


def _check(command: Command) -> None:
    """Refuse words that do not go together."""
    if not command.figure and command.verb != "list":
        raise FigureError("no figure is named: write figure=<id>, figure=<paper>, figure=all, figure=report, or list")
    if command.verb == "list" and command.dataset and not command.scale:
        raise FigureError("list tells of data sets with a scale only: add scale=demo, scale=quick or scale=paper")
    if command.verb != "list" and len(command.scale) > 1:
        raise FigureError(f"scale={','.join(command.scale)}: only list takes several scales")
    if command.verb == "check" and command.from_:
        raise FigureError("check makes published runs again; from=evidence draws them")
    if command.launcher != RAY and command.address is not None:
        raise FigureError(f"address={command.address} is that of a Ray cluster: add launcher={RAY}")


def _address(command: Command) -> str | None:
    """Return the address of a Ray cluster that answers, from the command line or ``RAY_ADDRESS``; None without one."""
    if command.launcher != RAY:
        return None
    check_launcher(RAY, f"launcher={RAY}")
    address = command.address or os.environ.get("RAY_ADDRESS") or None
    if address is not None:
        check_address(address)
    return address


def _shared(names: Sequence[Collection[str]]) -> list[str]:
    """Return the names that all lists have: an option must apply to all figures of the command."""
    return [name for name in (names[0] if names else ()) if all(name in listed for listed in names)]


def resolve_options(spec: FigureSpec, options: Options) -> FigureSpec:
    """Return a figure with the values of its options, and with the series of its `series_module` if it has one.

    Raises FigureError or SettingsError if a value is not allowed.
    """
    values = {
        name: replace(option, value=options.figure_options.get(name, option.value))
        for name, option in spec.options.items()
    }
    chosen = replace(spec, options=values)
    if not spec.series_module:
        return chosen
    with_series: Callable[[FigureSpec, Options], FigureSpec] = importlib.import_module(spec.series_module).with_series
    return with_series(chosen, options)
