"""`experiments.run` is `run.py` on a named data set, or on a file that holds the arrays; `experiments.plot` draws."""

from __future__ import annotations

import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from svm_cost_curves import experiments
from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments.run import runner
from svm_cost_curves.experiments.run.arrays import _overrides
from svm_cost_curves.solvers import SettingsError

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 4))
Y = np.where(X[:, 0] + 0.3 * X[:, 1] > 0, "yes", "no")
FRAME = pd.DataFrame(X, columns=[*"abcd"]).assign(target=Y)


def test_a_run_on_arrays_is_recorded_and_found_again(fresh: Path) -> None:
    store = fresh / "results"
    settings = {"budget": {"epochs": 1}, "seed": np.int64(2), "kernel": {"sigma2": 2.0}}
    first = experiments.run("sbp", X, Y, store=store, **settings)
    assert first.folder is not None
    assert first.folder.parents[1] == store
    assert first.counters["kernel_evaluations"] == first.curve["kernel_evaluations"].iloc[-1] == 48 * 48
    assert first.result["final"]["test_error"] == first.curve["test_error"].iloc[-1] < 0.3
    assert first.result["provenance"]["data"]["label_rule"] == "yes is +1, no is -1"
    again = experiments.run("sbp", X, Y, store=store, seed=2, **{"budget.epochs": 1, "kernel.sigma2": 2.0})
    assert again.folder == first.folder  # found, not computed


def test_without_a_store_nothing_is_left_and_test_rows_are_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = sparse.coo_matrix(X)
    done = experiments.run(
        "pegasos", rows, (Y == "yes").tolist(), rows, Y == "yes", kernel="linear", problem={"C": 1.0}
    )
    assert done.folder is None
    assert list(tmp_path.iterdir()) == []
    assert done.result["provenance"]["data"]["split"] == "none: train and test come apart"
    np.testing.assert_array_equal(done.curve["test_error"], done.curve["train_error"])  # the same rows


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"algo": "nix"}, SettingsError, "unknown algorithm 'nix'"),
        ({"budget": {"epoch": 1}}, SettingsError, "did you mean epochs"),
        ({"engine": "mpi", "algo": "minibatch_sdca"}, SettingsError, "leave engine=local"),
        ({"seed": object()}, SettingsError, "a setting cannot be <object"),
        (
            {"X": np.full((60, 2), np.nan)},
            DataError,
            "X and y: 120 values are missing .* 60 in column 1 .*remove the rows",
        ),
        ({"X": [["a", 1]] * 60}, DataError, "X holds 'a', which is not a number"),
        ({"X": [["0.5"]] * 60}, DataError, "X holds .0.5., which is a text; write all features as numbers.$"),
        ({"y": np.ones(60)}, DataError, "only one class .*add rows of the other class"),
        ({"y": np.arange(60) % 3}, DataError, r'3 different labels \(0, 1, 2\); .*dataset={"positive": \[2\]}'),
        ({"y": Y[:5]}, DataError, "60 rows of features but 5 labels"),
        ({"X_test": X}, DataError, "X_test is given without y_test"),
        ({"X": FRAME[["a", "b"]], "X_test": FRAME[["b", "a"]], "y_test": Y}, DataError, "feature 0 .* is 'b'.* 'a'"),
        (
            {"X": FRAME, "y": "target"},
            DataError,
            r"y='target' is a text.* y=X\['target'\], X=X.drop\(columns='target'\)",
        ),
        ({"y": "target"}, DataError, r"y='target' is a text, and y holds the labels, one for each row of X.$"),
        (
            {"X": FRAME},
            DataError,
            r"'yes' is not a number; leave the column out by X.drop\(columns=X.columns\[\[4\]\]\)",
        ),
        ({"X": FRAME[["a"]].astype(str)}, DataError, r"column 0 \('a'\): '.*' is a text; save the column as numbers"),
        (
            {"X": FRAME[["a", "b"]].where(FRAME.a > 0)},
            DataError,
            r"^X and y: .* values are missing .* column 1 \('b'\)",
        ),
        ({"y": [None, *Y[1:]]}, DataError, "y, row 1: the label is missing"),
        ({"X": np.ma.array(X, mask=X[3, 1] == X)}, DataError, "row 4, column 1 .*the value is missing"),
        ({"y": np.ma.array(Y == "yes", mask=np.arange(60) == 2)}, DataError, "y, row 3: the label is missing"),
        ({"y_test": Y}, DataError, "y_test is given without X_test"),
        ({"X": None, "dataset": "digits"}, DataError, "y is given without X; with a named data set omit y"),
        ({"y": {*Y}}, DataError, "y is one set; it must be a list or an array"),
        ({"y": {"a": 1}}, DataError, "y is one dict;"),
        ({"y": (label for label in Y)}, DataError, "y is one generator;"),
        ({"y": np.array([[1, "a"]] * 60, object)}, DataError, r"y is an array of shape \(60, 2\)"),
        ({"y": [10**400] * 60}, DataError, "the label of row 1 is inf"),
        ({"X": [[10**400]] * 60}, DataError, "row 1, column 0 .* is inf"),
        ({"X": [[Fraction(-(10**400))]] * 60}, DataError, "row 1, column 0 .* is -inf"),
        ({"X": [[Decimal("sNaN")], *[[Decimal(1)]] * 59]}, DataError, "row 1, column 0 .*the value is missing"),
        ({"X": np.full((60, 2), np.timedelta64(1, "s"))}, DataError, "X holds .*, which is not a number"),
        ({"X": FRAME[["a"]].assign(t=pd.Timedelta("1s"))}, DataError, r"column 1 \('t'\): .* is not a number"),
        ({"y": np.full(60, np.timedelta64(1, "ns"))}, DataError, "y, row 1: the label .* neither a number nor a text"),
        ({"X": pd.DataFrame()}, DataError, "0 rows of features|no row has any feature"),
        ({"dataset": {"positive": [[1]]}}, SettingsError, r"dataset\[\"positive\"\]\[0\] must be .*, got a list"),
        ({"X": X[:, 0]}, DataError, r"^X and y: X must be \(n, d\) and y \(n,\)"),
        ({"X": [[1, 2], [3]]}, DataError, "X: is no table of numbers"),
        ({"dataset": "digits"}, SettingsError, "either arrays, X= and y=, or the name of a data set"),
        ({"problem": {"lambda_": 1e-18}}, SettingsError, "nu could not be derived"),
        ({"algo": "sbp,smo"}, SettingsError, "algo='sbp,smo': a run has one algorithm"),
        ({"algo": ["sbp", "smo"]}, SettingsError, "a run has one algorithm, .* make a run for each"),
        ({"algo": None}, SettingsError, "algo=None: a run has one algorithm"),
        ({"kernel": ["linear", "gaussian"]}, SettingsError, "a run has one; make a run for each$"),
        ({"dataset": ["a"]}, SettingsError, r"dataset=\['a'\]: it is a name, or with arrays a dict"),
        ({"store": 3}, SettingsError, "store=3: it is the path of a folder"),
        ({"X": "digits"}, SettingsError, "the name of a data set is dataset='digits'"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    changes: dict[str, object], error: type[Exception], said: str, fresh: Path
) -> None:
    given = {"algo": "sbp", "X": X, "y": Y, "store": fresh / "results", **changes}
    with pytest.raises(error, match=said) as caught:
        experiments.run(**given)
    for foreign in ("arrays.npz", "dataset.", "drop_columns"):
        assert foreign not in str(caught.value), "words of the command line, and a file that the caller does not know"


