"""Changes that change the key of a run, and changes that do not."""

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

from svm_cost_curves import solvers
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.run import identity as identities
from svm_cost_curves.experiments.run.identity import KEY_LENGTH, canonical_json, code_id, run_key, settings_key
from svm_cost_curves.solvers import Solver

RESOURCES = ["threads=2", "memory=1GiB", "checkpoint_seconds=30"]

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


def test_data_build_instruction_set_and_code_matter_and_cannot_stand_for_each_other() -> None:
    keys = {run_key({"seed": 0}, *pair, "v3", "c") for pair in (("a", "b"), ("b", "a"), ("a", "a"), ("ab", "b"))}
    keys |= {run_key({"seed": 0}, "a", "b", *pair) for pair in (("v4", "c"), ("v4a", "c"), ("v3", "d"))}
    keys |= {settings_key({"seed": seed}, data) for seed in (0, 1) for data in "ab"}
    assert len(keys) == 11


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
    for place, name in enumerate(("data_fingerprint", "build_id", "isa", "code")):
        with pytest.raises(ValueError, match=name):
            run_key({}, *("" if place == other else "x" for other in range(4)))


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
            "bf515087e9427240468722eb62464ef4",
            "9fe6218e147a821890b71c9a524151f2",
        ),
        (
            [
                "algo=pegasos",
                "kernel=linear",
                "problem.C=3",
                "budget.seconds=5",
                "budget.iterations=1e5",
                "rows.provider=cache",
                *RESOURCES,
            ],
            "c13fa62a6b4f3a84ea8f99d1a0e8eace",
            "97752bc10db950ffeba62801413af37d",
        ),
    ],
)
def test_the_keys_of_runs_stay_the_same_between_versions(words: list[str], run: str, of_settings: str) -> None:
    identity = settings_of(words).identity()
    assert run_key(identity, "data", "build", "isa", "code") == run
    assert settings_key({**identity, "engine": None}, "data") == of_settings


FILES = {
    "mine.py": "from svm_cost_curves.solvers.base import Solver\nfrom .near import x\n",
    "near.py": "import numpy\nfrom svm_cost_curves.solvers import _core, far\nfrom . import (\n    inside,\n)\n",
    "far.py": "import numpy, svm_cost_curves.solvers.by_name as named\n",
    "inside.py": "def f():\n    from ..solvers import nested\n",
    "by_name.py": "from .near import x\n",
    "nested.py": "",
    "base.py": "",
    "evaluation.py": "",
    "other.py": "from svm_cost_curves.solvers.near import x\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a solver and the modules that it imports."""
    (tmp_path / "solvers").mkdir()
    for name, text in FILES.items():
        (tmp_path / "solvers" / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(identities, "PROJECT_ROOT", tmp_path)
    return tmp_path / "solvers"


def code_of(package: Path, libraries: tuple[str, ...] = ()) -> str:
    """Return the identity of a solver in the folder, as its files are now."""

    class Mine(Solver):
        pass

    Mine.libraries = libraries
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inspect.getfile", lambda _: str(package / "mine.py"))
        return code_id(Mine)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        *((name, True) for name in ("mine", "near", "far", "inside", "by_name", "nested", "evaluation")),
        ("other", False),
    ],
)
def test_a_change_counts_where_the_solver_imports_it(package: Path, name: str, counts: bool) -> None:
    before = code_of(package)
    assert code_of(package) == before
    path = package / f"{name}.py"
    path.write_text(path.read_text() + "\n# changed\n", encoding="utf-8")
    assert (code_of(package) != before) is counts


def test_versions_of_libraries_count(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = code_of(package, ("scikit-learn",))
    assert before != code_of(package)
    monkeypatch.setattr("importlib.metadata.version", lambda _: "0.0")
    assert code_of(package, ("scikit-learn",)) != before


def test_solvers_that_report_the_numbers_of_a_library_name_it() -> None:
    named = {name for name in solvers.names() if solvers.get(name).libraries}
    assert named == {name for name in solvers.names() if "sklearn" in name or name in ("libsvm", "liblinear")}


def test_two_solvers_have_two_identities() -> None:
    assert code_id(solvers.get("sbp")) != code_id(solvers.get("smo"))
