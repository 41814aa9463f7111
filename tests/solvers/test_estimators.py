"""The estimators as scikit-learn sees them, and their results against the solvers' own."""

from __future__ import annotations

import dataclasses
import inspect
import math
import pickle
import re
import warnings
from typing import Any

import estimators_stub
import numpy as np
import pandas as pd
import pytest
from cases import ROOT, coefficients, dense, run
from numpy.typing import NDArray
from reference import kernel_matrix
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from svm_cost_curves import solvers
from svm_cost_curves.solvers import Limit, Problem, RowPolicy, estimators
from svm_cost_curves.solvers.estimators.parameters import parameters_of
from svm_cost_curves.solvers.models import Model, ModelError
from svm_cost_curves.solvers.rows import MAX_THREADS

SMALL: dict[str, dict[str, Any]] = {
    "liblinear": {"iterations": 100},
    "sklearn_nystroem": {"features": 20},
    "fourier": {"pairs": 32},
    "asset": {"features": 20},
    "asset_online": {"features": 100},
}
"""Parameters for scikit-learn's checks, besides the defaults."""


@pytest.fixture(autouse=True)
def gram_folder(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVM_GRAM_DIR", str(tmp_path / "gram"))


def examples(n: int = 120, d: int = 5, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    score = X[:, 0] + 0.5 * X[:, 1] + 0.3 * random.normal(size=n)
    return X, np.array(["no", "yes"])[(score > 0).astype(int)]


FAMILIES = [
    ("SBPClassifier", {"nu": 0.1, "bias": True}),
    ("SDCAClassifier", {"kernel": "poly", "degree": 2}),
    ("SDCAClassifier", {"kernel": "linear", "rho": 1.0}),
    ("SIMBAClassifier", {"nu": 0.1}),
    ("SGDMClassifier", {"rho": 1.0, "multiplicity_schedule": (1, 5)}),
    ("ASSETClassifier", {"features": 30}),
    ("ASSETOnlineClassifier", {"features": 30}),
    ("FourierClassifier", {"pairs": 8}),
    ("CPSPClassifier", {"features": 8}),
]
"""One estimator for each kind of predictor."""


ALL = estimators.all_classifiers()
CHECKED = {*(name for name, _ in FAMILIES), "LIBLINEARClassifier", "LIBSVMClassifier"}
"""What scikit-learn checks is mostly the class from which all derive: the others are slow tests."""


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, id=name, marks=[pytest.mark.slow] * (kind.__name__ not in CHECKED))
        for name, kind in ALL.items()
    ],
)
def test_scikit_learn_accepts(kind: Any) -> None:
    estimator = kind(**SMALL.get(kind.solver.name, {}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of the checks that it skips
        done = check_estimator(estimator, on_fail=None)
    assert {one["check_name"]: repr(one["exception"]) for one in done if one["status"] == "failed"} == {}
    assert sum(one["status"] == "passed" for one in done) >= 50


@pytest.mark.parametrize("kind", ALL.values(), ids=ALL)
def test_parameters_are_those_of_the_settings(kind: Any) -> None:
    defaults = kind.solver.Settings()
    parameters = kind().get_params()
    for field in dataclasses.fields(defaults):
        value = getattr(defaults, field.name)
        assert parameters[field.name] == (tuple(value) if isinstance(value, list) else getattr(value, "value", value))
        assert f"\n{field.name} : " in kind.__doc__
    assert list(inspect.signature(kind).parameters) == [parameter.name for parameter in parameters_of(kind.solver)]
    assert all(parameter.text or parameter.name == "precision" for parameter in parameters_of(kind.solver))


def test_the_stub_has_all_classes_with_their_parameters() -> None:
    assert estimators_stub.STUB.read_text(encoding="utf-8") == estimators_stub.stub(), (
        "run tests/solvers/estimators_stub.py"
    )


def test_names_are_those_of_the_papers() -> None:
    made = {name: kind.__name__ for name, kind in ALL.items()}
    assert list(made) == solvers.names()
    assert made["sbp"] == "SBPClassifier"
    assert made["simba"] == "SIMBAClassifier"
    assert made["sgd_m"] == "SGDMClassifier"
    assert made["minibatch_sdca"] == "MiniBatchSDCAClassifier"
    assert made["asset_star_online"] == "ASSETStarOnlineClassifier"
    assert {name for name in dir(estimators) if name[0].isupper()} == set(made.values()), "the base class is abstract"
    assert estimators.SBPClassifier is estimators.SBPClassifier  # pickle asks for the same class
    with pytest.raises(AttributeError, match="no attribute 'NoneClassifier'"):
        _ = estimators.NoneClassifier


def test_the_curve_has_costs_against_objectives() -> None:
    X, y = examples()
    fitted = estimators.SMOClassifier(evaluations=4, epochs=3, gamma=0.25, random_state=0).fit(X, y)
    curve = fitted.curve_
    assert 1 < len(curve) <= 4
    assert curve["kernel_evaluations"].is_monotonic_increasing
    assert dict(curve.iloc[-1][list(fitted.counters_)]) == fitted.counters_
    f = fitted.decision_function(X)
    hinge = np.maximum(0.0, 1.0 - np.where(y == "yes", 1, -1) * f).mean()
    assert curve["hinge"].iloc[-1] == pytest.approx(hinge, rel=1e-4)
    assert (curve["primal"] >= curve["dual"]).all()
    assert curve["dual"].is_monotonic_increasing
    assert "test_error" not in curve
    with pytest.raises(AttributeError, match="no curve"):
        _ = estimators.SMOClassifier(evaluations=0).fit(X, y).curve_


def test_sparse_and_dense_points_give_one_predictor() -> None:
    X, y = examples()
    X[np.abs(X) < 0.7] = 0.0
    for kind in (estimators.SVMPerfClassifier, estimators.SMOClassifier, estimators.ASSETOnlineClassifier):
        dense, other = kind(random_state=0).fit(X, y), kind(random_state=0).fit(sparse.csc_array(X), y)
        values = dense.decision_function(X)
        np.testing.assert_allclose(other.decision_function(X), values, rtol=1e-3, atol=1e-3)
        for points in (sparse.csr_matrix(X), sparse.coo_array(X), X.tolist()):
            np.testing.assert_allclose(dense.decision_function(points), values, rtol=1e-5, atol=1e-5)


def test_points_far_from_the_origin_are_shifted_alike_in_training_and_prediction() -> None:
    X, y = examples()
    near = estimators.SMOClassifier(sigma2=3.0).fit(X, y)
    far = estimators.SMOClassifier(sigma2=3.0).fit(X + 100.0, y)
    np.testing.assert_allclose(far.decision_function(X + 100.0), near.decision_function(X), atol=2e-3)
    np.testing.assert_allclose(
        far.decision_function(sparse.csr_matrix(X + 100.0)), near.decision_function(X), atol=2e-3
    )


def test_labels_of_any_two_kinds() -> None:
    X, y = examples()
    for classes in ((False, True), (3, 8), (-1.0, 1.0), ("b", "a")):
        given = np.array(classes)[(y == "yes").astype(int)]
        fitted = estimators.SVMPerfClassifier().fit(X, given)
        assert (fitted.predict(X) == given).mean() > 0.85
        assert fitted.predict(X).dtype == given.dtype


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


DAYS = pd.date_range("2020", periods=40)


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


@pytest.mark.filterwarnings("ignore:.*the final predictor is constant")
@pytest.mark.parametrize("evaluations", [2000, 10**12])
def test_a_curve_has_as_many_points_as_costs_can_double(evaluations: int) -> None:
    X, y = examples(40, 2)
    for limit in ({"cpu_seconds": 0.01}, {"iterations": 16}, {"cpu_seconds": 5e-324}):
        fitted = estimators.SBPClassifier(nu=0.1, evaluations=evaluations, **limit).fit(X, y)
        assert 1 <= len(fitted.curve_) <= 64
    assert len(estimators.SBPClassifier(nu=0.1, evaluations=evaluations, iterations=16).fit(X, y).curve_) == 5


def test_as_many_threads_as_are_allowed_are_started() -> None:
    X, y = examples(20, 2)
    assert estimators.SMOClassifier(threads=MAX_THREADS).fit(X, y).predict(X).shape == (20,)


def test_numbers_of_numpy_are_numbers() -> None:
    X, y = examples()
    given = {"nu": 0.125, "gamma": 0.5, "epochs": 3, "evaluations": 0, "bias": True, "random_state": 1}
    kinds = {float: np.float32, int: np.int32, bool: np.bool_}
    of_numpy = {name: kinds[type(value)](value) for name, value in given.items()}
    ends = [estimators.SBPClassifier(**each).fit(X, y).decision_function(X) for each in (given, of_numpy)]
    assert np.array_equal(*ends)


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


@pytest.mark.filterwarnings("ignore:.*the final predictor is constant")
def test_gamma_scale_and_auto_are_those_of_svc() -> None:
    X, y = examples()
    for points in (X, sparse.csr_matrix(np.where(np.abs(X) < 0.7, 0.0, X))):
        for gamma in ("scale", "auto"):
            reference = SVC(gamma=gamma, tol=1e-7).fit(points, y)
            ours = estimators.LIBSVMClassifier(gamma=gamma, tolerance=1e-7).fit(points, y)
            np.testing.assert_allclose(ours.decision_function(points), reference.decision_function(points), atol=1e-4)
    constant = np.ones((20, 2))
    assert estimators.LIBSVMClassifier(gamma="scale").fit(constant, y[:20]).score(constant, y[:20]) >= 0.5
    with pytest.raises(ValueError, match="give sigma2"):
        estimators.LIBSVMClassifier().fit(constant, y[:20])


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


def test_random_state() -> None:
    X, y = examples()
    ends = [
        estimators.PegasosClassifier(random_state=state, epochs=1).fit(X, y).decision_function(X)
        for state in (5, np.random.RandomState(5), 6, None)
    ]
    assert np.array_equal(ends[0], ends[1])
    assert not np.array_equal(ends[0], ends[2])
    assert not np.array_equal(ends[0], ends[3])


def test_settings_that_count_examples_are_at_most_n() -> None:
    X, y = examples(20)
    assert estimators.ASSETClassifier(features=512).fit(X, y).counters_["kernel_evaluations"] == 20 * 20


def test_it_works_in_a_pipeline_and_a_grid_search() -> None:
    X, y = examples()
    search = GridSearchCV(
        make_pipeline(StandardScaler(), estimators.SGDMClassifier(random_state=0)),
        {"sgdmclassifier__C": [0.01, 1.0], "sgdmclassifier__multiplicity_schedule": [(1,), (1, 5)]},
        cv=3,
        error_score="raise",
    ).fit(X, y)
    assert search.best_score_ > 0.85
    assert search.best_params_["sgdmclassifier__C"] == clone(search.best_estimator_).get_params()["sgdmclassifier"].C


@pytest.mark.parametrize(("name", "given"), FAMILIES, ids=[f"{name}-{len(given)}" for name, given in FAMILIES])
def test_a_saved_estimator_is_the_same_when_loaded(name: str, given: dict[str, Any], tmp_path: Any) -> None:
    X, y = examples()
    path = tmp_path / "model.npz"
    kind = getattr(estimators, name)
    fitted = kind(random_state=1, **given).fit(X, y)
    fitted.save(path)
    loaded = kind.load(path)
    assert np.array_equal(loaded.decision_function(X), fitted.decision_function(X))
    assert np.array_equal(loaded.predict(X), fitted.predict(X))
    assert fitted.curve_["train_error"].iloc[-1] == pytest.approx(1.0 - fitted.score(X, y))
    assert loaded.get_params() == fitted.get_params()
    assert (loaded.counters_, loaded.n_iter_, loaded.n_features_in_) == (fitted.counters_, fitted.n_iter_, 5)
    model = Model.load(path)
    assert np.array_equal(model.predict(X.astype(np.float32)), fitted.predict(X))
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.decision_function(X), fitted.decision_function(X))
    assert again.curve_.equals(fitted.curve_)
    with pytest.raises(AttributeError, match="loaded from a file"):
        _ = loaded.curve_
    with pytest.raises(ModelError, match=f"is not a model of PerceptronClassifier, but of {name}"):
        estimators.PerceptronClassifier.load(path)


def test_a_users_solver_has_an_estimator(own_solvers: Any) -> None:
    own_solvers(ROOT / "tests" / "arena" / "user_solvers.py")
    X, y = examples()
    assert estimators.CorrectClassifier(epochs=3).fit(X, y).score(X, y) > 0.8


@pytest.mark.parametrize(
    ("name", "kernel"), [("pegasos", solvers.Gaussian(2.0)), ("sdca", solvers.Linear()), ("smo", solvers.Gaussian(2.0))]
)
def test_a_fit_is_the_solvers_run(name: str, kernel: solvers.Kernel) -> None:
    """With the seed that numpy makes of random_state=7; points of the curve on the way change nothing."""
    X, y = examples()
    p = Problem(
        X.astype(np.float32), np.where(y == "yes", 1, -1), kernel, lambda_=1 / len(y), rows=RowPolicy(threads=1)
    )
    made = run(name, p, Limit(presentations=5 * p.n), int(np.random.RandomState(7).randint(2**31 - 1)))
    given = {"kernel": "linear"} if isinstance(kernel, solvers.Linear) else {"sigma2": 2.0}
    kind = estimators.all_classifiers()[name]
    for evaluations in (10, 0):
        fitted = kind(epochs=5, random_state=7, threads=1, evaluations=evaluations, **given).fit(X, y)
        assert fitted.counters_ == {key: cost for key, cost in vars(made.counters).items() if cost is not None}
        assert fitted.n_iter_ == made.counters.iterations
        values = kernel_matrix(kernel, X.astype(np.float32), dense(p)) @ coefficients(made) + made.snapshot().bias
        np.testing.assert_allclose(fitted.decision_function(X), values, rtol=1e-4, atol=1e-5)
        assert list(fitted.classes_) == ["no", "yes"]
