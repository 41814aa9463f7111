from __future__ import annotations

import copy
import enum
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.run.identity import KEY_LENGTH, canonical_json, run_key, settings_key

RESOURCES = ["threads=2", "memory=1GiB", "rows.provider=cache"]

names = st.text(min_size=1, max_size=6)
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8)
)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=8
)
settings_dicts = st.dictionaries(names, values, max_size=5)


def same(a: Any, b: Any) -> bool:
    """Equality of settings: Python's, but True is not 1."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def reordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: reordered(value[name]) for name in reversed(value)}
    if isinstance(value, list):
        return tuple(reordered(item) for item in value)
    return value


@given(settings_dicts)
def test_order_of_keys_and_kind_of_sequence_do_not_matter(settings: dict[str, Any]) -> None:
    assert run_key(reordered(settings), "d", "b", "v3", "c") == run_key(settings, "d", "b", "v3", "c")


@given(settings_dicts, settings_dicts)
def test_keys_are_equal_exactly_when_settings_are(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert (run_key(one, "d", "b", "v3", "c") == run_key(other, "d", "b", "v3", "c")) == same(one, other)


@given(settings_dicts.filter(bool), st.data())
def test_any_influential_change_changes_the_key(settings: dict[str, Any], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(settings)))
    value = data.draw(values.filter(lambda value: not same(value, settings[name])))
    before = copy.deepcopy(settings)
    assert run_key({**settings, name: value}, "d", "b", "v3", "c") != run_key(settings, "d", "b", "v3", "c")
    without = {other: item for other, item in settings.items() if other != name}
    assert run_key(without, "d", "b", "v3", "c") != run_key(settings, "d", "b", "v3", "c")
    assert settings == before


def test_data_and_build_matter_and_cannot_stand_for_each_other() -> None:
    keys = {run_key({"seed": 0}, *pair, "v3", "c") for pair in (("a", "b"), ("b", "a"), ("a", "a"), ("ab", "b"))}
    assert len(keys) == 4


def test_the_instruction_set_matters_and_settings_have_a_key_of_their_own() -> None:
    keys = {run_key({"seed": 0}, "a", "b", isa, "c") for isa in ("v3", "v4", "v4a")} | {settings_key({"seed": 0}, "a")}
    assert len(keys) == 4
    assert settings_key({"seed": 0}, "a") != settings_key({"seed": 1}, "a")
    assert settings_key({"seed": 0}, "a") != settings_key({"seed": 0}, "b")


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_told_apart_to_the_last_bit(a: float, b: float) -> None:
    assert (canonical_json(a) == canonical_json(b)) == (a == b)
    assert canonical_json(a) == canonical_json(np.float64(a))
    assert a in (0, sys.float_info.max) or canonical_json(a) != canonical_json(math.nextafter(a, math.inf))


def test_decisions_about_numbers() -> None:
    assert canonical_json(1) == canonical_json(1.0) == canonical_json(np.int8(1)) == canonical_json(np.float32(1))
    assert canonical_json(0.0) == canonical_json(-0.0) == canonical_json(0)
    assert canonical_json(1e9) == canonical_json(10**9)
    assert len({canonical_json(value) for value in (1, True, "1", None, [1], 1.5)}) == 6


def test_enumerations_and_paths_enter_by_their_value() -> None:
    class Draws(enum.Enum):
        PAIR = "pair"

    assert canonical_json({"a": Draws.PAIR, "b": Path("x/y")}) == canonical_json({"a": "pair", "b": "x/y"})


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, np.float32("nan")])
def test_numbers_that_are_not_finite_are_refused_with_their_place(bad: float) -> None:
    with pytest.raises(ValueError, match=r"settings\.settings\.algo\.eta\[1\] is (nan|-?inf)"):
        run_key({"algo": {"eta": [0.1, bad]}}, "d", "b", "v3", "c")


@pytest.mark.parametrize("bad", [{1, 2}, object(), b"bytes", np.zeros(2)])
def test_values_without_a_canonical_form_are_refused(bad: object) -> None:
    with pytest.raises(TypeError, match="allowed are"):
        run_key({"x": bad}, "d", "b", "v3", "c")


def test_keys_must_be_strings_and_identities_not_empty() -> None:
    with pytest.raises(TypeError, match="must be strings"):
        run_key({"x": {1: 2}}, "d", "b", "v3", "c")
    with pytest.raises(ValueError, match="data_fingerprint"):
        run_key({}, "", "b", "v3", "c")
    with pytest.raises(ValueError, match="build_id"):
        run_key({}, "d", "", "v3", "c")
    with pytest.raises(ValueError, match="isa"):
        run_key({}, "d", "b", "", "c")
    with pytest.raises(ValueError, match="code"):
        run_key({}, "d", "b", "v3", "")


def test_the_key_stays_the_same_between_versions() -> None:
    # a changed key means that every recorded run is computed again: change it on purpose only
    key = run_key({"algo": {"name": "sbp", "eta": 0.25}, "seed": 3}, "data", "build", "v3", "c")
    assert len(key) == KEY_LENGTH
    assert key == "c38e54f2fcc11a420744f6628b6a0a1a"


@pytest.mark.parametrize(
    ("words", "run", "of_settings"),
    [
        (["algo=sbp", "dataset=digits"], "467013b4ff56c5f12f92265201f46c20", "837ae037106667e7648f218d6508e8ee"),
        (
            ["algo=asset", "dataset=adult", "budget.epochs=2", "budget.every=0.5", "budget.tail=1"],
            "6da9fe003cc0b69781ea642e15a436b3",
            "8b912a19824861da04e792c7c29cf8c4",
        ),
        (
            ["algo=pegasos", "kernel=linear", "problem.C=3", "budget.seconds=5", "budget.iterations=1e5", *RESOURCES],
            "a2b4d6bd2febfe831c6f30f037414bb8",
            "dc90f3041a89c38f8c6644529d74d0e3",
        ),
    ],
)
def test_the_keys_of_runs_stay_the_same_between_versions(words: list[str], run: str, of_settings: str) -> None:
    identity = settings_of(words).identity()
    assert run_key(identity, "data", "build", "isa", "code") == run
    assert settings_key({**identity, "engine": None}, "data") == of_settings
