"""Settings that are composed with files which were read before are those that Hydra composes from the beginning."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hydra import compose
from omegaconf import OmegaConf

from experiments import composition
from experiments.composition import COMPOSITION_ERRORS, composing, explain

WORDS = [
    (),
    ("algo=sbp", "dataset=adult"),
    ("algo=sbp", "dataset=adult", "kernel.sigma2=3", "problem.nu=0.1", "seed=3"),
    ("algo=pegasos", "dataset=adult", "problem.lambda_=1e-4", "budget.epochs=null", "threads=2"),
    ("algo=minibatch_sdca", "algo.variant=safe", "dataset=rcv1_ccat_subset", "dataset.positive=[1, 2]"),
    ("dataset=file", "dataset.train='a b,c.svm'", 'dataset.test="x=y"', "budget=default", "budget.seconds=3"),
    ("algo.eta=1", "algo=pegasos"),
    ("algo=sbp", "algo.foo=3"),
    ("budget.epochs=often",),
    ("problem.C=1,2",),
    ("dataset.positive=[1",),
    ("nowhere.x=3",),
    ("dataset=nowhere", "problem.C=1"),
]


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_they_are_the_same(words: tuple[str, ...]) -> None:
    def outcome(make: Callable[[Sequence[str]], object]) -> object:
        try:
            return OmegaConf.to_object(make(words))
        except COMPOSITION_ERRORS as error:
            return explain(error)

    with composing():
        anew = outcome(lambda words: compose("config", list(words)))
        for _ in range(2):  # the second time from what was kept
            assert outcome(composition._composed) == anew