def test_warnings_about_the_data_are_python_s_and_their_advice_works(fresh: Path) -> None:
    late = FRAME[["b"]].assign(time=1_764_000_000 + np.arange(60) * 13 % 61)
    given = {"y": Y, "kernel": "linear", "budget": {"epochs": 1}}
    with pytest.warns(UserWarning, match=r"column 1 \('time'\): \d+ different values become . in float32") as caught:
        experiments.run("pegasos", late, **given)
    assert 'dataset={"scaling": "standard"}' in str(caught[0].message)
    with warnings.catch_warnings(action="error"):
        experiments.run("pegasos", late, dataset={"scaling": "standard"}, **given)
    numbered = FRAME[["a", "b"]].reset_index(names="Unnamed: 0")  # as pandas reads an index that it has written
    with pytest.warns(UserWarning, match="'Unnamed: 0'.*numbers the rows"):
        run = experiments.run("pegasos", numbered, **given)
    assert run.result["provenance"]["data"]["counts"]["train"]["d"] == 2


def test_a_run_without_a_store_draws_no_picture(monkeypatch: pytest.MonkeyPatch, fresh: Path) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(runner, "draw_if_possible", lambda active, *_: drawn.append(active.settings.algo) or [])
    for algo, store in (("pegasos", None), ("smo", fresh)):
        experiments.run(algo, dataset="synthetic", store=store, **{"dataset.n": 40, "budget": {"epochs": 1}})
    assert drawn == ["smo"]  # the other one would be deleted with its folder


def test_a_named_data_set_and_a_picture_of_its_runs(fresh: Path) -> None:
    given = {
        "dataset": "synthetic",
        "dataset.n": 80,
        "dataset.d": 3,
        "budget": {"epochs": 2},
        "store": fresh / "results",
    }
    runs = [
        experiments.run(algo, seed=seed, **given, **{"problem.lambda_": value})
        for algo, value in (("pegasos", 0.1), ("pegasos", 0.01), ("smo", 0.1))
        for seed in range(2)
    ]
    lines = repr(runs[0]).splitlines()
    assert [line.split()[0] for line in lines] == ["algo", "data", "key", "final", "cost"]
    assert "80 training and 500 test rows, 3 features" in lines[1]
    assert f"{runs[0].counters['kernel_evaluations']:,} kernel evaluations" in lines[4]
    again = experiments.load(["pegasos", "smo"], store=fresh / "results")
    assert set(again["run"]) == {run.key for run in runs}
    for drawn in (experiments.plot(runs), experiments.plot(again), experiments.plot(runs[0])):
        (axes,) = (axes for part in drawn.subfigs for axes in part.axes)
        assert "test error" in axes.get_ylabel().lower()
        assert axes.get_lines()


def test_settings_as_words() -> None:
    given = {"seed": np.int64(3), "budget": {"epochs": 2.5, "seconds": None}, "problem.bias": True}
    assert list(_overrides(given)) == ["seed=3", "budget.epochs=2.5", "budget.seconds=null", "problem.bias=true"]
    assert list(_overrides({"dataset": {"positive": np.array(["a", "b"])}, "x": Path("y")})) == [
        'dataset.positive=["a", "b"]',
        'x="y"',
    ]
