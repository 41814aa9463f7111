"""Data and kernels beyond the range of floating-point numbers: refused by name, or a run whose numbers are finite."""

from __future__ import annotations

import math
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from cases import points
from run_cases import DATA
from scipy import sparse

from svm_cost_curves import solvers
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.processes.outcome import outcome_of
from svm_cost_curves.experiments.run import runner
from svm_cost_curves.experiments.run.console import Display
from svm_cost_curves.experiments.run.curve_builder import OBJECTIVES, CurveBuilder
from svm_cost_curves.solvers import (
    Gaussian,
    Kernel,
    Limit,
    Linear,
    Polynomial,
    Problem,
    RowPolicy,
    SettingsError,
    libsvm,
)
from svm_cost_curves.solvers.evaluation import Evaluator
from svm_cost_curves.solvers.features import check_range, largest_square
from svm_cost_curves.support.errors import NotFiniteError

N = 40
ACCEPTED = 5e14
"""|x|^2 of the largest of the points is about 3e29 with values of this size."""
SMALL = {"features": 20, "batch_size": 8, "pairs": 8}


def kernels(scale: float) -> list[Kernel]:
    return [Linear(), Gaussian(2.0 * scale**2), Gaussian(2.0), Polynomial(2, 1.0, 1.0), Polynomial(16, 20.0, 1.0)]


def measures(name: str, kernel: Kernel, scale: float, bias: bool) -> list[dict[str, float | None]]:
    """Measures of a short run. SettingsError: something is refused."""
    X, y = points(N, 3)
    with np.errstate(over="ignore"):
        X = (X.astype(np.float64) * scale / 3.0).clip(-3e38, 3e38).astype(np.float32)
    kind = solvers.get(name)
    settings = {key: value for key, value in SMALL.items() if key in kind.Settings.__dataclass_fields__}
    problem = Problem(X, y, kernel, lambda_=1 / N, nu=0.1, bias=bias, rows=RowPolicy("on_the_fly", threads=1))
    solver = kind(problem, kind.Settings(**settings), 0)
    data = SimpleNamespace(points=X, X=X, y=y, X_test=X[:10], y_test=y[:10])
    builder = CurveBuilder(Evaluator(problem, cast(Any, data)), N, 1e9)
    for iterations in (3, 40):
        solver.advance(Limit(iterations=iterations, presentations=40 * N))
        builder.add(solver)
    builder.flush()
    return builder.rows


@pytest.mark.parametrize("name", solvers.names())
def test_every_solver_is_refused_or_finite_on_values_of_any_size(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libsvm, "MAX_ITERATIONS", 10_000)
    ran = 0
    for scale in (1e3, ACCEPTED, 1e16, 1e19, 1e30, 3e38):
        for kernel in kernels(scale):
            for bias in (False, True):
                try:
                    rows = measures(name, kernel, scale, bias)
                except SettingsError:
                    continue
                ran += 1
                assert scale <= ACCEPTED
                for row in rows:
                    assert all(row.get(field) is None or math.isfinite(row[field] or 0.0) for field in OBJECTIVES)
    assert ran > 0


@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
def test_the_message_names_sizes_and_what_to_do(as_csr: bool) -> None:
    X, y = points(N, 3)
    X[7, 1] = 2e19
    X = sparse.csr_matrix(X) if as_csr else X
    with pytest.raises(
        SettingsError, match=r"training points .* kernel=linear: the largest \|x\|\^2 is 4e\+38,"
    ) as told:
        Problem(X, y, Linear())
    assert str(told.value).endswith(": scale the features")


def test_the_kernel_is_named_where_it_overflows_on_common_data() -> None:
    X = np.random.default_rng(0).integers(0, 256, (40, 784)).astype(np.float32)
    y = np.where(np.arange(40) < 20, 1, -1)
    with pytest.raises(
        SettingsError, match=r"kernel=polynomial: the kernel \(1 <x, z> \+ 1\)\^6 reaches 3\.\d+e\+43 where"
    ):
        Problem(X, y, Polynomial(6, 1.0, 1.0))
    with pytest.raises(SettingsError, match=r"kernel=gaussian: gamma = 5e\+31 is too large where"):
        Problem(X, y, Gaussian(1e-32))
    assert Problem(X, y, Polynomial(3, 1.0, 1.0)).rows.source.diagonal.max() < 1e30


