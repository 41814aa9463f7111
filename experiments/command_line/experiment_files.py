"""``+experiment=NAME``: the settings of a file ``experiment/NAME.yaml``, in ``conf/`` or in a folder of the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml  # type: ignore[import-untyped]

from svm_cost_curves.experiments.configuration.choices import option_files
from svm_cost_curves.solvers import SettingsError
from svm_cost_curves.support.text import known_names, setting_name
from svm_cost_curves.support.values import flatten

NAME = "experiment"


def with_experiment(words: Sequence[str]) -> list[str]:
    """Return a command line in which ``+experiment=NAME`` is replaced by the settings of its file.

    What is typed as well wins. A setting of the file is written as on the command line: ``seed: range(3)`` is a sweep.

    Raises
    ------
    SettingsError
        There is no such file, it is no list of settings, or several are named.
    """
    names = [word.partition("=")[2] for word in words if setting_name(word) == NAME]
    if not names:
        return [*words]
    if len(names) > 1 or "," in names[0]:
        raise SettingsError(f"+{NAME}={','.join(names)}: one at a time; the values of a sweep can stand in its file")
    files = option_files(NAME)
    if names[0] not in files:
        raise SettingsError(f"unknown experiment {names[0]!r}{known_names(names[0], sorted(files))}")
    path = files[names[0]]
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise SettingsError(f"{path}: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise SettingsError(f"{path}: it must have lines NAME: VALUE, as algo: sbp")
    if "defaults" in content:
        raise SettingsError(f"{path}: an experiment has no defaults list: write algo: smo")
    typed = {setting_name(word) for word in words}
    added = [f"{name}={_text(value)}" for name, value in flatten(content) if name not in typed]
    place = next(number for number, word in enumerate(words) if setting_name(word) == NAME)
    return [*words[:place], *added, *words[place + 1 :]]


def _text(value: Any) -> str:
    if isinstance(value, list):
        return f"[{','.join(map(_text, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
