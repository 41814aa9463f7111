"""What a run says about its end: a stopping rule that did not hold, and a predictor that tells no points apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import points

from svm_cost_curves import experiments
from svm_cost_curves.solvers import SettingsError
from svm_cost_curves.solvers.evaluation import Evaluator

LIMIT = "it has not converged"
X, Y = points(60, 3)


def remarks(algo: str, features: Any = X, **settings: Any) -> str:
    """The remarks of a run on the points, which are the test points too."""
    return "; ".join(experiments.run(algo, features, Y, features, Y, **settings).result["remarks"])


def test_a_stopping_rule_that_did_not_hold_is_told() -> None:
    told = remarks("smo", budget={"epochs": 0.1})
    assert "ended at its limit of 6 presentations (0.1 passes over the data)" in told
    assert LIMIT in told
    assert LIMIT in remarks("dcd", kernel="linear", **{"algo.eps": 1e-9}, budget={"epochs": 2})


@pytest.mark.parametrize(
    ("algo", "settings"),
    [
        ("smo", {"budget": {"epochs": 1000}}),  # converges
        ("dcd", {"kernel": "linear", "algo.eps": 0.5, "budget": {"epochs": 100}}),
        ("pegasos", {"budget": {"epochs": 1}}),  # has no rule
        ("perceptron", {"budget": {"epochs": 1}}),
    ],
)
def test_other_ends_are_not_told(algo: str, settings: dict[str, Any]) -> None:
    assert remarks(algo, **settings) == ""


def test_a_predictor_that_tells_no_points_apart_is_told() -> None:
    far = remarks("smo", kernel={"sigma2": 1e12}, problem={"C": 1.0}, budget={"epochs": 1000})
    assert "the final predictor" in far
    assert "at all 60 test points" in far or "gives all 60 test points one class" in far
    zero = remarks("smo", **{"algo.tolerance": 10.0})
    assert "the final predictor is constant, f(x) = 0 at all 60 test points: w = 0" in zero


def test_without_both_classes_among_the_test_points_the_training_points_count() -> None:
    run = experiments.run("smo", X, Y, X[Y > 0][:5], Y[Y > 0][:5], **{"algo.tolerance": 10.0})
    assert "all 60 training points: w = 0" in "; ".join(run.result["remarks"])
    fine = experiments.run("pegasos", X, Y, X[Y > 0][:5], Y[Y > 0][:5], budget={"epochs": 3})
    assert fine.result["remarks"] == []


def test_the_last_snapshot_of_a_run_is_not_evaluated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls, evaluate = [], Evaluator.evaluate

    def counting(self: Evaluator, several: Any) -> Any:
        calls.append(len(several))
        return evaluate(self, several)

    monkeypatch.setattr(Evaluator, "evaluate", counting)
    remarks("pegasos", budget={"epochs": 2, "evaluations": 5})
    assert len(calls) <= 2  # a preview, and all of them


@pytest.mark.parametrize("factor", [1e-23, 1e-19, 1e18])
def test_the_advice_for_features_out_of_range_works(factor: float) -> None:
    scaled = X.astype(np.float64) * factor

    def made(**dataset: Any) -> experiments.Run:
        return experiments.run("pegasos", scaled, Y, dataset=dataset, kernel="linear", budget={"epochs": 5})

    with pytest.raises(SettingsError, match=f"too {'small' if factor < 1 else 'large'} for kernel=linear") as told:
        made()
    assert str(told.value).endswith(
        'scale the features: dataset={"scaling": "standard"}, dataset={"row_norm": "longest"} or '
        'dataset={"divide_by": NUMBER}'
    )
    for advice in ({"scaling": "standard"}, {"row_norm": "longest"}, {"divide_by": factor}):
        assert made(**advice).result["final"]["train_error"] < 0.5
