"""The command line wins, then the preset for the pair, the algorithm's, the data set's, then this project's rules."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.experiments.configuration.presets import (
    choose_bias,
    choose_epochs,
    choose_kernel,
    choose_problem,
    choose_sigma2,
    printed,
)
from svm_cost_curves.experiments.configuration.schema import (
    GaussianConfig,
    Preset,
    PresetConfig,
    ProblemConfig,
    ProblemPreset,
)
from svm_cost_curves.solvers import SettingsError

PAPER = PresetConfig(
    data=Preset(
        source="a paper",
        unbiased=ProblemPreset(sigma2=10.0, C=1.0, nu=0.011),
        biased=ProblemPreset(sigma2=100.0, C=100.0),
    )
)
NONE = PresetConfig()


def choice(user: ProblemConfig, presets: PresetConfig = PAPER, **changes: Any) -> Any:
    arguments: dict[str, Any] = {
        "bias": False,
        "bias_origin": "default",
        "needs": {"nu"},
        "kernel_fits": True,
        "data_fits": True,
        "algo": "sbp",
    }
    return choose_problem(user, presets, **arguments | changes)


def kernel(default: str, presets: PresetConfig, allowed: Collection[str], bias: bool = False) -> tuple[str, str]:
    return choose_kernel(default, presets, allowed, "x", bias=bias)


def numbers(problem: Any) -> tuple[float | None, float | None, float | None]:
    return problem.lambda_, problem.C, problem.nu


def test_nothing_said_gives_the_papers_row_for_the_bias() -> None:
    assert numbers(choice(ProblemConfig())) == (None, 1.0, 0.011)
    assert numbers(choice(ProblemConfig(), bias=True)) == (None, 100.0, None)
    assert choice(ProblemConfig()).origins["nu"] == "a paper"


def test_nothing_said_and_no_preset_gives_lambda_one_over_n() -> None:
    problem = choice(ProblemConfig(), NONE)
    assert numbers(problem) == (None, 1.0, None)
    assert problem.origins["C"] == "default: lambda = 1/n"


def test_a_printed_nu_is_for_those_who_need_it_and_for_its_own_problem() -> None:
    assert choice(ProblemConfig(), needs={"lambda"}).nu is None
    assert choice(ProblemConfig(), data_fits=False).nu is None
    assert choice(ProblemConfig(), data_fits=False).C == choice(ProblemConfig()).C
    other = choice(ProblemConfig(), kernel_fits=False)
    assert (other.nu, other.C, other.origins["C"]) == (None, 1.0, "default: lambda = 1/n"), "C too is the kernel's"


FORMS = ("lambda_", "C", "nu")


@given(st.sampled_from(FORMS), st.floats(1e-12, 1e6))
def test_one_form_on_the_command_line_drops_the_others(form: str, value: float) -> None:
    problem = choice(ProblemConfig(**{form: value}))
    assert numbers(problem) == tuple(value if name == form else None for name in FORMS)
    assert problem.origins[form] == "command line"


@pytest.mark.parametrize("forms", [("lambda_", "C"), ("lambda_", "nu"), ("C", "nu"), ("lambda_", "C", "nu")])
def test_two_forms_at_once_are_refused(forms: tuple[str, ...]) -> None:
    with pytest.raises(SettingsError, match="give one of them"):
        choice(ProblemConfig(**dict.fromkeys(forms, 0.5)))


OUTSIDE = [(form, value) for form in FORMS for value in (-1.0, math.nan, math.inf)]


@pytest.mark.parametrize(("form", "value"), [*OUTSIDE, ("lambda_", 0.0), ("C", 0.0)])
def test_numbers_outside_their_range_are_refused(form: str, value: float) -> None:
    with pytest.raises(SettingsError, match=f"problem.{form} must be"):
        choice(ProblemConfig(**{form: value}))
    assert choice(ProblemConfig(nu=0.0)).nu == 0.0  # but 0 is a nu


def test_nu_alone_is_refused_for_a_lambda_method() -> None:
    with pytest.raises(SettingsError, match=r"algo=pegasos .* problem\.lambda_ or problem\.C"):
        choice(ProblemConfig(nu=0.1), needs={"lambda"}, algo="pegasos")


def test_bias_goes_from_command_line_to_presets_to_what_is_possible() -> None:
    presets = PresetConfig(algo=Preset(source="LIBSVM", bias=True))
    assert choose_bias(False, presets, (False, True), "x") == (False, "command line")
    assert choose_bias(None, presets, (False, True), "x") == (True, "LIBSVM")
    assert choose_bias(None, NONE, (False, True), "x") == (False, "default")
    assert choose_bias(None, NONE, (True,), "x") == (True, "algo=x works with a bias only")
    with pytest.raises(SettingsError, match="without a bias only"):
        choose_bias(True, NONE, (False,), "x")
    with pytest.raises(SettingsError, match="with a bias only"):
        choose_bias(False, NONE, (True,), "x")


def test_width_goes_from_command_line_to_preset_to_data() -> None:
    assert choose_sigma2(GaussianConfig(3.0), PAPER, bias=False) == (3.0, "command line")
    assert choose_sigma2(GaussianConfig(), PAPER, bias=True) == (100.0, "a paper")
    assert choose_sigma2(GaussianConfig(), NONE, bias=False)[0] is None
    for value in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(SettingsError, match="must be a positive number"):
            choose_sigma2(GaussianConfig(value), PAPER, bias=False)


def test_the_pairs_epochs_win_over_the_algorithms() -> None:
    presets = PresetConfig(algo=Preset(epochs=20.0), pair=Preset(source="Figure 2", epochs=100.0))
    assert choose_epochs(presets) == (100.0, "Figure 2")
    assert choose_epochs(PresetConfig(algo=Preset(epochs=20.0))) == (20.0, "preset")
    assert choose_epochs(NONE) == (10.0, "default")


def test_the_kernel_is_the_data_sets_else_the_default_else_the_algorithms_only_one() -> None:
    every = ("gaussian", "linear", "polynomial")
    words = PresetConfig(data=Preset(source="a paper", kernel="linear"))
    assert kernel("gaussian", words, every) == ("linear", "a paper")
    assert kernel("gaussian", PAPER, every) == ("gaussian", "a paper")
    assert kernel("gaussian", NONE, every) == ("gaussian", "default")
    for presets in (PAPER, NONE):
        assert kernel("gaussian", presets, ("linear",))[0] == "linear"
    assert kernel("gaussian", words, ("gaussian",))[0] == "gaussian"


ROW = ProblemPreset(sigma2=500.0, C=1000.0)
PAIR = PresetConfig(data=PAPER.data, pair=Preset(source="another paper", unbiased=ROW, biased=ROW))


@pytest.mark.parametrize("bias", [False, True])
def test_numbers_of_a_pair_go_before_those_of_the_data_set(bias: bool) -> None:
    problem = choice(ProblemConfig(), PAIR, bias=bias)
    assert numbers(problem) == (None, 1000.0, None), "the data set's nu belongs to its C"
    assert problem.origins["C"] == "another paper"
    assert choose_sigma2(GaussianConfig(), PAIR, bias=bias) == (500.0, "another paper")
    assert numbers(choice(ProblemConfig(C=3.0), PAIR)) == (None, 3.0, None)
    assert numbers(choice(ProblemConfig(), PAIR, kernel_fits=False)) == (None, 1.0, None)
    assert printed(PAIR, bias=bias).kernel == "gaussian"
    assert printed(PAPER, bias=bias).source == "a paper"


def test_numbers_of_a_pair_may_be_for_one_kind_of_problem() -> None:
    words = PresetConfig(data=Preset(source="words", kernel="linear"), pair=PAIR.pair)
    assert kernel("linear", words, ("linear",)) == ("linear", "words")
    pair = Preset(source="another paper", unbiased=ROW)
    presets = PresetConfig(data=Preset(source="words", kernel="linear", biased=ProblemPreset(C=3.0)), pair=pair)
    every = ("gaussian", "linear")
    for bias, name, C in ((False, ("gaussian", pair.source), 1000.0), (True, ("linear", "words"), 3.0)):
        assert kernel("linear", presets, every, bias=bias) == name
        assert choice(ProblemConfig(), presets, bias=bias).C == C
