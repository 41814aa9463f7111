"""Wrong settings and problems are refused with a message that says what is allowed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

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
    derive_nu,
)
from svm_cost_curves.solvers.accounting import Accounting
from svm_cost_curves.solvers.simba import LearningRate


def make(X: Any = None, y: Any = None, kernel: Kernel | None = None, **settings: Any) -> Problem:
    good_X, good_y = points(10, 3)
    return Problem(
        good_X if X is None else X,
        good_y if y is None else y,
        kernel or Gaussian(1.0),
        rows=RowPolicy(provider="on_the_fly"),
        **settings,
    )


def fitting(name: str, **arguments: Any) -> Problem:
    """A problem that the solver accepts, in which something is then changed."""
    kind = solvers.get(name)
    kernel = Linear() if kind.kernels == {"linear"} else Gaussian(1.0)
    return make(**{"kernel": kernel, "bias": min(kind.biases), "lambda_": 0.1, "nu": 0.1, **arguments})


BY_SOLVER = pytest.mark.parametrize("name", solvers.names())


X, Y = points(10, 3)
OF_PROBLEMS: list[tuple[Callable[[], object], str]] = [
    *((lambda v=v: make(lambda_=v), "lambda = .*: it must be positive") for v in (0.0, -1.0, np.nan, np.inf)),
    *((lambda v=v: make(nu=v), "nu = .*must be finite and not negative") for v in (-1e-9, np.nan, np.inf, -np.inf)),
    (lambda: solver("sbp", make(nu=1e300)), "algo=sbp: nu must not be negative, and nu n must be below 1e100"),
    *(
        (lambda labels=labels: make(y=np.array(labels)), r"labels are -1 and \+1, both present, got \[")
        for labels in (
            [0, 1] * 5,
            [1, 2] * 5,
            [1] * 10,
            [-1] * 10,
            [-1, 0, *[1] * 8],
            [1.0, -1.0, np.nan, *[1] * 7],
            [1.5, -1.0, *[1] * 8],
        )
    ),
    *((lambda kind=kind: make(X.astype(kind)), "X is float32, got ") for kind in (np.float64, np.int32, np.float16)),
    (lambda: make(sparse.csr_matrix(X).astype(np.float64)), "X is float32, got "),
    (lambda: make(X, Y[:9]), r"X is \(n, d\) and y \(n,\), got \(10, 3\) and \(9,\)"),
    (lambda: make(X.ravel(), Y), r"got \(30,\)"),
    (lambda: make(X, Y[:, None]), r"got \(10, 3\) and \(10, 1\)"),
    (lambda: make(X[:, :0], Y), "no features"),
    *(
        (lambda v=v, wrap=wrap: make(wrap(np.where(X[7, 2] == X, v, X))), r"X\[7, 2\] is not finite")
        for v in (np.float32(np.nan), np.float32(np.inf), np.float32(-np.inf))
        for wrap in (np.asarray, sparse.csr_matrix)
    ),
    *(
        (lambda wrap=wrap: make().points(wrap(X[:, :2])), "the points have 2 features, the training set has 3")
        for wrap in (np.asarray, sparse.csr_matrix)
    ),
    *((lambda v=v: Gaussian(v), r"kernel\.sigma2 = .*finite and positive") for v in (0.0, -1.0, np.nan, np.inf)),
    (lambda: Polynomial(degree=0), r"kernel\.degree = 0: it must be between 1 and 16"),
    (lambda: Polynomial(degree=17), r"kernel\.degree = 17"),
    (lambda: Polynomial(gamma=0.0), r"kernel\.gamma = 0\.0: it must be finite and positive"),
    (lambda: Polynomial(gamma=np.nan), r"kernel\.gamma"),
    (lambda: Polynomial(coef0=-1.0), r"kernel\.coef0 = -1\.0: it must not be negative"),
    (lambda: Polynomial(coef0=np.inf), r"kernel\.coef0"),
]


@pytest.mark.parametrize(("call", "text"), OF_PROBLEMS)
def test_a_wrong_problem_kernel_or_point_is_refused(call: Callable[[], object], text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        call()
    assert make(nu=0.0).require_nu() == 0.0


# Settings of solvers


@BY_SOLVER
def test_a_problem_that_the_method_does_not_solve(name: str) -> None:
    """Its class says which kernels and which bias it takes, and what the problem must give."""
    kind = solvers.get(name)
    sizes = dict.fromkeys(kind.within_n, 5)
    for kernel in (Gaussian(1.0), Polynomial(), Linear()):
        if kernel.name not in kind.kernels:
            with pytest.raises(
                SettingsError, match=rf"algo={name} works with kernel=.* only, got kernel={kernel.name}"
            ):
                solver(name, fitting(name, kernel=kernel), **sizes)
    for bias in {False, True} - kind.biases:
        with pytest.raises(SettingsError, match=rf"algo={name} .*set problem\.bias={not bias}".lower()):
            solver(name, fitting(name, bias=bias), **sizes)
    for need, text in (
        ("lambda", r"lambda form: set problem\.lambda_ or problem\.C"),
        ("nu", r"form: set problem\.nu"),
    ):
        if need in kind.needs:
            with pytest.raises(SettingsError, match=text):
                solver(name, fitting(name, **{"lambda_" if need == "lambda" else need: None}), **sizes).advance(Limit())


@BY_SOLVER
def test_a_seed_or_a_number_that_is_none(name: str) -> None:
    kind = solvers.get(name)
    sizes = dict.fromkeys(kind.within_n, 5)
    for seed in (-1, 2**63, 2**70):
        with pytest.raises(SettingsError, match=r"seed = .*between 0 and 2\^63 - 1"):
            solver(name, fitting(name), seed, **sizes)
    solver(name, fitting(name), 2**63 - 1, **sizes)
    for setting, hint in get_type_hints(kind.Settings).items():
        if hint in (float, float | None):
            for value in (np.nan, np.inf, -np.inf):
                with pytest.raises(SettingsError, match=rf"algo\.{setting} = {value}: it must "):
                    solver(name, fitting(name), **sizes, **{setting: value})


ASSET = ("asset", "asset_star", "asset_online", "asset_star_online")
NYSTROM = ("asset", "asset_star", "cpny")
POSITIVE = {
    "eps": ["dcd", "mpu", "ocas", "svmperf", "sgd_s", "sgd_m"],
    "check_factor": ["sgd_s", "sgd_m"],
    "t0": ["svmsgd", "sgdqn"],
}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    *(
        (name, {setting: value}, f"algo={name}: {setting} = {value:g}: it must lie between 1e-30 and")
        for setting, methods in POSITIVE.items()
        for name in methods
        for value in (0.0, -1.0)
    ),
    *(
        (name, {"eps": value}, rf"algo\.eps = {value}: .*positive")
        for name in ("cpny", "cpsp")
        for value in (0.0, -1.0)
    ),
    *((name, {"window": 0}, r"algo\.window = 0: it must be from 1 to 10,000") for name in ASSET),
    *((name, {"window": 10_001}, r"algo\.window = 10001") for name in ASSET),
    *((name, {"samples": 0}, r"algo\.samples = 0: it must be from 1 to 10,000") for name in ASSET[::2]),
    *((name, {"step": 0.0}, r"algo\.step = 0\.0: it must be positive, from 1e-30 to 1e\+30") for name in ASSET[::2]),
    *((name, {"step": 1e31}, r"algo\.step = 1e\+31") for name in ASSET[::2]),
    *((name, {"intercept_bound": bound}, r"algo\.intercept_bound = ") for name in ASSET[::2] for bound in (0.0, 1e300)),
    *(
        (name, {"features": 0}, r"algo\.features = 0: it must be ")
        for name in (*ASSET, "cpny", "cpsp", "sklearn_nystroem")
    ),
    *(
        (name, {"eps_d": share}, r"algo\.eps_d = .*: it must lie between 0 and 1")
        for name in NYSTROM
        for share in (0.0, 1.0)
    ),
    ("cpny", {"qp_precision": 0.0}, r"algo\.qp_precision = 0\.0: it must lie between 0 and 1"),
    ("cpny", {"qp_precision": 1.0}, r"algo\.qp_precision = 1\.0"),
    ("cpny", {"idle_cuts": 0}, r"algo\.idle_cuts = 0: it must be at least 1, or null"),
    ("cpny", {"eigenvalue_threshold": -1.0}, r"algo\.eigenvalue_threshold = -1\.0: it must be finite and not negative"),
    ("cpsp", {"starts": 0}, r"algo\.starts = 0: it must be at least 1"),
    ("fourier", {"pairs": 0}, r"algo\.pairs = 0: it must be at least 1"),
    ("fourier", {"relative_gap": 0.0}, r"algo\.relative_gap"),
    ("fourier", {"max_epochs": 0}, r"algo\.max_epochs"),
    ("lasvm", {"delta_max": 0.0}, r"algo=lasvm: delta_max must be positive, or left out"),
    ("lasvm", {"passes": -1}, r"algo\.passes = -1: it must not be negative"),
    ("lasvm", {"drop_below": -1e-9}, r"algo\.drop_below = -1e-09: it must lie between 0 and 1"),
    ("lasvm", {"drop_below": 1.1}, r"algo\.drop_below = 1\.1: it must lie between 0 and 1"),
    ("liblinear", {"tolerance": 0.0}, r"algo\.tolerance = 0\.0: it must be positive"),
    ("libsvm", {"tolerance": 0.0}, r"algo\.tolerance"),
    ("libsvm", {"cache_mb": -1}, r"algo\.cache_mb"),
    ("minibatch_pegasos", {"batch_size": 0}, r"algo\.batch_size = 0"),
    ("minibatch_sdca", {"batch_size": 2, "threads": 0}, r"algo\.threads = 0"),
    ("minibatch_sdca", {"batch_size": 2, "gamma": 0.0}, r"algo\.gamma = 0"),
    ("minibatch_sdca", {"batch_size": 2, "gamma": 1.0}, r"algo\.gamma = 1"),
    *(("ocas", {"mu": mu}, r"algo=ocas: mu must lie in \(0, 1\]") for mu in (0.0, -0.1, 1.1)),
    ("sbp", {"eta": -1.0}, r"algo=sbp: eta must be finite and not negative"),
    *(
        ("sgd_m", {"multiplicity_schedule": schedule}, r"algo\.multiplicity_schedule = \[.*\]: .* from 1 to 2\^32 - 1")
        for schedule in ([], [0], [1, 0, 5], [-1], [2**32])
    ),
    ("sgdqn", {"skip": 0}, "algo=sgdqn: skip must be a whole number >= 1"),
    ("sgdqn", {"tuning_passes": 0}, "algo=sgdqn: tuning_passes must be from 1 to 100"),
    ("sgdqn", {"tuning_passes": 101}, "algo=sgdqn: tuning_passes must be from 1 to 100"),
    (
        "sgdqn",
        {"skip": 4, "t0": 3.0},
        "algo=sgdqn: t0 must be at least 4: the steps between two actions of the regulariser",
    ),
    *(("simba", {"horizon": horizon}, rf"algo\.horizon must be .*>= 1.* got {horizon}") for horizon in (0, -5)),
    (
        "simba",
        {"horizon": 100, "learning_rate": LearningRate.printed},
        r"algo\.learning_rate=printed shrinks with t: leave out algo\.horizon",
    ),
    *(
        (name, {"tolerance": -1.0}, r"the tolerance = -1: it must lie between 0 and 1e\+30")
        for name in ("smo", "svmlight")
    ),
    *(("svmlight", {"working_set": q}, f"even number of variables, from 2 to 50, got {q}") for q in (0, 5, 52)),
]


@pytest.mark.parametrize(("name", "settings", "text"), REFUSED, ids=str)
def test_settings_of_solvers(name: str, settings: dict[str, Any], text: str) -> None:
    settings = dict.fromkeys(solvers.get(name).within_n, 5) | settings
    with pytest.raises(SettingsError, match=text):
        solver(name, fitting(name), **settings)


def test_settings_that_belong_to_another_kernel_or_bias() -> None:
    with pytest.raises(SettingsError, match=r"algo\.accounting"):
        solver("pegasos", make(kernel=Linear(), lambda_=0.1), accounting=Accounting.kept)
    with pytest.raises(SettingsError, match=r"algo=mpu: C times the largest squared norm .* at most 2\^40"):
        solver("mpu", make(kernel=Linear(), lambda_=1e-14))
    with pytest.raises(SettingsError, match="can make 2,147,483,647 passes at most"):
        solver("sklearn_sgd", make(kernel=Linear(), lambda_=0.1)).advance(Limit(iterations=2**31))
    X, y = points(10, 3)
    for nu in (-0.1, 1.0 + 1e-9, 5.0, np.nan):
        with pytest.raises(SettingsError, match=r"nu.* must "):
            solver("simba", make(X / np.float32(10.0), y, Linear(), nu=nu))


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


PERCEPTRON = "from svm_cost_curves.solvers.perceptron import Perceptron\n"


def from_file(path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the solvers with those of a file, which SVM_SOLVERS names."""
    path.write_text(text)
    monkeypatch.setenv("SVM_SOLVERS", str(path))
    solvers.registry.solver_classes.cache_clear()
    return solvers.names()


