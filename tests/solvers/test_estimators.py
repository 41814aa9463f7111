"""The estimators as scikit-learn sees them, and their results against the solvers' own."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import warnings
from typing import Any

import estimators_stub
import numpy as np
import pytest
from cases import ROOT, coefficients, dense, examples, run
from reference import kernel_matrix
from scipy import sparse
from sklearn.base import clone
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
