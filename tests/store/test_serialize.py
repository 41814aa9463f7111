"""Settings and results as text without loss, and files whose damage is detected."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from store_records import make_curve, result_of

from svm_cost_curves.experiments.store import serialize
from svm_cost_curves.support.values import plain

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
NESTED = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner))
GROUPS = st.dictionaries(st.text(max_size=300), LEAVES | st.dictionaries(st.text(max_size=9), LEAVES, max_size=3))


@given(GROUPS)
def test_mlflow_takes_all_names_and_values_of_settings(groups: dict[str, Any]) -> None:
    params = serialize.params_of(result_of(groups=groups, long="x" * 9000))
    assert list(params)[:4] == ["algo", "dataset", "kernel", "seed"]
    assert params["problem.nu"] == "0.01"
    assert params["dataset.max_train"] == "500"
    assert not {"problem.C", "algo.name", "origins.problem.nu"} & set(params)
    assert params["long"] == "x" * 5997 + "..."
    for name, text in params.items():
        assert re.fullmatch(r"[\w.\- :/]{1,250}", name, re.ASCII)
        assert 0 <= len(text) <= 6000


def test_settings_have_their_present_names_and_data_those_that_differ_from_the_defaults() -> None:
    data = {"name": "adult", "kind": "file", "scaling": "minmax", "storage": "auto", "max_test": None, "source": "x"}
    result = result_of(budget={"epochs": 2.0, "seconds": None, "checkpoints": 60}, dataset=data)
    params = serialize.params_of(result)
    assert {"budget.epochs": "2.0", "budget.evaluations": "60", "dataset.scaling": "minmax"}.items() <= params.items()
    assert not {"budget.seconds", "budget.checkpoints", "dataset.storage", "dataset.source"} & set(params)
    result["settings"]["origins"] = {"budget.evaluations": "command line", "dataset.scaling": "command line"}
    assert serialize.run_name(result) == "sbp adult seed=0 budget.evaluations=60 dataset.scaling=minmax"


@given(NESTED)
def test_any_result_becomes_json_without_numbers_that_are_not_finite(value: Any) -> None:
    written = plain(value, "result")
    assert json.loads(json.dumps(written, allow_nan=False)) == written
    assert plain(written, "result") == written
    if not isinstance(value, list | dict):
        assert written == (None if isinstance(value, float) and not math.isfinite(value) else value)


@given(st.integers(1 - 2**53, 2**53 - 1))
def test_a_filter_matches_a_number_however_it_was_written(number: int) -> None:
    written = (number, float(number), np.int64(number), np.float64(number), str(number), f"{number:.3f}")
    assert all(serialize.filter_texts(value) == {str(number)} for value in written)


@given(st.floats() | st.text(alphabet="0123456789abcdef.-+_", max_size=12))
def test_a_filter_tells_numbers_and_texts_apart(value: float | str) -> None:
    (text,) = serialize.filter_texts(value)
    if isinstance(value, float) and math.isfinite(value):
        assert float(text) == value
    assert serialize.filter_texts(text) == {text}
    assert serialize.filter_texts([value, "x"]) == {text, "x"}


def test_settings_and_facts_have_names() -> None:
    values = serialize.named_values(result_of())
    assert {"algo": "sbp", "seed": 0, "problem.nu": 0.01, "commit": "abc", "isa": "v3"}.items() <= values.items()


def test_points_are_thinned_finite_and_numbered_by_integers() -> None:
    frame = make_curve(1000)
    frame["primal"] = np.nan
    points = serialize.metric_points(frame, 1_000_000)
    counts = {name: sum(point[0] == name for point in points) for name, *_ in points}
    assert "measure/primal" not in counts
    assert len(set(counts.values())) == 1
    assert 100 < counts["measure/dual"] <= 300
    assert all(math.isfinite(value) and type(step) is int for _, value, _, step in points)
    assert [point for point in points if point[0] == "test_error"][-1] == ("test_error", 1 / 1000, 1_009_990, 99_900)


def test_without_kernel_evaluations_points_are_numbered_by_iterations() -> None:
    import pandas as pd

    frame = make_curve(3).assign(kernel_evaluations=pd.array([None] * 3, dtype="Int64"))
    assert [step for name, _, _, step in serialize.metric_points(frame, 0) if name == "measure/gap"] == [0, 1, 2]