def test_a_solver_in_a_plugin_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry: None) -> None:
    text = f"{PERCEPTRON}class Mine(Perceptron):\n    name, summary = 'mine', 'One of my own'\n"
    assert "mine" in from_file(tmp_path / "mine.py", text, monkeypatch)
    made = solver("mine", make())
    made.advance(Limit(iterations=5))
    assert made.counters.iterations == 5
    monkeypatch.setenv("SVM_SOLVERS", str(tmp_path / "absent.py"))
    solvers.registry.solver_classes.cache_clear()
    with pytest.raises(SettingsError, match="not a Python file"):
        solvers.names()


BASE = "from svm_cost_curves.solvers import PythonSolver\nclass Buggy({}):\n    snapshot = None\n"
INCOMPLETE = ": class Buggy lacks the methods advance, counters"
NONE = " has no solver: a class that derives from PythonSolver or Solver"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{PERCEPTRON}class Twin(Perceptron):\n    pass\n", "two solvers are called 'perceptron': .*"),
        (
            f"{PERCEPTRON}class Old(Perceptron):\n    name = 'old'\n    shares = True\n",
            "solver 'old': the attribute `shares` is now called `shardable`",
        ),
        (BASE.format("PythonSolver"), f"SVM_SOLVERS: broken.py{INCOMPLETE}"),
        (BASE.format("object"), f"SVM_SOLVERS: broken.py{NONE}"),
        ("import math\nimport no_such_module\n", "PATH, line 2: ModuleNotFoundError: No module named 'no_such_module'"),
        ("x = 1\ndef f(:\n", "PATH, line 2: SyntaxError: .+"),
        ("def f():\n    raise ValueError('two\\nlines')\n\nf()\n", "PATH, line 2: ValueError: two lines"),
        ("import sys\nsys.exit(3)\n", "PATH, line 2: SystemExit: 3"),
        ("x = 1\x00\n", "PATH: (Value|Syntax)Error: .*null bytes"),  # the first in Python 3.11.2
    ],
)
def test_a_solver_file_with_an_error_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, registry: None, text: str, said: str
) -> None:
    path = tmp_path / "broken.py"
    with pytest.raises(SettingsError) as refused:
        from_file(path, text, monkeypatch)
    assert re.fullmatch(said.replace("PATH", f"SVM_SOLVERS: {re.escape(str(path))}"), str(refused.value))
    assert "PATH" not in said or "svm_solver_broken" not in sys.modules


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