def test_points_to_evaluate_are_checked_too() -> None:
    X, y = points(N, 3)
    problem = Problem(X, y, Gaussian(2.0))
    with pytest.raises(SettingsError, match="points to evaluate are too large"):
        problem.points(X * np.float32(1e16))


@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
def test_only_the_largest_row_counts_and_not_the_number_of_features(as_csr: bool) -> None:
    X = np.zeros((3, 1000), dtype=np.float32)
    X[0, 0], X[1, 1] = 9e14, -9.9e14  # below 1e30 squared, above it times the number of features
    given = sparse.csr_matrix(X) if as_csr else X
    check_range(Linear(), given, "points")
    assert largest_square(given) == pytest.approx(9.9e14**2, rel=1e-6)
    X[1, 2] = 9e14
    with pytest.raises(SettingsError):
        check_range(Linear(), sparse.csr_matrix(X) if as_csr else X, "points")
    assert largest_square(given[:0]) == 0.0


def test_values_that_are_accepted_give_finite_rows_at_the_limit() -> None:
    """The proof beside `require_range` in the core, on rows computed in each way."""
    rng = np.random.default_rng(0)
    for kernel, size in (
        (Linear(), 9e14),
        (Polynomial(15, 1.0, 0.0), 9.0),
        (Gaussian(1e-6), 9e14),
        (Gaussian(4e-7), 1.0),
    ):
        X = rng.normal(size=(60, 300))
        X = (X * (size / np.linalg.norm(X, axis=1, keepdims=True))).astype(np.float32)
        X[rng.random(X.shape) < 0.6] = 0.0
        X[1] = -X[0]
        X[2] = X[0]
        y = np.where(np.arange(60) < 30, 1, -1)
        for as_csr in (False, True):
            for provider in ("on_the_fly", "gram"):
                given = sparse.csr_matrix(X) if as_csr else X
                rows = Problem(given, y, kernel, rows=RowPolicy(cast(Any, provider), threads=1)).rows.source
                K = np.array([rows.row(i) for i in range(60)])
                assert np.isfinite(K).all(), (kernel, as_csr, provider)
                assert np.abs(K).max() <= 1.001 * np.abs(K.diagonal()).max()


def test_a_run_whose_objective_overflows_is_recorded_as_failed(
    fresh: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluate = Evaluator.evaluate

    def overflowing(self: Evaluator, snapshots: Any) -> list[dict[str, float | None]]:
        rows = evaluate(self, snapshots)
        return [*rows[:2], *({**row, "primal": math.nan} for row in rows[2:])]

    monkeypatch.setattr(Evaluator, "evaluate", overflowing)
    words = ["algo=perceptron", *DATA, "budget.iterations=20", "budget.evaluations=5"]
    settings = settings_of([*words, f"store.root={fresh / 'results'}"])
    outcome = outcome_of(lambda: runner.run(settings, Display(), ["run.py"]), lambda: "perceptron")
    assert (outcome.status, outcome.exit_code) == ("failed", 1)
    assert re.search(r"primal = nan after \d+ iterations, \d+ presentations", outcome.message)
    said = capsys.readouterr().err
    assert "perceptron: failed: the objective is not finite" in said
    assert "Traceback" not in said
    monkeypatch.undo()
    again = outcome_of(lambda: runner.run(settings, Display(), ["run.py"]), lambda: "perceptron")
    assert again.status == "finished"  # and not found: the first one does not count


def test_the_cost_is_named() -> None:
    solver = SimpleNamespace(
        counters=solvers.Counters(iterations=12_345, presentations=7), cpu_seconds=0.0, wall_seconds=0.0, snapshot=dict
    )
    evaluator = SimpleNamespace(evaluate=lambda snapshots: [{"primal": 1.0, "norm": math.inf, "gap": None}])
    builder = CurveBuilder(evaluator, 10, 1.0)
    builder.add(solver)
    with pytest.raises(
        NotFiniteError, match="norm = inf after 12,345 iterations, 7 presentations, 0 kernel evaluations"
    ):
        builder.flush()
    assert builder.rows == []
