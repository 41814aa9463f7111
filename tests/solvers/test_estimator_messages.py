"""What the estimators refuse and warn of, in the names of their parameters."""

from __future__ import annotations

import math
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import examples
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

from svm_cost_curves.solvers import Limit, estimators

DAYS = pd.date_range("2020", periods=40)


@pytest.fixture(autouse=True)
def gram_folder(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVM_GRAM_DIR", str(tmp_path / "gram"))


ALL = estimators.all_classifiers()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"C": -1.0}, "C = -1.0: it must be a positive number or None"),
        ({"C": "1"}, "C = '1': it must be a positive number or None"),
        ({"C": True}, "C = True: it must be"),
        ({"C": 10**400}, "C = 10.*: it must be"),
        ({"C": 1e-320}, "C = 1e-320: 1/.* C. must be a positive number in float64"),
        ({"C": np.arange(3)}, r"C = array\(\[0, 1, 2\]\): it must be"),
        ({"C": 1.0, "nu": 0.1}, "at most one of C, lambda_ and nu"),
        ({"kernel": "tanh"}, 'kernel = \'tanh\': it must be "rbf", "poly" or "linear"'),
        ({"kernel": 7}, "kernel = 7: it must be"),
        ({"sigma2": 1.0, "gamma": 1.0}, "at most one of sigma2 and gamma"),
        ({"gamma": 0.0}, 'gamma = 0.0: it must be a positive number, "scale", "auto" or None'),
        ({"gamma": "wide"}, "gamma = 'wide': it must be"),
        ({"gamma": 1e-320}, "gamma = 1e-320: 1/.2 gamma. must be a positive number in float64"),
        ({"degree": 17, "kernel": "poly"}, "degree = 17: it must be between 1 and 16"),
        ({"epochs": 0}, "epochs = 0: it must be a positive number or None"),
        ({"iterations": 1.5}, "iterations = 1.5: it must be a positive whole number or None"),
        ({"iterations": 2**70}, r"iterations = 1180.*: it must be a positive whole number or None, up to 2\^63 - 1"),
        ({"bias": 1}, "bias = 1: it must be True or False"),
        ({"random_state": "x"}, "random_state = 'x': it must be a whole number from 0"),
        ({"random_state": -1}, "random_state = -1: it must be"),
        ({"threads": 0}, "threads = 0: it must be"),
        ({"threads": 10**12}, "threads = 1000000000000: it must be a whole number from 1 to 1024 or None"),
        ({"memory": 0.5}, "memory = 0.5: it must be"),
        ({"eta": "large"}, "eta = 'large': it must be a finite number"),
        ({"draws": "triples"}, "draws = 'triples': it must be \"pairs\""),
        ({"eta": float("nan")}, "eta = nan: it must be a finite number"),
        ({"evaluations": -1}, "evaluations = -1"),
    ],
)
def test_what_is_not_allowed_is_said(given: dict[str, Any], message: str) -> None:
    X, y = examples()
    with pytest.raises(ValueError, match=message) as refused:
        estimators.SBPClassifier(**given).fit(X, y)
    assert str(refused.value).startswith("SBPClassifier: ")
    assert not COMMAND_LINE.search(str(refused.value))


COMMAND_LINE = re.compile(r"\b(algo|problem|kernel|budget|dataset|rows|memory)(\.|=\w)|null")
"""How settings are written there; parameters have other names."""


OF_WRONG_TYPE = ["large", {}, math.nan, 1j, b"1", [2.5], "1", True, 10**400]


def refusal(kind: Any, data: tuple[Any, Any], **given: Any) -> str:
    """The message of a fit that is refused; empty for one that is not."""
    try:
        kind(**given).fit(*data)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kind", ALL.values(), ids=ALL)
def test_each_parameter_is_checked_by_name(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kind, "_train", lambda *given: None)
    data = examples(20, 2)
    for name, default in kind().get_params().items():
        for value in OF_WRONG_TYPE[: 7 if isinstance(default, bool) else None]:
            message = refusal(kind, data, **{name: value})
            assert message.startswith(f"{kind.__name__}: {name} = "), (name, value)
            assert "it must be" in message
        assert not refusal(kind, data, **{name: default})


