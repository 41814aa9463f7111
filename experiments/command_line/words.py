"""Translate a command line into words for Hydra, and the words of a sweep into its jobs."""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from hydra.core.config_loader import ConfigLoader
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, RangeSweep

from ...solvers import SettingsError
from ...support.text import known_names, nearest, quoted, setting_name
from ...support.values import flatten
from ..configuration.choices import CONFIG_OPTIONS, EXPERIMENT, option_files
from ..configuration.composition import compose, config_of, groups, settings_of
from ..configuration.explain import A_SWEEP, hint_of
from ..configuration.grammar import IN_A_JOB, as_text, is_sweep, parsed, parsed_or_none, with_quotes
from ..configuration.options import read_options
from ..configuration.schema import KERNELS, RunConfig
from ..run.console import note
from .plugins import register_plugins

_SWEEP: Final = ("--multirun", "-m")
_COMPLETION: Final = ("--shell-completion", "-sc")
_INFO: Final = ("--info", "-i")
"""Its value may be missing."""
_OTHER_SETTINGS: Final = ("--config-path", "-cp", "--config-name", "-cn", "--experimental-rerun")
"""Options of Hydra that replace ``conf/config.yaml``, which the jobs of a sweep read; or load a pickle."""
_WITH_VALUE: Final = ("--cfg", "-c", "--package", "-p", *CONFIG_OPTIONS, *_INFO)
_OPTIONS: Final = (
    *("--dry-run", "--help", "-h", "--version", "--hydra-help", "--resolve", "--run", "-r"),
    *(*_COMPLETION, *_SWEEP, *_WITH_VALUE),
)
"""Options of this program and of Hydra."""
_SHOWN: Final = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")
_CFG: Final = ("job", "hydra", "all")
_FORMATS: Final = re.compile(r"^format=([\w,]+)$")  # not a sweep over the formats
_SETTING: Final = re.compile(r"[A-Za-z_][\w-]*(\.\w[\w-]*)*", re.ASCII)
_CALL: Final = re.compile(r"(?P<setting>[^=]+)=\s*(?P<name>logspace|linspace)\((?P<arguments>.*)\)\s*")
_HYDRA: Final = "hydra($|[./@])"
"""Begins the name of a setting of Hydra."""
_MOST_VALUES, _MOST_JOBS = 10_000, 100_000
_CHECKED_JOBS: Final = 100
"""Most jobs checked here, where an error can name the experiment's file; the sweep itself checks all jobs."""


def register() -> None:
    """Register with Hydra the schemas of the configuration and of the kernels, and the source of all options."""
    # conf/hydra/launcher replaces files of plugins, which may not be installed
    warnings.filterwarnings("ignore", r"\s*'hydra/launcher/\S+' is validated against ConfigStore schema")
    register_plugins()
    store = ConfigStore.instance()
    store.store(name="schema", node=RunConfig)
    for name, schema in KERNELS.items():
        store.store(group="schema/kernel", name=name, node=schema)


def translated(arguments: Sequence[str]) -> list[str]:
    """Return a command line of this program as Hydra understands it.

    ``--dry-run`` becomes a setting, ``+experiment=NAME`` the settings of its file, ``logspace(...)`` a list, the
    formats of a picture one text, and texts that Hydra's grammar does not read get quotes. Options follow the settings:
    Hydra reads no option between two of them, and not ``--config-dir``, as `plugins.Options` has these folders. In a
    sweep a value within a swept group is checked in each job (`for_each_job`). A folder that ``hydra.run.dir=`` names
    gets Hydra's files. SettingsError: an option or an experiment is unknown, a file or a list of values is wrong.
    """
    settings, flags = _parted(arguments)
    _check_shown(flags)
    chosen = re.compile(rf"^\+{{1,2}}(?=({'|'.join(groups())})=(?!\{{))")
    settings = [chosen.sub("", word) for word in settings]
    sweeps = bool({*_SWEEP} & {*flags})
    if "--dry-run" in flags:
        settings.append("dry_run=true")
    typed = _hydra_words([word for word in settings if setting_name(word) != EXPERIMENT], sweeps)
    file, settings = _with_experiment(settings, sweeps)
    settings = _hydra_words(settings, sweeps)
    names = {setting_name(word) for word in settings}
    if "hydra.run.dir" in names and "hydra.output_subdir" not in names:
        settings.append("hydra.output_subdir=.hydra")
    settings = for_each_job(settings) if sweeps else settings
    if not {*_COMPLETION} & {*flags}:
        if file is None:
            _check(settings, sweeps)
        else:
            _check_file(file, settings, typed, sweeps)
    return [*settings, *(flag for flag in flags if flag != "--dry-run")]


def _hydra_words(settings: Sequence[str], sweeps: bool) -> list[str]:
    return [with_quotes(_expanded(_FORMATS.sub(r"format='\1'", word), sweeps)) for word in settings]


