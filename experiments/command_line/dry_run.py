"""``--dry-run``: the settings that a command chooses, and the runs that it would make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml  # type: ignore[import-untyped]
from omegaconf import DictConfig

from ... import datasets, solvers
from ..configuration.composition import settings_of
from ..configuration.presets import DEFAULT, SIZES
from ..configuration.schema import RENAMED, RunConfig
from ..configuration.settings import RunSettings
from ..processes.outcome import Outcome, outcome_of
from ..processes.streams import print_error
from ..run.console import note
from ..run.identity import code_id, run_key
from ..store import Store


def show_plan(config: DictConfig | RunConfig, overrides: Sequence[str], number: int | None = None) -> Outcome:
    """Print all settings of a run with presets filled in and who chose a value, and whether the store has the run.

    A job of a sweep has a number, and only a line is printed. The outcome has the path of the result if there is one.
    An error is printed as a sentence.
    """
    prefix = "" if number is None else f"[{number}] {' '.join(overrides)}: "

    def make() -> Outcome:
        settings = settings_of(overrides, config, jobs=None if number is None else 1)
        if number is None:
            print(settings_text(settings), flush=True)
        return _plan(settings)

    outcome = outcome_of(make, lambda: prefix)
    if outcome.exit_code:
        print_error(f"{prefix}error: {outcome.message}")
    else:
        print(f"{prefix}{outcome.label}", flush=True)
    return outcome


def _plan(settings: RunSettings) -> Outcome:
    build = solvers.build_info()
    data = datasets.fingerprint(settings.dataset, note=note)
    key = run_key(settings.identity(), data, build["build_id"], build["isa"], code_id(settings.solver))
    run = Store.open(settings.store_root, read_only=True, server=settings.store_uri).find_finished(key)
    if run is None:
        return Outcome("to make", "found")
    return Outcome(f"in the store, {run.result_path}", "found", result_path=str(run.result_path))


def settings_text(settings: RunSettings) -> str:
    """Return the settings of a run as YAML; comments name origins other than the default."""
    given = {name.removeprefix("dataset."): None for name in settings.origins if name.startswith("dataset.")}
    groups: dict[str, Any] = settings.identity()
    sizes = [name for name in SIZES if getattr(settings.dataset, name) is not None]  # a protocol sets these, too
    groups["dataset"] = {name: getattr(settings.dataset, name) for name in ("name", *given, *sizes)}
    groups |= {"threads": settings.threads, "memory": settings.memory_bytes, "rows": {"provider": settings.rows}}
    groups["store"] = {
        "root": str(settings.store_root),
        "uri": settings.store_uri,
        "wait": settings.store_wait,
    }
    lines: list[str] = []
    for group, value in groups.items():
        if not isinstance(value, Mapping):
            lines.append(_line(group, value, settings.origins.get(group)))
            continue
        lines.append(f"{group}:")
        for name, item in value.items():
            setting = RENAMED.get(f"{group}.{name}", f"{group}.{name}")
            origin = settings.origins.get(setting, settings.origins.get(group) if name == "name" else None)
            lines.append("  " + _line(setting.removeprefix(f"{group}."), item, origin))
    return "\n".join(lines)


def _line(name: str, value: Any, origin: str | None) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, width=10**6).removesuffix("...\n").strip()
    return f"{name}: {text}" + (f"  # {origin}" if origin not in (None, DEFAULT) else "")