@pytest.mark.parametrize("name", ["SMO", "SGDQN", "CPNY", "SBP", "LASVM", "Fourier", "MiniBatchSDCA", "ASSETOnline"])
def test_what_a_solver_refuses_has_the_names_of_parameters(name: str) -> None:
    kind, data = getattr(estimators, f"{name}Classifier"), examples(20, 2)
    for parameter in kind().get_params().keys() - {"threads", *Limit.__dataclass_fields__}:
        for value in (0, 1e-320, 1e308, 1e-30, 1e30, -1, 2):
            given: dict[str, Any] = {"iterations": 10, "nu": 0.1, parameter: value}
            given = {key: given[key] for key in given if key in kind().get_params()}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                message = refusal(kind, data, **given)
            assert not message or message.startswith(f"{name}Classifier: "), message
            assert not COMMAND_LINE.search(message), message


def test_values_that_are_too_large_are_refused_with_advice() -> None:
    X, y = examples(20, 2)
    for kernel in ("rbf", "poly", "linear"):
        message = refusal(estimators.SMOClassifier, (1e20 * X, y), kernel=kernel, gamma=1.0)
        assert re.match(r"SMOClassifier: .* too large for kernel=.*: scale the features$", message)
        assert "dataset" not in message


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (DAYS, "column late holds datetime64.* drop the column, or convert it to a number"),
        (DAYS.tz_localize("UTC"), "column late holds datetime64"),
        (DAYS - DAYS[0], "column late holds timedelta64"),
        (pd.Categorical([*"uv"] * 20), "could not convert string to float: 'u'"),
        (pd.Series([10**400] * 40, dtype=object), "a whole number that float64 cannot hold"),
        (np.full(40, 1e300, np.longdouble) ** 2, "infinity or a value too large for dtype"),
        (np.full(40, 1e39), "infinity or a value too large for dtype"),
    ],
)
@pytest.mark.parametrize("other", [True, False])
def test_columns_that_are_no_numbers_are_refused_in_training_and_prediction(
    column: Any, said: str, other: bool
) -> None:
    X, y = examples(40, 2)
    frame = pd.DataFrame({"a": X[:, 0]} if other else {}).assign(late=column)
    fitted = estimators.SMOClassifier(sigma2=1.0).fit(frame.assign(late=X[:, 1]), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for refused in (lambda: estimators.SMOClassifier(sigma2=1.0).fit(frame, y), lambda: fitted.predict(frame)):
            with pytest.raises(ValueError, match=said):
                refused()
    with pytest.raises(ValueError, match=r"^SMOClassifier: X holds timedelta64"):
        fitted.fit((DAYS - DAYS[0]).to_numpy()[:, None], y)


def test_prediction_refuses_as_the_fit_does() -> None:
    X, y = examples(40, 2)
    fitted = estimators.SMOClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r'^SMOClassifier: .* too large for kernel="rbf": the largest'):
        fitted.predict(1e30 * X)
    with pytest.raises(ValueError, match=r"^SMOClassifier: threads = 10000: it must be"):
        fitted.set_params(threads=10_000).predict(X)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("epoch", "did you mean epochs?"),
        ("n_jobs", "did you mean threads?"),
        ("max_iter", "did you mean epochs?"),
        ("tol", "did you mean tolerance?"),
        ("class_weight", "all examples have the same weight in these solvers"),
        ("zzz", "it has tolerance, kernel, sigma2, gamma, "),
    ],
)
def test_a_parameter_that_there_is_not_is_refused_with_advice(name: str, advice: str) -> None:
    with pytest.raises(TypeError, match=f"^SMOClassifier has no parameter {name}: {re.escape(advice)}"):
        estimators.SMOClassifier(**{name: 3})


