"""What Hydra is told before it composes a command line, and the jobs that a sweep's words stand for."""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Collection, Sequence
from typing import Any

from hydra.core.config_loader import ConfigLoader
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override

from svm_cost_curves import solvers
from svm_cost_curves.experiments.command_line.experiment_files import with_experiment
from svm_cost_curves.experiments.command_line.value_lists import expanded
from svm_cost_curves.experiments.configuration.choices import CONF
from svm_cost_curves.experiments.configuration.composition import parsed
from svm_cost_curves.experiments.configuration.preset_tables import options, read_tables
from svm_cost_curves.experiments.configuration.schema import KERNELS, RunConfig, algo_schema
from svm_cost_curves.solvers import SettingsError
from svm_cost_curves.support.text import nearest, setting_name

_OPTIONS = (
    *(
        "--dry-run",
        "--help",
        "-h",
        "--version",
        "--hydra-help",
        "--cfg",
        "-c",
        "--resolve",
        "--package",
        "-p",
        "--run",
        "-r",
    ),
    *("--multirun", "-m", "--shell-completion", "-sc", "--config-path", "-cp", "--config-name", "-cn", "--config-dir"),
    *("-cd", "--experimental-rerun", "--info", "-i"),
)
"""Options of this program and of Hydra."""
_WITH_VALUE = ("--cfg", "-c", "--package", "-p", "--config-path", "-cp", "--config-name", "-cn", "--config-dir", "-cd")
_FORMATS = re.compile(r"^format=([\w,]+)$")  # not a sweep over the formats


def register() -> None:
    """Register with Hydra the schema of every group, each solver as an option of ``algo``, each row of ``conf/preset``.

    Raises
    ------
    SettingsError
        A table of presets does not have its form; see `experiments.configuration.preset_tables.options`.
    """
    # conf/hydra/launcher replaces files of plugins, which may not be installed
    warnings.filterwarnings("ignore", r"\s*'hydra/launcher/\w+' is validated against ConfigStore schema")
    store = ConfigStore.instance()
    store.store(name="schema", node=RunConfig)
    for name, schema in KERNELS.items():
        store.store(group="schema/kernel", name=name, node=schema)
    for name in solvers.names():
        solver: Any = solvers.get(name)
        store.store(group="algo", name=name, node=algo_schema(name, solver.Settings))
    store.repo.pop("preset", None)  # a table may have changed since the last call
    for (group, name), preset in options(read_tables(CONF / "preset")).items():
        store.store(group=f"preset/{group}", name=name, node=preset)


def translated(words: Sequence[str]) -> list[str]:
    """Return a command line of this program as Hydra understands it.

    ``--dry-run`` becomes a setting, ``+experiment=NAME`` the settings of its file, ``logspace(...)`` a list, and the
    formats of a picture one text. Options follow the settings. In a sweep a value within a swept group is checked in
    each job (`for_each_job`). A folder that ``hydra.run.dir=`` names gets Hydra's files.

    Raises
    ------
    SettingsError
        An option is unknown, or see `experiments.command_line.value_lists.expanded` and `with_experiment`.
    """
    sweeps = bool({"--multirun", "-m"} & set(words))
    _check_options(words)
    changed = with_experiment(words)
    changed = ["dry_run=true" if word == "--dry-run" else _FORMATS.sub(r"format='\1'", word) for word in changed]
    changed = expanded(changed, sweeps=sweeps)
    given = {setting_name(word) for word in changed}
    if "hydra.run.dir" in given and "hydra.output_subdir" not in given:
        changed.append("hydra.output_subdir=.hydra")
    return options_last(for_each_job(changed) if sweeps else changed)


def options_last(words: Sequence[str]) -> list[str]:
    """Return a command line whose options stand behind its settings: Hydra reads no option between two settings."""
    settings: list[str] = []
    options: list[str] = []
    for before, word in itertools.pairwise(["", *words]):
        value = before in (*_WITH_VALUE, "--experimental-rerun") or (before in ("--info", "-i") and "=" not in word)
        (options if value or word.startswith("-") else settings).append(word)
    return [*settings, *options]


def config_folders(words: Sequence[str]) -> list[str]:
    """Return the folders that ``--config-dir`` names on a command line; jobs of sweeps look for options there, too."""
    flags = ("--config-dir", "-cd")
    after = [word for flag, word in itertools.pairwise(words) if flag in flags]
    return [*after, *(word.partition("=")[2] for word in words if word.partition("=")[0] in flags and "=" in word)]


def _check_options(words: Sequence[str]) -> None:
    """Refuse options that Hydra does not have, and its sweeper Optuna."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        option, _, value = word.partition("=")
        if word == "hydra/sweeper=optuna":
            raise SettingsError(f"{word}: its plugin needs Optuna 2; docs/settings.md searches with today's Optuna")
        if word.startswith("-") and option not in _OPTIONS:
            name = option.lstrip("-")
            value = value or (after if after and "=" not in after and not after.startswith("-") else "VALUE")
            hint = nearest(option, _OPTIONS, 0.8) or f": write a setting without dashes, {name}={value}"
            raise SettingsError(f"unknown option {option}{hint}")


def for_each_job(words: Sequence[str]) -> list[str]:
    """Return the words of a sweep, changed so that a value within a swept group is checked in each job.

    Hydra composes a sweep once before its jobs, without the swept words. A fixed ``algo.features=256`` would be checked
    against the default algorithm there; as a sweep over one value it is checked in the jobs only.

    Parameters
    ----------
    words : sequence of str
        A command line with ``-m``; words that Hydra cannot parse are returned unchanged.
    """
    overrides = {word: override for word in words if (override := _parsed(word)) is not None}
    swept = {override.key_or_group for override in overrides.values() if override.is_sweep_override()}
    return [_as_sweep(overrides[word]) if _within(overrides.get(word), swept) else word for word in words]


def jobs_of(words: Sequence[str], loader: ConfigLoader | None = None) -> list[list[str]]:
    """Return the words of each job of a sweep: all combinations of the values, those of the last setting first.

    Parameters
    ----------
    words : sequence of str
        Of two values of a setting the later one counts.
    loader : ConfigLoader or None
        Knows what ``glob(...)`` stands for.

    Raises
    ------
    SettingsError
        A setting has an interval in place of values, or no value, as ``range(0)``.
    HydraException
        A word is not ``NAME=VALUE``.
    """
    values: dict[str, list[str]] = {}
    for override in OverridesParser.create(loader).parse_overrides([*words]):
        name = override.get_key_element()
        if override.is_interval_sweep():
            raise SettingsError(f"{override.input_line}: a sweep needs single values, as in {name}=1,2")
        swept = override.is_sweep_override()
        texts = override.sweep_string_iterator() if swept else [override.get_value_element_as_str()]
        values[name] = [f"{name}={text}" for text in texts]
        if not values[name]:
            raise SettingsError(f"{override.input_line}: {str(override.input_line).partition('=')[2]} has no values")
    return [[*job] for job in itertools.product(*values.values())]


def _parsed(word: str) -> Override | None:
    try:
        return None if word.startswith("-") else parsed(word)
    except SettingsError:
        return None


def _within(override: Override | None, groups: Collection[str]) -> bool:
    """Return whether an override sets one value of a group, as ``algo.features=256`` of ``algo``."""
    return (
        override is not None
        and not (override.is_sweep_override() or override.is_delete() or override.value() == "")
        and override.key_or_group.partition(".")[0] in groups
        and "." in override.key_or_group
    )


def _as_sweep(override: Override) -> str:
    return f"{override.get_key_element()}=choice({override.get_value_string()})"
