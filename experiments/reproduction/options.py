"""Parses the command line of ``reproduce.py``, and applies the options of a figure."""

from __future__ import annotations

import importlib
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, cast

from experiments.configuration import paper_style
from experiments.configuration.choices import check_choice, folder
from experiments.configuration.paper_style import PaperStyle
from experiments.launchers.checks import RAY, check_address, check_launcher
from experiments.provenance import cores as available_cores
from experiments.reproduction.published import EVIDENCE, RESULTS
from experiments.reproduction.spec import SCALES, FigureError, FigureSpec
from support.text import nearest, setting_name

OK, FAULT, USER_ERROR, NOT_ALL, DIFFERS = 0, 1, 2, 3, 4
"""Exit statuses."""
FLAGS = ("--list", "--dry-run", "--version", "--help", "-h")
RESOURCES = ("memory", "threads")
"""Settings of ``run.py`` for all runs; results do not depend on them."""
STORE = ("store", "store.root", "store.uri")
LAUNCHERS = ("local", RAY)
TIMED = ("alone", "together")
"""How runs are made whose result is a time: one at a time, or as others are."""
FOLDERS = ("figures", "report", "evidence", "results")
CHECK = ("runs", "seed", "again")
"""Settings of ``check``."""
EACH = "each"
"""Value of ``runs=``: one run of every figure, solver and data set."""
MADE = ("figure", "scale", "dataset", "from", "uncommitted")
NAMES = (*MADE, "jobs", "timed", "launcher", "address", *paper_style.NAMES, *STORE, *FOLDERS, *RESOURCES)
ACTIONS = ("publish", "check")
"""Words without ``=``."""


@dataclass(frozen=True)
class Options:
    """How a figure is made, from the command line.

    Attributes
    ----------
    scale : str
    datasets : tuple of str
        Only these; any other data set stands in for the figure's. Empty: the figure's own.
    jobs : int
        Runs at a time.
    overrides : tuple of str
        For every run: store, memory and threads.
    own : mapping of str to str
        Values of the figure's options (`FigureSpec.options`).
    settings : tuple of str
        Settings of ``run.py`` that the figure lets the command line change (`FigureSpec.settings`).
    together : bool
        Whether runs of figures whose cost is time (`FigureSpec.timed`) are made `jobs` at a time as well.
    paper : PaperStyle or None
        Also write a picture for a paper.
    """

    scale: str
    datasets: tuple[str, ...] = ()
    jobs: int = 1
    overrides: tuple[str, ...] = ()
    own: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()
    together: bool = False
    paper: PaperStyle | None = None


@dataclass(frozen=True)
class Check:
    """Which published runs are made again.

    Attributes
    ----------
    runs : int or None
        How many; None: one of every figure, solver and data set.
    seed : int
        Of the draw.
    again : Path or None
        Folder that keeps the new runs, so that an interrupted check continues.
    """

    runs: int | None
    seed: int
    again: Path | None


@dataclass(frozen=True)
class Command:
    """A parsed command line.

    Attributes
    ----------
    figure : str
        Argument of `experiments.reproduction.spec.choose`, or ``report``; may be empty with `list_`.
    options : Options
    store, figures, report, evidence, results : Path
        Folders.
    publish : bool
        Write the figures' evidence.
    from_evidence : bool
        Draw and judge published evidence, without a store.
    check : Check or None
        Make published runs again.
    server : str or None
        Address of the store's server, as ``store.uri=`` of ``run.py``.
    launcher : str
        One of `LAUNCHERS`.
    address : str or None
        Address of a Ray cluster; None: this machine.
    jobs : int or None
        Runs at a time; None if not given.
    list_, dry_run : bool
    scales : tuple of str
        Scales of ``--list``; empty: the catalogue only.
    uncommitted : bool
        Make figures at the paper's scale from a checkout with uncommitted changes, too.
    """

    figure: str
    options: Options
    store: Path
    figures: Path
    report: Path
    evidence: Path
    results: Path
    publish: bool
    from_evidence: bool
    check: Check | None
    server: str | None
    launcher: str
    address: str | None
    jobs: int | None
    list_: bool
    dry_run: bool
    scales: tuple[str, ...]
    uncommitted: bool

    @property
    def draws_evidence(self) -> bool:
        """Whether it draws and judges published figures: no other command does without solvers and settings."""
        return self.from_evidence and not (self.publish or self.check or self.list_ or self.figure == "report")


