"""Settings of solvers in Python and keyword arguments of their classes in the core: equal names, equal defaults."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import core_stub
import pytest
import variants

from svm_cost_curves.solvers import get

KINDS = sorted(
    {(variants.VARIANTS[name][0], type(vars(variants.make(name))["_core"]).__name__) for name in variants.CORE}
    | {("asset", "Asset"), ("asset_star", "Asset"), ("asset_online", "AssetStream"), ("cpny", "SvmPerf")}
)
"""Names of solvers, and their classes in the core; those on features of their own are made when a run begins."""
OF_THE_PROBLEM = {"C", "lambda_", "nu", "bias", "beta", "seed", "shard", "all_reduce"}
IN_PYTHON_ALONE = {
    *("features", "eps_d", "eigenvalue_threshold"),  # make the features
    *("precision", "accounting"),  # choose the class, or are refused
    "drop_below",  # changes the predictor
}
CALLED = {
    "draws": "pairs",
    "intercept_bound": "bound",
    "learning_rate": "printed_rate",
    "multiplicity_schedule": "multiplicities",
}
"""Settings that the core calls otherwise."""
FIXED = {
    "asset": {"strongly_convex", "one_pass"},
    "asset_online": {"strongly_convex"},
    "asset_star": {"strongly_convex", "one_pass", "bound", "step", "samples"},
    "cpny": {"relative"},
    "cpsp": {"capacity", "gamma"},
    "sgd_s": {"multiplicities"},
    "svmperf": {"relative", "qp_precision", "idle_cuts"},
}
"""Arguments that a solver does not leave to the user, or that have the name of a setting of features."""
OTHER_DEFAULTS = {("minibatch_pegasos", "average"), ("lasvm", "delta_max"), ("simba", "horizon")}
"""The user's is the tail's mean, not the last iterate; where the user's is null, the core's is infinity or 0."""
BY_KIND = pytest.mark.parametrize(("name", "core"), KINDS)


def both(name: str, core: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the defaults of the settings and of the keyword arguments by name; MISSING and empty where none."""
    (signature,) = core_stub.read().constructors(core)
    settings = {CALLED.get(one.name, one.name): one.default for one in dataclasses.fields(get(name).Settings)}
    return settings, {one.name: one.default for one in signature if one.kind is one.KEYWORD_ONLY}


@BY_KIND
def test_the_names_are_the_same(name: str, core: str) -> None:
    settings, arguments = both(name, core)
    assert settings.keys() - arguments.keys() <= IN_PYTHON_ALONE
    assert arguments.keys() - settings.keys() == FIXED.get(name, set()) | arguments.keys() & OF_THE_PROBLEM


@BY_KIND
def test_the_defaults_are_the_same(name: str, core: str) -> None:
    settings, arguments = both(name, core)
    for setting in settings.keys() & arguments.keys() - set(CALLED.values()):
        if arguments[setting] is not inspect.Parameter.empty and (name, setting) not in OTHER_DEFAULTS:
            mine, theirs = (getattr(default, "name", default) for default in (settings[setting], arguments[setting]))
            assert mine == theirs
