"""The words on the command line of ``reproduce.py``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.reproduction.plan import Options
from experiments.reproduction.spec import SCALES, FigureError, FigureSpec
from experiments.settings import available_cores, nearest, setting_name

FLAGS = ("--list", "--dry-run", "--help", "-h")
RESOURCES = ("memory", "threads")
"""Settings of ``run.py`` that are handed on: results do not depend on them."""
NAMES = ("figure", "scale", "dataset", "jobs", "store", "figures", "report", *RESOURCES)


@dataclass(frozen=True)
class Command:
    """What is to be done.

    Attributes
    ----------
    figure : str
        As `experiments.reproduction.spec.choose` takes it, or ``report``; empty with `list_`.
    options : Options
    store, figures, report : Path
        Folders.
    list_, dry_run : bool
    """

    figure: str
    options: Options
    store: Path
    figures: Path
    report: Path
    list_: bool
    dry_run: bool


def figure_named(words: Sequence[str]) -> str:
    """Return what ``figure=`` names on a command line; empty where it names nothing."""
    return next((word.partition("=")[2] for word in reversed(words) if word.startswith("figure=")), "")


def parse(words: Sequence[str], figures: Sequence[FigureSpec] = ()) -> Command:
    """Understand a command line.

    Parameters
    ----------
    words : sequence of str
    figures : sequence of FigureSpec
        Those that it names: what options all of them have for their own, and which settings of ``run.py`` they let it
        change.

    Raises
    ------
    FigureError
        A word has another form, an unknown name, or a value that is not allowed; or no figure is named.
    """
    given: dict[str, str] = {}
    flags: set[str] = set()
    settings: list[str] = []
    own, groups = _shared([figure.options for figure in figures]), _shared([figure.settings for figure in figures])
    names = (*NAMES, *own)
    for word in words:
        name, equals, value = word.partition("=")
        name = {"store.root": "store"}.get(name, name)
        if word in FLAGS:
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
    scale = given.get("scale", "quick")
    if scale not in SCALES:
        raise FigureError(f"unknown scale {scale!r}; known: {', '.join(SCALES)}{nearest(scale, SCALES)}")
    overrides = [f"{name}={given[name]}" for name in RESOURCES if name in given]
    options = Options(
        scale=scale,
        datasets=tuple(dict.fromkeys(given["dataset"].split(","))) if "dataset" in given else (),
        jobs=_jobs(given.get("jobs")),
        overrides=(*overrides, f"store.root={given.get('store', 'results')}"),
        own={name: given[name] for name in own if name in given},
        settings=tuple(settings),
    )
    return Command(
        figure=given.get("figure", ""),
        options=options,
        store=Path(given.get("store", "results")),
        figures=Path(given.get("figures", "figures")),
        report=Path(given.get("report", "report")),
        list_=list_,
        dry_run="--dry-run" in flags,
    )


def _shared(names: Sequence[Collection[str]]) -> list[str]:
    """Names that are in all of the lists: a word that only some figures take would not change the others."""
    return [name for name in (names[0] if names else ()) if all(name in others for others in names)]


def _jobs(value: str | None) -> int:
    if value is None:
        return available_cores()
    if not value.isdigit() or int(value) < 1:
        raise FigureError(f"jobs must be a whole number >= 1, got {value!r}")
    return int(value)
