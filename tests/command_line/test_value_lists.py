"""logspace and linspace on the command line of a sweep."""

from __future__ import annotations

import re

import numpy as np
import pytest

from svm_cost_curves.experiments.command_line.value_lists import expanded
from svm_cost_curves.solvers import SettingsError


def values(word: str) -> list[float]:
    (text,) = expanded([word], sweeps=True)
    name, _, listed = text.partition("=")
    assert name == word.partition("=")[0]
    return [float(value) for value in listed.split(",")]


def test_logspace_has_even_logarithms_and_both_ends() -> None:
    found = values("problem.lambda_=logspace(-6,-2,9)")
    assert (found[0], found[-1]) == (1e-6, 1e-2)
    np.testing.assert_allclose(np.diff(np.log10(found)), 0.5, rtol=1e-10)
    assert found[::2] == [1e-6, 1e-5, 1e-4, 1e-3, 1e-2]  # as they are typed: the same runs


def test_linspace_has_even_differences_and_both_ends() -> None:
    assert values("kernel.sigma2=linspace(1, 3, 5)") == [1.0, 1.5, 2.0, 2.5, 3.0]
    assert values("kernel.sigma2=linspace(2,7,1)") == [2.0]


def test_all_other_words_stay() -> None:
    words = ["-m", "algo=sbp,smo", "seed=range(3)", "dataset.train=logspace(1).svm", "logspace(1,2,3)"]
    assert expanded(words, sweeps=True) == words
    assert expanded(["algo=sbp"], sweeps=False) == ["algo=sbp"]


@pytest.mark.parametrize(
    ("call", "sweeps", "message"),
    [
        ("logspace(-6,-2)", True, "logspace needs three numbers: first, last, number of values"),
        ("logspace(a,b,3)", True, "logspace needs three numbers"),
        ("linspace(0,1,2.5)", True, "the number of values from 1 to 10,000"),
        ("linspace(0,1,0)", True, "the number of values from 1 to 10,000"),
        ("linspace(0,inf,3)", True, "first and last must be finite"),
        ("linspace(0,1,nan)", True, "the number of values from 1 to 10,000"),
        ("logspace(1,400,3)", True, "exponents of 10, from -300 to 300"),
        ("logspace(-6,-2,9)", False, "several values are a sweep, which needs -m"),
    ],
)
def test_wrong_calls_are_refused_with_the_word(call: str, sweeps: bool, message: str) -> None:
    word = f"problem.lambda_={call}"
    with pytest.raises(SettingsError, match=re.escape(word)) as refused:
        expanded([word], sweeps=sweeps)
    assert message in str(refused.value)