def worst(statuses: Iterable[int]) -> int:
    """Return the status of several figures: an error before missing data, and these before 0."""
    return max(statuses, key=(OK, NOT_ALL, FAULT, USER_ERROR).index, default=OK)


def figure_named(words: Sequence[str]) -> str:
    """Return the value of ``figure=`` on a command line; empty without one."""
    return next((word.partition("=")[2] for word in reversed(words) if word.startswith("figure=")), "")


def parse(words: Sequence[str], figures: Sequence[FigureSpec] = ()) -> Command:
    """Parse a command line.

    Parameters
    ----------
    words : sequence of str
    figures : sequence of FigureSpec
        The figures that it names, for their options and settings.

    Raises
    ------
    FigureError, SettingsError
        A word has a wrong form, an unknown name or a wrong value, or no figure is named.
    """
    given: dict[str, str] = {}
    flags: set[str] = set()
    settings: list[str] = []
    own, groups = _shared([figure.options for figure in figures]), _shared([figure.settings for figure in figures])
    names = (*NAMES, *(CHECK if "check" in words else ()), *own)
    for word in words:
        name, equals, value = word.partition("=")
        if word in (*FLAGS, *ACTIONS):
            flags.add(word)
        elif word.startswith("-"):
            raise FigureError(f"unknown option {word!r}; known: {', '.join(FLAGS)}{nearest(word, FLAGS)}")
        elif equals and setting_name(word).partition(".")[0] in groups and (name not in names or "." in name):
            settings.append(word)
        elif not equals or name not in names:
            hint = nearest(name, names) if equals else f"; write figure={word}"
            known = [*(f"{known}=" for known in names), *(f"{group}.*" for group in groups)]
            raise FigureError(f"unknown setting {word!r}; known: {', '.join(known)}{hint}")
        elif not value:
            raise FigureError(f"{name}= has no value")
        else:
            given[name] = value
    list_ = "--list" in flags
    if "figure" not in given and not list_:
        raise FigureError("no figure is named: write figure=<id>, figure=<paper>, figure=all, figure=report, or --list")
    scales = _scales(given, list_=list_)
    if given.get("from", "evidence") != "evidence":
        raise FigureError(f"from={given['from']}: a figure is made from=evidence, or without from= from its runs")
    if given.get("uncommitted", "marked") != "marked":
        raise FigureError(f"uncommitted={given['uncommitted']}: write uncommitted=marked, or commit the changes")
    if flags >= {*ACTIONS}:
        raise FigureError("publish writes evidence, check makes published runs again: give one of them")
    launcher, address = _launcher(given.get("launcher", LAUNCHERS[0]), given.get("address"))
    jobs, timed = _jobs(given.get("jobs")), given.get("timed", TIMED[0])
    if "timed" in given:
        check_choice("timed", timed, TIMED)
    root, server = _store({name: given[name] for name in STORE if name in given})
    overrides = [f"{name}={given[name]}" for name in RESOURCES if name in given]
    style: dict[str, str] = {name: given[name] for name in paper_style.NAMES if name in given}
    default = "paper" if "from" in given or flags & {*ACTIONS} else "quick"
    options = Options(
        scale=scales[0] if scales else default,
        datasets=tuple(dict.fromkeys(given["dataset"].split(","))) if "dataset" in given else (),
        jobs=jobs or available_cores(),
        overrides=(*overrides, f"store.root={root}", *([f"store.uri='{server}'"] if server else [])),
        own={name: given[name] for name in own if name in given},
        settings=tuple(settings),
        together=timed == "together",
        paper=paper_style.style_of(style) if style else None,
    )
    return Command(
        figure=given.get("figure", ""),
        options=options,
        store=Path(root),
        figures=folder("figures", given["figures"]) if "figures" in given else Path("figures"),
        report=folder("report", given["report"]) if "report" in given else Path("report"),
        evidence=folder("evidence", given["evidence"]) if "evidence" in given else EVIDENCE,
        results=folder("results", given["results"]) if "results" in given else RESULTS,
        publish="publish" in flags,
        from_evidence="from" in given,
        check=_check(given, wanted="check" in flags),
        server=server,
        launcher=launcher,
        address=address,
        jobs=jobs,
        list_=list_,
        dry_run="--dry-run" in flags,
        scales=scales,
        uncommitted="uncommitted" in given,
    )


