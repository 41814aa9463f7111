"""Settings and results as text without loss, and artifacts whose damage is found."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from experiments.store.artifacts import CURVE_FILE, RESULT_FILE, read_verified, write_all
from hypothesis import given
from hypothesis import strategies as st
from store_records import make_curve

from experiments.store import Store, serialize


def test_long_values_are_cut_and_equal_names_made_different(store: Store) -> None:
    params = {"long": "x" * 9000, "a@b": 1, "a%b": 2, "..": 3, **{f"p{i}": i for i in range(150)}}
    run = store.begin("k", "n" * 999, params, {"tag": "y" * 9999}).finish({}, make_curve(2))
    assert run.params["long"] == "x" * 5997 + "..."
    assert run.tags["tag"] == "y" * 7997 + "..."
    assert (run.params["a_b"], run.params["a_b_"], run.params["_.."]) == ("1", "2", "3")
    assert run.params["p149"] == "149"
    assert len(run.params) == 154


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
NESTED = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner))


@given(st.dictionaries(st.text(max_size=300), LEAVES | st.dictionaries(st.text(max_size=9), LEAVES, max_size=3)))
def test_no_setting_is_lost_and_mlflow_takes_all_names_and_values(values: dict[str, Any]) -> None:
    from mlflow.utils.validation import _validate_param

    entries = serialize.flat_texts(values, 10)
    assert len(entries) == sum(len(value) if isinstance(value, dict) else 1 for value in values.values())
    for name, text in entries.items():
        _validate_param(name, text)
        assert len(text) <= 10


@given(NESTED)
def test_any_result_becomes_json_without_numbers_that_are_not_finite(value: Any) -> None:
    plain = serialize.plain(value, "result")
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert serialize.plain(plain, "result") == plain
    if not isinstance(value, list | dict):
        assert plain == (None if isinstance(value, float) and not math.isfinite(value) else value)


@given(st.integers(-(2**53), 2**53))
def test_a_filter_finds_a_number_however_it_was_written(number: int) -> None:
    for recorded in (number, float(number), np.int64(number), np.float64(number)):
        assert serialize.flat_texts({"a": recorded}, 99)["a"] in serialize.filter_texts(
            number
        ) & serialize.filter_texts(float(number))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("written")
    return folder, write_all(folder, {"algo": "sbp"}, make_curve(3), ())


@given(st.sampled_from([CURVE_FILE, RESULT_FILE]), st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_one_changed_byte_is_detected(written: tuple[Path, str], name: str, where: float, change: int) -> None:
    folder, checksum = written
    assert read_verified(folder, checksum) is not None
    original = (folder / name).read_bytes()
    at = int(where * len(original))
    try:
        (folder / name).write_bytes(original[:at] + bytes([original[at] ^ change]) + original[at + 1 :])
        assert read_verified(folder, checksum) is None
    finally:
        (folder / name).write_bytes(original)
