"""A file of settings from a stranger: plain values, or one sentence that names the file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from svm_cost_curves.experiments.configuration.choices import CONF
from svm_cost_curves.support.errors import SettingsError
from svm_cost_curves.support.settings_file import DEEPEST, MOST_BYTES, MOST_VALUES, read_yaml

NINE = ",".join(["{}"] * 9)
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{NINE.format(*[f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
WRONG = {
    "code": "a: !!python/object/apply:os.system [id]",
    "code by a shorter name": "%TAG ! tag:yaml.org,2002:python/\n---\na: !name:os.system",
    "unknown tag": "a: !nothing 1",
    "tag of another type": "a: !!int ''",
    "contains itself": "a: &a [*a]",
    "group that contains itself": "&a {b: {c: *a}}",
    "unknown alias": "a: *b",
    "bomb": BOMB,
    "bomb of merged groups": BOMB.replace("[", "{<<: [").replace("]", "]}").replace("x", "{y: 1}"),
    "many values": f"a: [{'1,' * MOST_VALUES}]",
    "deep": "a: " + "[" * 100_000,
    "deep groups": "{a: " * 100_000,
    "deep lines": "".join(f"{' ' * depth}a:\n" for depth in range(DEEPEST + 1)),
    "twice": "a: 1\nb: {c: 2, c: 3}",
    "zero byte": "\0\1",
    "zero in a text": 'a: "x\\0y"',
    "a name that is a list": "? [a]\n: 1",
    "two documents": "a: 1\n---\na: 2",
    "not YAML": "a: [1",
    "tab": "a:\n\tb: 1",
    "long number": f"a: {'1' * 5000}",
    "value mark": "a: =",
    "half a character": 'a: "\\ud800"',
    "large": "#" * (MOST_BYTES + 1),
    "Latin-1": "a: ä".encode("latin-1"),
    "UTF-16": "a: b".encode("utf-16"),
    "UTF-16 without its mark": "a: b".encode("utf-16-le"),
}


@pytest.mark.parametrize("content", WRONG.values(), ids=WRONG)
def test_what_is_no_plain_settings_file_is_one_sentence(content: str | bytes, tmp_path: Path) -> None:
    path = tmp_path / "a file.yaml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(SettingsError) as caught:
        read_yaml(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


def test_a_pipe_a_folder_and_a_missing_file_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "none", Path("/dev/zero")):
        with pytest.raises(SettingsError, match=f"^{path}: "):
            read_yaml(path)


def test_plain_values_are_read(tmp_path: Path) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(
        "\ufeffa: [1e-3, 1.5, 7, '7', true, null, 2026-11-27]\nb: &b {c: ü 😀}\nd: {<<: *b, e: *b}\n", encoding="utf-8"
    )
    group = {"c": "ü 😀"}
    assert read_yaml(path) == {
        "a": [1e-3, 1.5, 7, "7", True, None, "2026-11-27"],
        "b": group,
        "d": {**group, "e": group},
    }


def test_the_files_of_the_project_are_read_as_by_omegaconf() -> None:
    from omegaconf import OmegaConf

    files = [*CONF.glob("dataset/*.yaml"), *CONF.glob("[ehkps]*/**/*.yaml"), CONF / "config.yaml"]
    assert len(files) > 60
    for path in files:
        assert read_yaml(path) == OmegaConf.to_container(OmegaConf.load(path)), path
