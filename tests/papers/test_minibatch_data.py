from __future__ import annotations

from dataclasses import replace

import pytest
from evidence_cases import evidence
from minibatch_cases import ENOUGH, optimum_run, power, sweep_panel, with_spectra

from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.papers.minibatch import data
from svm_cost_curves.experiments.papers.minibatch.data import spectrum_of, studies
from svm_cost_curves.experiments.papers.minibatch.speedups import SpeedUp, all_of, exponent_of, speed_up
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.statistics.interval import FAILS, HOLDS, UNCLEAR, Decision
from svm_cost_curves.experiments.reproduction.statistics.target import Effort

SPEC = read_figure("minibatch_fig1")


def took(*costs: float, reached: bool = True) -> Effort:
    return Effort(costs, (reached,) * len(costs))


def test_iterations_to_the_first_evaluation_at_the_target() -> None:
    one = sweep_panel(SPEC, {"pegasos": {1: (100.0, -40.0, 70.0), 2: (-50.0, -60.0, 8.0)}})
    (study,) = studies(with_spectra(SPEC, [one]))
    assert study.sizes == [1, 2]
    # a run that misses the target has the longest run's end, here twice the first one's 100 iterations; all others
    # miss it one iteration earlier, so their iterations are exact
    assert study.of("pegasos")[1] == Effort((100.0, 200.0, 70.0), (True, False, True), (100.0, 200.0, 70.0))
    assert not study.of("pegasos")[2].mostly_reached
    assert study.of("safe") == {}


def test_the_distance_is_absolute_and_from_the_lower_end_of_the_optimum() -> None:
    one = sweep_panel(SPEC, {"safe": {1: (10.0,)}}, gap=1.05e-4)
    (study,) = studies(with_spectra(SPEC, [one]))
    assert study.of("safe")[1].reached == (True,)
    assert study.unfit == "P* is known to 1e-04 only"