def _check_file(file: Path, settings: Sequence[str], typed: Sequence[str], sweeps: bool) -> None:
    """Refuse a file's words that `_check` refuses or whose values are wrong; name the file if it causes the error."""

    def check(settings: Sequence[str]) -> None:
        _check(settings, sweeps)
        ours = [word for word in settings if not re.match(_HYDRA, parsed(word).key_or_group)]
        for job in itertools.islice(jobs_of(ours), _CHECKED_JOBS):
            if not any(map(IN_A_JOB.search, job)):
                settings_of(job, jobs=1 if sweeps else None)

    try:
        check(settings)
    except SettingsError as error:
        try:
            check(typed)
        except SettingsError as of_typed:
            if str(of_typed) == str(error):
                raise
        raise SettingsError(f"{file}: {error}") from error


def _check(settings: Sequence[str], sweeps: bool) -> None:
    """Refuse words that cannot be composed, before Hydra refuses them with worse messages; swept words are not checked.

    Hydra would also take a path to a file for an option.
    """
    overrides = {word: parsed(word) for word in settings}
    theirs = [word for word, override in overrides.items() if re.match(_HYDRA, override.key_or_group)]
    ours = [word for word in settings if word not in theirs and not (sweeps and overrides[word].is_sweep_override())]
    composed = compose(ours)
    if not sweeps and not any(map(IN_A_JOB.search, ours)):
        config_of(composed)  # Hydra would write a line on a ${...} that stands for nothing


def _check_shown(flags: Sequence[str]) -> None:
    """Refuse a part of the configuration that ``--cfg`` and ``--package`` cannot print."""
    for flag, after in itertools.pairwise([*flags, ""]):
        option, joined, value = flag.partition("=")
        value = value if joined else after
        if option in ("--cfg", "-c") and value not in _CFG:
            raise SettingsError(f"{option} must be followed by one of {', '.join(_CFG)}; got {quoted(value)!r}")
        if option in _INFO and value not in _SHOWN and (joined or not value.startswith("-")) and value:
            raise SettingsError(f"{option} must be followed by one of {', '.join(_SHOWN)}; got {quoted(value)!r}")
        if option in ("--package", "-p") and not (value.startswith(("hydra", "_")) or hint_of(value)):
            raise SettingsError(f"{option} {quoted(value)}: there is no such group of settings, as algo or dataset")


