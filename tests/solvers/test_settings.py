"""Wrong settings are refused with a message that says what is allowed."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import points, problem, solver
from scipy import sparse

from svm_cost_curves import solvers
from svm_cost_curves.solvers import (
    Gaussian,
    Kernel,
    Limit,
    Linear,
    Polynomial,
    Problem,
    RowPolicy,
    SettingsError,
    _core,
    derive_nu,
)


def make(X: Any = None, y: Any = None, kernel: Kernel | None = None, **settings: Any) -> Problem:
    good_X, good_y = points(10, 3)
    return Problem(
        good_X if X is None else X,
        good_y if y is None else y,
        kernel or Gaussian(1.0),
        rows=RowPolicy(provider="on_the_fly"),
        **settings,
    )


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_lambda(value: float) -> None:
    with pytest.raises(SettingsError, match=r"lambda = .*must be finite and positive"):
        make(lambda_=value)


@pytest.mark.parametrize("value", [-1e-9, np.nan, np.inf, -np.inf])
def test_nu(value: float) -> None:
    with pytest.raises(SettingsError, match=r"nu = .*must be finite and not negative"):
        make(nu=value)
    assert make(nu=0.0).require_nu() == 0.0


def test_nu_beyond_what_the_core_can_count_with() -> None:
    with pytest.raises(SettingsError, match=r"algo=sbp: nu must not be negative, and nu n must be below 1e100"):
        solver("sbp", make(nu=1e300))


def test_missing_lambda_or_nu() -> None:
    for name in ("pegasos", "sdca", "smo"):
        with pytest.raises(SettingsError, match=r"lambda form: set problem\.lambda_ or problem\.C"):
            solver(name, make())
    with pytest.raises(SettingsError, match=r"slack-constrained form: set problem\.nu"):
        solver("sbp", make())


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1] * 5,
        [1, 2] * 5,
        [1] * 10,
        [-1] * 10,
        [-1, 0, 1, 1, 1, 1, 1, 1, 1, 1],
        [1.0, -1.0, np.nan, 1, 1, 1, 1, 1, 1, 1],
        [1.5, -1.0, 1, 1, 1, 1, 1, 1, 1, 1],
    ],
)
def test_labels(labels: list[float]) -> None:
    with pytest.raises(SettingsError, match=r"labels are -1 and \+1, both present, got \["):
        make(y=np.array(labels))


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.float16])
def test_features_of_another_type(dtype: type) -> None:
    X, _ = points(10, 3)
    for converted in (X.astype(dtype), sparse.csr_matrix(X).astype(np.float64)):
        with pytest.raises(SettingsError, match="X is float32, got "):
            make(converted)


def test_shapes() -> None:
    X, y = points(10, 3)
    with pytest.raises(SettingsError, match=r"X is \(n, d\) and y \(n,\), got \(10, 3\) and \(9,\)"):
        make(X, y[:9])
    with pytest.raises(SettingsError, match=r"got \(30,\)"):
        make(X.ravel(), y)
    with pytest.raises(SettingsError, match=r"got \(10, 3\) and \(10, 1\)"):
        make(X, y[:, None])
    with pytest.raises(SettingsError, match="no features"):
        make(X[:, :0], y)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("as_csr", [False, True])
def test_features_that_are_not_finite(value: float, as_csr: bool) -> None:
    X, _ = points(10, 3)
    X[7, 2] = value
    with pytest.raises(SettingsError, match=r"X\[7, 2\] is not finite"):
        make(sparse.csr_matrix(X) if as_csr else X)


def test_test_points_of_another_width() -> None:
    p = make()
    X, _ = points(4, 2)
    for other in (X, sparse.csr_matrix(X)):
        with pytest.raises(SettingsError, match="the points have 2 features, the training set has 3"):
            p.points(other)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_gaussian(value: float) -> None:
    with pytest.raises(SettingsError, match=r"kernel\.sigma2 = .*finite and positive"):
        Gaussian(value)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"degree": 0}, r"kernel\.degree = 0: it must be between 1 and 16"),
        ({"degree": 17}, r"kernel\.degree = 17"),
        ({"gamma": 0.0}, r"kernel\.gamma = 0\.0: it must be finite and positive"),
        ({"gamma": np.nan}, r"kernel\.gamma"),
        ({"coef0": -1.0}, r"kernel\.coef0 = -1\.0: it must not be negative"),
        ({"coef0": np.inf}, r"kernel\.coef0"),
    ],
)
def test_polynomial(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        Polynomial(**settings)


@pytest.mark.parametrize(
    ("name", "bias"),
    [
        ("pegasos", True),
        ("sdca", True),
        ("perceptron", True),
        ("fourier", True),
        ("libsvm", False),
    ],
)
def test_bias_that_the_method_does_not_have(name: str, bias: bool) -> None:
    allowed = str(not bias).lower()
    with pytest.raises(SettingsError, match=rf"algo={name} .*set problem\.bias={allowed}"):
        solver(name, make(lambda_=0.1, nu=0.1, bias=bias))


@pytest.mark.parametrize("seed", [-1, 2**63, 2**70])
@pytest.mark.parametrize("name", ["sbp", "smo", "fourier"])
def test_seeds(name: str, seed: int) -> None:
    with pytest.raises(SettingsError, match=r"seed = .*between 0 and 2\^63 - 1"):
        solver(name, make(lambda_=0.1, nu=0.1), seed)
    solver(name, make(lambda_=0.1, nu=0.1), 2**63 - 1)


@pytest.mark.parametrize("kernel", [Linear(), Polynomial()])
def test_fourier_needs_a_gaussian(kernel: Kernel) -> None:
    with pytest.raises(SettingsError, match="kernel=gaussian"):
        solver("fourier", make(kernel=kernel, lambda_=0.1))


@pytest.mark.parametrize(
    ("name", "settings", "text"),
    [
        ("fourier", {"pairs": 0}, r"algo\.pairs = 0: it must be at least 1"),
        ("fourier", {"relative_gap": 0.0}, r"algo\.relative_gap"),
        ("fourier", {"relative_gap": np.nan}, r"algo\.relative_gap"),
        ("fourier", {"max_epochs": 0}, r"algo\.max_epochs"),
        ("sbp", {"eta": -1.0}, r"algo=sbp: eta must be positive"),
        ("sbp", {"eta": np.nan}, r"algo\.eta = nan: it must be a finite number"),
        ("smo", {"tolerance": -1.0}, r"algo=smo: the tolerance must be finite and not negative"),
        ("smo", {"tolerance": np.nan}, r"algo\.tolerance = nan: it must be a finite number"),
        ("lasvm", {"tolerance": np.inf}, r"algo\.tolerance = inf: it must be a finite number"),
        ("lasvm", {"delta_max": 0.0}, r"algo=lasvm: delta_max must be positive, or left out"),
        ("lasvm", {"delta_max": np.nan}, r"algo\.delta_max = nan: it must be a finite number"),
        ("lasvm", {"passes": -1}, r"algo\.passes = -1: it must not be negative"),
        ("svmlight", {"tolerance": -1.0}, r"algo=svmlight: the tolerance must be finite and not negative"),
        ("svmlight", {"working_set": 5}, r"working set has an even number of variables, from 2 to 50, got 5"),
        ("svmlight", {"working_set": 0}, r"working set has an even number of variables, from 2 to 50, got 0"),
        ("svmlight", {"working_set": 52}, r"working set has an even number of variables, from 2 to 50, got 52"),
    ],
)
def test_settings_of_solvers(name: str, settings: dict[str, Any], text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        solver(name, make(lambda_=0.1, nu=0.1), **settings)


@pytest.mark.parametrize(("settings", "text"), [({"tolerance": 0.0}, "tolerance"), ({"cache_mb": -1}, "cache_mb")])
def test_settings_of_libsvm(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(SettingsError, match=rf"algo\.{text}"):
        solver("libsvm", make(lambda_=0.1, bias=True), **settings)


def test_no_examples_are_refused() -> None:
    p = make(np.zeros((10, 3), np.float32), kernel=Linear(), lambda_=0.1, nu=0.1)
    with pytest.raises(SettingsError, match=r"algo=sbp: every training point has K\(x, x\) = 0"):
        solver("sbp", p)
    with pytest.raises(SettingsError, match="nu could not be derived"):
        derive_nu(p)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("lambda_", [0.1, 100.0])
def test_nu_of_classes_with_one_mean_is_refused(seed: int, lambda_: float) -> None:
    half = np.random.default_rng(seed).normal(size=(20, 3)).astype(np.float32)
    p = make(
        np.vstack([half, -half]), np.repeat([1.0, -1.0, 1.0, -1.0], 10), kernel=Linear(), lambda_=lambda_, bias=True
    )
    with pytest.raises(SettingsError, match="cannot be told from w = 0"):  # ||w||^2 is rounding, of either sign
        derive_nu(p)


def test_a_nu_that_is_not_found_is_refused_with_the_gap() -> None:
    with pytest.raises(SettingsError, match=r"the duality gap stays at .* after 1 epochs; set problem\.nu"):
        derive_nu(problem(200, lambda_=1e-6), max_epochs=1)


def test_the_core_refuses_it_too() -> None:
    rows = make().rows.source
    for value in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="lambda must be finite and positive"):
            _core.Pegasos(rows, lambda_=value, seed=0)
        for kind in (_core.Smo, _core.SmoWithBias, _core.SvmLight):
            with pytest.raises(ValueError, match="C must be finite and positive"):
                kind(rows, C=value)
        with pytest.raises(ValueError, match="C must be finite and positive"):
            _core.Sdca(rows, C=value, seed=0)
        with pytest.raises(ValueError, match="C must be finite and positive"):
            _core.Lasvm(rows, C=value, seed=0)
    for kwargs in ({"iterations": -1}, {"iterations": 1.5}, {"epochs": 3}):
        with pytest.raises(TypeError):
            _core.KernelSolver("Perceptron", rows, {}, seed=0).advance(**kwargs)
    with pytest.raises(ValueError, match="there is no setting called margin"):
        _core.KernelSolver("Perceptron", rows, {"margin": 1.0}, seed=0)
    with pytest.raises(ValueError, match="there is no kernel solver called perceptron"):
        _core.KernelSolver("perceptron", rows, {}, seed=0)


def test_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels = ["averaged_perceptron", "fourier", "libsvm", "pegasos", "perceptron", "sbp", "sdca", "smo"]
    exact = ["lasvm", "svmlight"]
    linear = ["dcd", "liblinear", "mpu", "ocas", "sgd_m", "sgd_r", "sgd_s", "sgdqn", "simba", "sklearn_sgd"]
    batches = ["minibatch_pegasos", "minibatch_sdca"]
    approximate = ["asset", "asset_online", "asset_star", "asset_star_online", "cpny", "cpsp", "sklearn_nystroem"]
    assert solvers.names() == sorted([*kernels, *exact, *linear, *batches, *approximate, "svmperf", "svmsgd"])
    for name in solvers.names():
        kind = solvers.get(name)
        assert kind.name == name
        assert len(kind.summary) < 100
        assert "\n" not in kind.summary
        kind.Settings()
    with pytest.raises(SettingsError, match="no solver 'spb'; there are asset, asset_online"):
        solvers.get("spb")


@pytest.fixture
def registry() -> Any:
    solvers.registry.solver_classes.cache_clear()
    yield
    solvers.registry.solver_classes.cache_clear()


def test_a_solver_in_a_plugin_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry: None) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from svm_cost_curves.solvers.perceptron import Perceptron\n"
        "class Mine(Perceptron):\n"
        "    name = 'mine'\n"
        "    summary = 'One of my own'\n"
    )
    monkeypatch.setenv("SVM_SOLVERS", str(path))
    made = solver("mine", make())
    made.advance(Limit(iterations=5))
    assert made.counters.iterations == 5


def test_an_attribute_of_an_earlier_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry: None
) -> None:
    path = tmp_path / "old.py"
    path.write_text(
        "from svm_cost_curves.solvers.perceptron import Perceptron\n"
        "class Old(Perceptron):\n    name = 'old'\n    shares = True\n"
    )
    monkeypatch.setenv("SVM_SOLVERS", str(path))
    with pytest.raises(SettingsError, match="'old': the attribute `shares` is now called `shardable`"):
        solvers.names()


def test_two_solvers_of_one_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry: None) -> None:
    path = tmp_path / "twin.py"
    path.write_text("from svm_cost_curves.solvers.perceptron import Perceptron\nclass Twin(Perceptron):\n    pass\n")
    monkeypatch.setenv("SVM_SOLVERS", str(path))
    with pytest.raises(SettingsError, match="two solvers are called 'perceptron'"):
        solvers.names()
    monkeypatch.setenv("SVM_SOLVERS", str(tmp_path / "absent.py"))
    solvers.registry.solver_classes.cache_clear()
    with pytest.raises(SettingsError, match="not a Python file"):
        solvers.names()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import math\nimport no_such_module\n", ", line 2: ModuleNotFoundError: No module named 'no_such_module'"),
        ("x = 1\ndef f(:\n", ", line 2: SyntaxError: .+"),
        ("def f():\n    raise ValueError('two\\nlines')\n\nf()\n", ", line 2: ValueError: two lines"),
        ("import sys\nsys.exit(3)\n", ", line 2: SystemExit: 3"),
        ("x = 1\x00\n", ": (Value|Syntax)Error: .*null bytes"),  # the first in Python 3.11.2
    ],
)
def test_a_solver_file_that_cannot_be_imported_is_named_with_line_and_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry: None, text: str, said: str
) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    monkeypatch.setenv("SVM_SOLVERS", str(path))
    with pytest.raises(SettingsError) as refused:
        solvers.names()
    assert re.fullmatch(re.escape(f"SVM_SOLVERS: {path}") + said, str(refused.value))
    assert "svm_solver_broken" not in sys.modules


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ("PythonSolver", ": class Buggy lacks the methods advance, counters"),
        ("object", " has no solver: a class that derives from PythonSolver or Solver"),
    ],
)
def test_a_solver_file_without_a_complete_solver_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry: None, base: str, said: str
) -> None:
    path = tmp_path / "buggy.py"
    source = "from svm_cost_curves.solvers import PythonSolver\nclass Buggy(BASE):\n    snapshot = None\n"
    path.write_text(source.replace("BASE", base))
    monkeypatch.setenv("SVM_SOLVERS", str(path))
    with pytest.raises(SettingsError) as refused:
        solvers.names()
    assert str(refused.value) == f"SVM_SOLVERS: buggy.py{said}"


def test_build_information() -> None:
    info = solvers.build_info()
    assert len(info["build_id"]) == 16
    assert info["counting"] is True
    assert info["isa"] in ("v3", "v4", "v4a", "portable")
    assert info["compiler"]
    assert info["flags"]


@pytest.mark.parametrize(
    ("name", "setting"), [(name, setting) for name in solvers.names() for setting in solvers.get(name).within_n]
)
def test_more_distinct_examples_than_there_are(name: str, setting: str) -> None:
    """Figures skip exactly the settings that the solver refuses."""
    p = make(lambda_=0.1, kernel=Linear() if solvers.get(name).kernels == {"linear"} else None)
    solver(name, p, **{setting: 10})
    with pytest.raises(SettingsError, match=rf"algo\.{setting} = 11: .*n = 10"):
        solver(name, p, **{setting: 11})