def test_values_that_become_equal_in_float32_are_told() -> None:
    X, y = examples()
    times = pd.DataFrame({"time": 1.764e9 + np.arange(120.0), "other": X[:, 0]})
    with pytest.warns(DataConversionWarning, match=r"^SMOClassifier: time: 120 different values become .* in float32"):
        estimators.SMOClassifier(sigma2=1.0).fit(times, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataConversionWarning)
        for points in (X, X.astype(np.float32), sparse.csr_array(X), (10 * X).astype(int)):
            estimators.SMOClassifier(sigma2=1.0).fit(points, y)


def test_weights_of_examples_are_refused() -> None:
    X, y = examples()
    with pytest.raises(TypeError, match=r"^SMOClassifier.fit takes X and y only, got sample_weight: all examples have"):
        estimators.SMOClassifier().fit(X, y, sample_weight=np.ones(len(y)))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"epochs": 0.5}, "it has reached epochs = 0.5 before it has converged; raise epochs, or scale X"),
        ({"iterations": 3}, "it has reached iterations = 3 before"),
        ({"kernel_evaluations": 400, "epochs": 10**6}, "it has reached kernel_evaluations = 400 before"),
    ],
)
def test_a_fit_that_ends_at_a_limit_warns(given: dict[str, Any], text: str) -> None:
    with pytest.warns(ConvergenceWarning, match=f"^SMOClassifier: {text}"):
        fitted = estimators.SMOClassifier(**given).fit(*examples())
    assert not fitted.converged_


def test_a_fit_that_converges_or_has_no_stopping_rule_does_not_warn() -> None:
    X, y = examples()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert estimators.SMOClassifier().fit(X, y).converged_
        assert not estimators.PegasosClassifier(epochs=1).fit(X, y).converged_
        estimators.SIMBAClassifier(epochs=1).fit(X, y)


def test_nu_of_the_last_iterate_is_taken_with_a_warning_if_it_cannot_be_derived() -> None:
    X, y = examples(40, 2)
    with pytest.warns(ConvergenceWarning, match=r"^SIMBAClassifier: nu could not be derived .* set nu, or scale"):
        estimators.SIMBAClassifier(epochs=1).fit(X + 100.0, y)


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("SMO", {"sigma2": 1e12}, r"the final predictor is constant, f\(x\) = -?\d+ at 120 training points; scale X"),
        ("SMO", {"gamma": 1e-30}, "the final predictor is constant"),
        (
            "SMO",
            {"sigma2": 1e-6},
            r"the final predictor is constant, f\(x\) = .* at 60 points halfway between training",
        ),
        ("SBP", {"sigma2": 1e-6, "nu": 0.1}, "halfway between training"),
    ],
)
def test_a_predictor_that_does_not_tell_points_apart_is_told(kind: str, given: dict[str, Any], said: str) -> None:
    X, _ = examples()
    y = np.arange(len(X)) % 2
    for points in (X, sparse.csr_matrix(X)):
        with pytest.warns(ConvergenceWarning, match=f"^{kind}Classifier: .*{said}") as told:
            getattr(estimators, f"{kind}Classifier")(**given).fit(points, y)
        assert len(told) == 1
        assert told[0].filename == __file__


def test_warnings_point_to_the_line_that_calls_fit() -> None:
    X, y = examples(40, 2)
    smo, simba = estimators.SMOClassifier(iterations=3), estimators.SIMBAClassifier(epochs=1)
    for fitted, points in ((smo, X), (simba, X + 100.0)):
        with pytest.warns(ConvergenceWarning) as told:
            fitted.fit(points, y)
        assert {one.filename for one in told} == {__file__}


def test_a_limit_that_the_method_does_not_count_is_refused() -> None:
    X, y = examples()
    with pytest.raises(ValueError, match="the method does not count that here"):
        estimators.PegasosClassifier(kernel="linear", kernel_evaluations=10).fit(X, y)
    with pytest.raises(TypeError, match=r"^LIBSVMClassifier has no parameter epochs: "):
        estimators.LIBSVMClassifier(epochs=3)
