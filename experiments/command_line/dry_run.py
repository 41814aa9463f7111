"""``--cfg job`` and ``--dry-run``: the settings that a command chooses, and the runs that it would make."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import yaml  # type: ignore[import-untyped]
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig

import datasets
import solvers
from experiments.configuration.composition import config_of
from experiments.configuration.presets import DEFAULT
from experiments.configuration.schema import RENAMED
from experiments.configuration.settings import RunSettings, resolve, setting_name
from experiments.processes.outcome import Outcome
from experiments.run.code_identity import code_id
from experiments.run.errors import outcome_of, print_error
from experiments.run.identity import run_key
from experiments.store import Store

DRY_RUN, SETTINGS = "--dry-run", ("--cfg", "-c")


def asked(words: Sequence[str]) -> tuple[Callable[[DictConfig], Outcome] | None, list[str]]:
    """Return what answers a command instead of its runs, and the command without the words that ask for it.

    Parameters
    ----------
    words : sequence of str
        A command line. ``--cfg`` of anything but ``job``, or with ``--package`` or ``--resolve``, is Hydra's.

    Returns
    -------
    answer : callable or None
        Called with the composed configuration of each job; None: the command makes its runs.
    words : list of str
    """
    if DRY_RUN in words:
        return show_plan, [word for word in words if word != DRY_RUN]
    joined = [f"{flag}=job" for flag in SETTINGS]
    places = [
        k for k, word in enumerate(words) if word in joined or (word in SETTINGS and words[k + 1 : k + 2] == ["job"])
    ]
    if len(places) != 1 or {"--package", "-p", "--resolve", "--multirun", "-m"} & set(words):
        return None, list(words)
    (place,) = places
    return show_settings, [*words[:place], *words[place + (1 if words[place] in joined else 2) :]]


def show_settings(composed: DictConfig) -> Outcome:
    """Print all settings of a run as YAML, with presets filled in; comments say who chose a value."""
    return _answered(composed, lambda settings, overrides: Outcome(settings_text(settings), "found"))


def show_plan(composed: DictConfig) -> Outcome:
    """Print whether the store has the run, after its settings; of a job of a sweep only a line.

    The outcome has the path of the result if there is one.
    """
    return _answered(composed, _plan)


def _answered(composed: DictConfig, answer: Callable[[RunSettings, Sequence[str]], Outcome]) -> Outcome:
    """Print the label of the answer; an error is printed as a sentence and returned as an outcome."""
    hydra_config = HydraConfig.get()
    overrides = list(hydra_config.overrides.task)
    sweep = hydra_config.mode == RunMode.MULTIRUN
    prefix = f"[{hydra_config.job.num}] {' '.join(overrides)}: " if sweep else ""

    def make() -> Outcome:
        given = [setting_name(word) for word in overrides]
        settings = resolve(config_of(composed), given=given, jobs=1 if sweep else None)
        return answer(settings, () if sweep else overrides)

    outcome = outcome_of(make, lambda: prefix)
    if outcome.exit_code:
        print_error(f"{prefix}error: {outcome.message}")
    else:
        sys.stdout.write(f"{prefix}{outcome.label}\n")
        sys.stdout.flush()
    return outcome


def _plan(settings: RunSettings, overrides: Sequence[str]) -> Outcome:
    build = solvers.build_info()
    data = datasets.fingerprint(settings.dataset)
    key = run_key(settings.identity(), data, build["build_id"], build["isa"], code_id(settings.solver))
    found = Store.open(settings.store_root, read_only=True, server=settings.store_uri).find_finished(key)
    text = "to make" if found is None else f"in the store, {found.result_path}"
    path = None if found is None else str(found.result_path)
    return Outcome(f"{settings_text(settings)}\n{text}" if overrides else text, "found", result_path=path)


def settings_text(settings: RunSettings) -> str:
    """Return the settings of a run as YAML; comments name origins other than the default."""
    given = {name.removeprefix("dataset."): None for name in settings.origins if name.startswith("dataset.")}
    groups: dict[str, Any] = settings.identity()
    # a protocol sets these, too
    sizes = [name for name in ("max_train", "max_test") if getattr(settings.dataset, name) is not None]
    groups["dataset"] = {name: getattr(settings.dataset, name) for name in ("name", *given, *sizes)}
    groups |= {"threads": settings.threads, "memory": settings.memory_bytes, "rows": {"provider": settings.rows}}
    groups["store"] = {"root": str(settings.store_root), "uri": settings.store_uri}
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