def test_missing_data_have_no_spectrum(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise DataError("rcv1 is nowhere: no network")

    monkeypatch.setattr(data, "spectrum_of", refuse)
    one = Panel("rcv1", "rcv1", runs={"optimum": (optimum_run(),)}, settings={"optimum": None})
    known = evidence(SPEC, [one])
    made = replace(known, computed=data.compute_spectra(known))
    (study,) = studies(made)
    assert study.spectrum is None
    assert study.unfit == "spectral norm: rcv1 is nowhere"
    without_runs = evidence(SPEC, [replace(one, runs={})])
    assert studies(without_runs)[0].unfit == "no finished runs of the optimum"
    assert data.compute_spectra(without_runs) == {"spectra": {}}


def test_the_exponent_of_a_power_law() -> None:
    efforts = {b: took(*costs) for b, costs in power(1e6, 0.5).items()}
    fitted = exponent_of(efforts, 4 * ENOUGH)
    assert fitted is not None
    exponent, largest = fitted
    assert exponent.interval.estimate == pytest.approx(0.5, abs=1e-3)
    assert exponent.interval.low < 0.5 < exponent.interval.high
    assert (exponent.bound, largest) == ("", 16384)
    assert exponent_of(efforts, 8192) is None  # two sizes


@pytest.mark.parametrize(("budget", "bound", "largest"), [(700.0, "", 8), (1e4 / 8, "at most", 16)])
def test_a_size_that_is_not_reached_bounds_the_exponent_only_if_it_took_longer(
    budget: float, bound: str, largest: int
) -> None:
    efforts = {b: took(1e4 / b) for b in (1, 2, 4, 8)} | {16: took(budget, reached=False)}
    fitted = exponent_of(efforts, 1)
    assert fitted is not None
    assert (fitted[0].bound, fitted[1]) == (bound, largest)
    assert (fitted[0].interval.estimate == pytest.approx(1.0)) == (not bound)
    assert exponent_of({b: took(700.0, reached=False) for b in (1, 2, 4)}, 1) is None


def test_the_spectrum_of_a_run() -> None:
    words = ["algo=dcd", "kernel=linear", "dataset=synthetic", "dataset.n=60", "problem.lambda_=0.01"]
    plain, scaled = (settings_of([*words, *more]) for more in ([], ["dataset.row_norm=longest"]))
    first, second = spectrum_of(plain), spectrum_of(scaled)
    # rows that are longer than 1 count as divided by the longest
    assert first.sigma2 == pytest.approx(second.sigma2, rel=1e-5)
    assert 1 / 60 <= first.sigma2 <= 1
    assert (first.n, first.lambda_) == (60, 0.01)
    assert (first.beta(1), first.beta_over_b(1)) == (1.0, 1.0)
    assert first.beta(60) == pytest.approx(60 * first.sigma2)
    assert first.beta(first.inverse_sigma2) <= 2 + 1e-9


def test_all_of_several_conditions() -> None:
    assert all_of([HOLDS, HOLDS]) == HOLDS
    assert all_of([HOLDS, UNCLEAR, FAILS]) == FAILS
    assert all_of([Decision("unclear", 3), HOLDS, Decision("unclear", 7)]) == Decision("unclear", 7)
    assert all_of([Decision("unclear", 3), UNCLEAR]) == UNCLEAR


def test_the_ratio_of_two_speed_ups() -> None:
    first, second = {1: took(800.0), 8: took(100.0)}, {1: took(400.0), 8: took(200.0)}
    cut = {**second, 8: took(200.0, reached=False)}  # it speeds up less than that
    pairs = [(first, None), (first, second), (first, cut), (cut, first)]
    ratios = [speed_up(one, (1, 8), other) for one, other in pairs]
    assert [ratio and (ratio.interval.estimate, ratio.bound) for ratio in ratios] == [
        (pytest.approx(8), ""),
        (pytest.approx(4), ""),  # 8 over 2
        (pytest.approx(4), "at least"),
        (pytest.approx(1 / 4), "at most"),
    ]
    assert speed_up(first, (1, 16), second) is None
    assert speed_up({**first, 8: took(100.0, reached=False)}, (1, 8), cut) is None


@pytest.mark.parametrize(
    ("statistic", "expected", "ruling"),
    [
        # T(b) is 800, 400, 200, 50, 10 for b = 1, 2, 4, 16, 64, and 1 / sigma^2 is 4
        (SpeedUp(methods=["safe"], sizes="small", times="b", above=0.9), {"1 to 2": 2, "1 to 4": 4}, "holds"),
        (SpeedUp(methods=["safe"], sizes="large", above=3), {"4 to 16": 4, "4 to 64": 20}, "holds"),
        (SpeedUp(methods=["safe"], sizes="large", from_one=True, at_most=20), {"1 to 16": 16, "1 to 64": 80}, "fails"),
        (SpeedUp(methods=["safe"], sizes="largest", apart=20), {"4 to 64": 20}, "holds"),
        (SpeedUp(methods=["safe"], sizes="next", window=4, above=4.5), {"4 to 16": 4, "16 to 64": 5}, "fails"),
        # beta_b / b is 0.4375 with b = 4 and 0.296875 with b = 16: the bounds promise 1.47, and 1.67 with b = 64
        (SpeedUp(methods=["safe"], sizes="large", times="bounds", above=2.8), {"4 to 16": 4, "4 to 64": 20}, "fails"),
    ],
)
def test_speed_ups_by_hand(statistic: SpeedUp, expected: dict[str, float], ruling: str) -> None:
    runs = {1: (800.0,), 2: (400.0,), 4: (200.0,), 16: (50.0,), 64: (10.0,)}
    collected = with_spectra(SPEC, [sweep_panel(SPEC, {"safe": runs})])
    (case,) = [case for case in statistic.findings(studies(collected), collected).cases if case.measured]
    pairs = case.statistic["pairs"]
    assert {name: pair["estimate"] for name, pair in pairs.items()} == {f"b = {k}": v for k, v in expected.items()}
    assert case.ruling == ruling
