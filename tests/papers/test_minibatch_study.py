from __future__ import annotations

from dataclasses import replace

import pytest
from evidence_cases import evidence
from minibatch_cases import ENOUGH, P_STAR, optimum_run, power, reaching, sweep_panel, with_spectra

from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.papers.cases import FAILS, HOLDS, MISSING, UNCLEAR, Decision
from svm_cost_curves.experiments.papers.effort import Effort
from svm_cost_curves.experiments.papers.minibatch import data
from svm_cost_curves.experiments.papers.minibatch.data import data_of, spectrum_of
from svm_cost_curves.experiments.papers.minibatch.study import Exponent, all_of, exponent, ratio_of_speedups, studies
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.statistics import Interval

SPEC = read_figure("minibatch_fig1")


def took(*costs: float, reached: bool = True) -> Effort:
    return Effort(costs, (reached,) * len(costs))


def test_iterations_to_the_first_evaluation_at_the_target() -> None:
    one = sweep_panel(SPEC, {"pegasos": {1: (100.0, -40.0, 70.0), 2: (-50.0, -60.0, 8.0)}})
    (study,) = studies(with_spectra(SPEC, [one]))
    assert study.sizes == [1, 2]
    # a run that misses the target has the longest run's end, here twice its own 100 iterations
    assert study.of("pegasos")[1] == Effort((100.0, 200.0, 70.0), (True, False, True))
    assert (study.of("pegasos")[1].median, study.of("pegasos")[1].known) == (100.0, True)
    assert not study.of("pegasos")[2].known
    assert study.of("safe") == {}


def test_the_distance_is_absolute_and_from_the_lower_end_of_the_optimum() -> None:
    one = sweep_panel(SPEC, {"safe": {1: (10.0,)}}, gap=1.05e-4)
    (study,) = studies(with_spectra(SPEC, [one]))
    assert study.of("safe")[1].reached == (True,)
    assert study.data.unfit == "P* is known to 1e-04 only"


def test_missing_data_have_no_spectrum(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise DataError("rcv1 is nowhere: no network")

    monkeypatch.setattr(data, "spectrum_of", refuse)
    one = Panel("rcv1", "rcv1", runs={"optimum": (optimum_run(),)}, settings={"optimum": None})  # type: ignore[dict-item]
    known = evidence(SPEC, [one])
    made = replace(known, computed=data.compute_spectra(known))
    found = data_of(made, one)
    assert found.spectrum is None
    assert found.unfit == "spectral norm: rcv1 is nowhere"
    assert data_of(known, replace(one, runs={})).unfit == "no finished runs of the optimum"
    assert data.compute_spectra(evidence(SPEC, [replace(one, runs={})])) == {"spectra": {}}


def test_the_exponent_of_a_power_law() -> None:
    efforts = {b: took(*costs) for b, costs in power(1e6, 0.5).items()}
    found = exponent(efforts, 4 * ENOUGH)
    assert found is not None
    assert found.interval.estimate == pytest.approx(0.5, abs=1e-3)
    assert found.interval.low < 0.5 < found.interval.high
    assert (found.bound, found.largest) == (False, 16384)
    assert exponent(efforts, 8192) is None  # two sizes


def test_a_size_that_is_not_reached_bounds_the_exponent_only_if_it_took_longer() -> None:
    efforts = {b: took(1e4 / b) for b in (1, 2, 4, 8)}
    small = exponent({**efforts, 16: took(700.0, reached=False)}, 1)
    assert small is not None
    assert small.interval.estimate == pytest.approx(1.0)
    assert (small.bound, small.largest) == (False, 8)
    large = exponent({**efforts, 16: took(1e4 / 8, reached=False)}, 1)
    assert large is not None
    assert large.interval.estimate < 1.0
    assert (large.bound, large.largest) == (True, 16)
    assert exponent({b: took(700.0, reached=False) for b in (1, 2, 4)}, 1) is None


@pytest.mark.parametrize(
    ("low", "high", "bound", "above", "at_most"),
    [
        (0.3, 0.4, False, "holds", "fails"),
        (0.1, 0.2, False, "fails", "holds"),
        (0.2, 0.3, False, "unclear", "unclear"),
        (0.3, 0.4, True, "unclear", "unclear"),  # it may be less
        (0.1, 0.2, True, "fails", "holds"),
        (0.2, 0.3, True, "unclear", "unclear"),
    ],
)
def test_a_bound_decides_in_one_direction(low: float, high: float, bound: bool, above: str, at_most: str) -> None:
    found = Exponent(Interval((low + high) / 2, low, high), bound, 8)
    assert (found.above(0.25).ruling, found.at_most(0.25).ruling) == (above, at_most)


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


def test_fake_runs_reach_the_target_as_given() -> None:
    curve = reaching(optimum_run(), "x", 10.0).curve
    assert list(curve["iterations"]) == [9, 10, 20]
    assert [value - P_STAR < 0.001 for value in curve["primal"]] == [False, True, False]


def test_all_of_several_conditions() -> None:
    assert all_of([HOLDS, HOLDS]) == HOLDS
    assert all_of([HOLDS, UNCLEAR, FAILS, MISSING]) == FAILS
    assert all_of([HOLDS, UNCLEAR, MISSING]) == MISSING
    assert all_of([Decision("unclear", 3), HOLDS, Decision("unclear", 7)]) == Decision("unclear", 7)
    assert all_of([Decision("unclear", 3), UNCLEAR]) == UNCLEAR


def test_the_ratio_of_two_speed_ups() -> None:
    first, second = {1: took(800.0), 8: took(100.0)}, {1: took(400.0), 8: took(200.0)}
    found = ratio_of_speedups(first, second, 1, 8)
    assert found is not None
    assert (found.interval.estimate, found.bound) == (4.0, "")  # 8 over 2
    assert ratio_of_speedups(first, second, 1, 16) is None
    cut = {**second, 8: took(200.0, reached=False)}  # it speeds up less than that
    bounded = ratio_of_speedups(first, cut, 1, 8)
    assert bounded is not None
    assert bounded.bound == "at least"
    assert ratio_of_speedups({**first, 8: took(100.0, reached=False)}, cut, 1, 8) is None


def test_steps_between_evaluations_widen_ratios() -> None:
    wide = {1: Effort((800.0,), (True,), 1.1), 8: Effort((100.0,), (True,), 1.2)}
    found = ratio_of_speedups(wide, {1: took(400.0), 8: took(200.0)}, 1, 8)
    assert found is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((4 / 1.1, 4 * 1.2))