def _scales(given: Mapping[str, str], *, list_: bool) -> tuple[str, ...]:
    """Return the given scales; only ``--list`` takes several."""
    named = given.get("scale", "")
    scales = tuple(dict.fromkeys(named.split(","))) if list_ and named else (named,) if named else ()
    for scale in scales:
        if scale not in SCALES:
            raise FigureError(f"unknown scale {scale!r}; known: {', '.join(SCALES)}{nearest(scale, SCALES)}")
    if list_ and "dataset" in given and not scales:
        raise FigureError("--list tells of data sets with a scale only: add scale=demo, scale=quick or scale=paper")
    return scales


def _store(given: dict[str, str]) -> tuple[str, str | None]:
    """Return folder and server; ``store=`` may be either, or ``local`` or ``server`` as in ``run.py``."""
    store, root, server = (given.get(name) for name in STORE)
    if store == "server" and server is None:
        raise FigureError("store=server needs the address of an mlflow server: store.uri=http://HOST:5000")
    if store in ("local", "server"):
        store = None
    elif store is not None and store.startswith(("http:", "https:")):
        store, server = None, server or store
    for name, value in (("store", store), ("store.root", root)):
        if value is not None:
            folder(name, value)
    if store is not None and root is not None:
        raise FigureError(f"store={store} and store.root={root} are two folders: give one")
    return root or store or "results", server


def _shared(names: Sequence[Collection[str]]) -> list[str]:
    """Return the names that all lists have: an option must apply to all figures of the command."""
    return [name for name in (names[0] if names else ()) if all(name in others for others in names)]


def _launcher(name: str, address: str | None) -> tuple[str, str | None]:
    """Return launcher and address, from the command line or ``RAY_ADDRESS``."""
    if name != LAUNCHERS[0]:
        check_choice("launcher", name, LAUNCHERS)
    if name != RAY and address is not None:
        raise FigureError(f"address={address} is that of a Ray cluster: add launcher={RAY}")
    if name == RAY:
        check_launcher(RAY, f"launcher={RAY}")
        address = address or os.environ.get("RAY_ADDRESS") or None
        if address is not None:
            check_address(address)
    return name, address


def _check(given: Mapping[str, str], *, wanted: bool) -> Check | None:
    if not wanted:
        return None
    if "from" in given:
        raise FigureError("check makes published runs again; from=evidence draws them")
    runs = given.get("runs", "5")
    return Check(
        None if runs == EACH else _whole("runs", runs, least=1, other=EACH),
        _whole("seed", given.get("seed", "0"), least=0),
        folder("again", given["again"]) if "again" in given else None,
    )


def _jobs(value: str | None) -> int | None:
    return None if value is None else _whole("jobs", value, least=1)


def _whole(name: str, value: str, *, least: int, other: str = "") -> int:
    if not (value.isascii() and value.isdigit()) or int(value) < least:
        wanted = f"a whole number >= {least}" + (f" or {other!r}" if other else "")
        raise FigureError(f"{name} must be {wanted}, got {value!r}")
    return int(value)


class SeriesModule(Protocol):
    """A module that `FigureSpec.series_module` names."""

    def with_series(self, spec: FigureSpec, options: Options) -> FigureSpec:
        """Return the figure with the series that follow from its options, which have their values."""


def resolve_options(spec: FigureSpec, options: Options) -> FigureSpec:
    """Return a figure with the values of its options, and with the series of its `series_module` if it has one.

    Raises
    ------
    FigureError, SettingsError
        A value is not allowed.
    """
    values = {name: replace(own, value=options.own.get(name, own.value)) for name, own in spec.options.items()}
    chosen = replace(spec, options=values)
    if not spec.series_module:
        return chosen
    return cast(SeriesModule, importlib.import_module(spec.series_module)).with_series(chosen, options)