def _parted(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the settings and the options of a command line; refuse options that Hydra does not have, and Optuna."""
    settings: list[str] = []
    flags: list[str] = []
    for before, word, after in zip(["", *arguments], arguments, [*arguments[1:], ""], strict=False):
        option, _, value = word.partition("=")
        is_value = before in _WITH_VALUE and not word.startswith("-") and not (before in _INFO and "=" in word)
        if option in CONFIG_OPTIONS or (is_value and before in CONFIG_OPTIONS):
            continue  # `config_folders`
        if ("=" in word and option in _OPTIONS and option not in _WITH_VALUE) or word in ("-", "--"):
            alone = f"{option}, without a value, or " if option.strip("-") else ""
            raise SettingsError(f"{quoted(word)}: write {alone}NAME=VALUE")
        if option in _OPTIONS or is_value:
            flags.append(word)
        elif option in _OTHER_SETTINGS:
            raise SettingsError(
                f"{option}: this program has one configuration, conf/config.yaml; for settings from a file of yours, "
                "FOLDER/experiment/NAME.yaml, write --config-dir FOLDER +experiment=NAME"
            )
        elif setting_name(word) == "hydra.searchpath":
            raise SettingsError(f"{quoted(word)}: name a folder of yours by --config-dir FOLDER or SVM_CONFIG_DIR")
        elif word.startswith("-"):
            value = value or (after if after and "=" not in after and not after.startswith("-") else "VALUE")
            hint = nearest(option, _OPTIONS, 0.8) or f": write a setting without dashes, {option.lstrip('-')}={value}"
            raise SettingsError(f"unknown option {quoted(option)}{hint}")
        elif word == "hydra/sweeper=optuna":
            raise SettingsError(f"{word}: its plugin needs Optuna 2; docs/settings.md searches with today's Optuna")
        else:
            settings.append(word)
    return settings, flags


def _with_experiment(arguments: Sequence[str], sweeps: bool) -> tuple[Path | None, list[str]]:
    """Replace ``+experiment=NAME`` by the settings of a file ``experiment/NAME.yaml``, and return the file, too.

    A setting on the command line replaces the setting in the file.

    A setting of the file is written as on the command line: ``seed: range(3)`` is a sweep.
    """
    indices = [index for index, word in enumerate(arguments) if setting_name(word) == EXPERIMENT]
    if not indices:
        return None, [*arguments]
    name = ",".join(arguments[index].partition("=")[2] for index in indices)
    if "," in name:
        raise SettingsError(f"+{EXPERIMENT}={quoted(name)}: one at a time; the values of a sweep can stand in its file")
    files = option_files(EXPERIMENT)
    if name not in files:
        raise SettingsError(f"unknown experiment {quoted(name)!r}{known_names(name, sorted(files))}")
    typed = {setting_name(word) for word in arguments}
    settings = {setting: value for setting, value in flatten(read_options(files[name])) if setting not in typed}
    if wrong := next((setting for setting in settings if not _SETTING.fullmatch(setting)), None):
        raise SettingsError(f"{files[name]}: {quoted(wrong)!r} is not the name of a setting, as algo or budget.epochs")
    added = [with_quotes(f"{setting}={_text(value)}") for setting, value in settings.items()]
    swept = [word for word in added if _CALL.fullmatch(word) or is_sweep(word)]
    if swept and not sweeps:
        raise SettingsError(f"{files[name]} is a sweep ({quoted(swept[0])}), which needs -m (or --multirun)")
    if places_of_results := [word for word in added if setting_name(word).partition(".")[0] in ("store", "model")]:
        note(f"{files[name]} sets {' '.join(places_of_results)}")
    return files[name], [*arguments[: indices[0]], *added, *arguments[indices[0] + 1 :]]


def _text(value: Any) -> str:
    """Return a value of a file as it is written on the command line."""
    if isinstance(value, list):
        return f"[{','.join(as_text(item) if isinstance(item, str) else _text(item) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{','.join(f'{name}:{_text([item])[1:-1]}' for name, item in value.items())}}}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def _expanded(word: str, sweeps: bool) -> str:
    """Write ``logspace(a,b,n)`` and ``linspace(a,b,n)`` as n evenly spaced values of twelve digits, with both ends.

    Those of ``logspace`` are evenly spaced in the logarithm, from 10^a to 10^b.
    """
    if (call := _CALL.fullmatch(word)) is None:
        return word
    name = call["name"]
    try:
        first, last, count = (float(part) for part in call["arguments"].split(","))
    except ValueError:
        raise SettingsError(f"{quoted(word)}: {name} needs three numbers: first, last, number of values") from None
    if not (math.isfinite(first) and math.isfinite(last) and count.is_integer() and 1 <= count <= _MOST_VALUES):
        raise SettingsError(
            f"{quoted(word)}: first and last must be finite, the number of values from 1 to {_MOST_VALUES:,}"
        )
    values = np.linspace(first, last, int(count))
    if name == "logspace":
        if max(abs(first), abs(last)) > 300:
            raise SettingsError(f"{word}: logspace takes exponents of 10, from -300 to 300")
        values = np.power(10.0, values)
    if not sweeps:
        raise SettingsError(f"{quoted(word)}: {A_SWEEP}")
    return f"{call['setting']}={','.join(f'{value:.12g}' for value in values)}"


def for_each_job(arguments: Sequence[str]) -> list[str]:
    """Return the words of a sweep, changed so that a value within a swept group is checked in each job.

    Hydra composes a sweep once before its jobs, without the swept words. A fixed ``algo.features=256`` would be checked
    against the default algorithm there; as a sweep over one value it is checked in the jobs only. Words that Hydra
    cannot parse are returned unchanged.
    """
    overrides = {word: override for word in arguments if (override := parsed_or_none(word)) is not None}
    swept = {override.key_or_group for override in overrides.values() if override.is_sweep_override()}
    return [_as_sweep(overrides[word]) if _within(overrides.get(word), swept) else word for word in arguments]


def jobs_of(overrides: Sequence[str], loader: ConfigLoader | None = None) -> list[list[str]]:
    """Return the words of each job of a sweep: all combinations of the values, those of the last setting first.

    Of two values of a setting the later one counts. The loader knows what ``glob(...)`` stands for.

    Raises
    ------
    SettingsError
        A setting has an interval in place of values, or no value, as ``range(0)``.
    HydraException
        A word is not ``NAME=VALUE``.
    """
    values: dict[str, list[str]] = {}
    for override in OverridesParser.create(loader).parse_overrides([*overrides]):
        name = override.get_key_element()
        if override.is_interval_sweep():
            raise SettingsError(f"{quoted(str(override.input_line))}: a sweep needs single values, as in {name}=1,2")
        swept, value = override.is_sweep_override(), override.value()
        span: Any = vars(value) if isinstance(value, RangeSweep) else {}
        if span and not span["step"]:
            raise SettingsError(f"{quoted(str(override.input_line))}: the step of range(first,last,step) must not be 0")
        if span and (span["stop"] - span["start"]) / span["step"] > _MOST_JOBS:
            raise SettingsError(f"{quoted(str(override.input_line))}: a sweep has at most {_MOST_JOBS:,} runs")
        texts = override.sweep_string_iterator() if swept else [override.get_value_element_as_str()]
        values[name] = [with_quotes(f"{name}={text}") for text in texts]  # choice() has lost them
        if not values[name]:
            raise SettingsError(f"{override.input_line}: {str(override.input_line).partition('=')[2]} has no values")
    if (count := math.prod(map(len, values.values()))) > _MOST_JOBS:
        raise SettingsError(f"a sweep has at most {_MOST_JOBS:,} runs, and this one has {count:,}")
    return [[*job] for job in itertools.product(*values.values())]


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
