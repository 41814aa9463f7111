"""The numpy solver, and the figures computed with it: Lemmas 1 to 3, Theorem 2, and section 4.3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from minibatch_cases import only, optimum_run, with_spectra
from readings import claims_of, rulings

from svm_cost_curves import solvers
from svm_cost_curves.experiments.papers.minibatch import lemmas, rho, theorem2
from svm_cost_curves.experiments.papers.minibatch.data import Spectrum
from svm_cost_curves.experiments.papers.minibatch.reference import AggressiveSdca, Rows, rows_of
from svm_cost_curves.experiments.reproduction.evidence import FigureResult, Panel
from svm_cost_curves.experiments.reproduction.spec import FigureSpec, read_figure

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=(40, 5)).astype(np.float32)
Y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0, 1, -1).astype(np.int8)
LAMBDA = 0.05


def problem() -> solvers.Problem:
    return solvers.Problem(X, Y, solvers.Linear(), lambda_=LAMBDA)


def spectrum(rows: Rows) -> Spectrum:
    sigma2 = float(np.linalg.norm(rows.signed, 2) ** 2) / rows.n
    return Spectrum(rows.n, sigma2, (rows.n * sigma2 - 1) / (rows.n - 1), rows.lambda_)


def one_panel(dataset: str = "rcv1") -> Panel:
    return Panel(dataset, dataset, runs={"optimum": (optimum_run(dataset=dataset),)})


def test_it_is_the_compiled_solver_s_algorithm_2() -> None:
    whole = problem()
    solver = solvers.get("minibatch_sdca")
    made: Any = solver(whole, solver.Settings(batch_size=8), 3)
    core, rows = made.make(), rows_of(whole)
    assert np.sqrt(rows.squared_norms.max()) == pytest.approx(1.0)
    mine = AggressiveSdca(rows, 8, spectrum(rows).beta(8), seed=3)
    for step in range(1, 61):
        core.advance(iterations=step)
        mine.step()
    np.testing.assert_allclose(mine.alpha, core.alpha(), atol=1e-6)
    assert rows.gap(mine.alpha) >= 0


def test_more_rounds_reach_the_fixed_point_of_rho() -> None:
    rows = rows_of(problem())
    solver = AggressiveSdca(rows, rows.n, spectrum(rows).beta(rows.n), rounds=200)
    solver.step()
    steps, total = solver.alpha, rows.signed.T @ solver.alpha
    ratio = np.clip(total @ total / (steps @ steps), 1.0, solver.largest)
    np.testing.assert_allclose(rows.steps(np.zeros(rows.n), np.zeros(rows.n), ratio), steps, atol=1e-6)


def test_the_lemmas_on_random_data() -> None:
    dense = rows_of(problem())
    means = lemmas.means(problem(), spectrum(dense))
    assert {mean["b"] for mean in means} == {1, 4, 16}
    for mean in means:
        assert mean["sampled"]["low"] <= mean["exact"] <= mean["sampled"]["high"]
        assert mean["exact"] <= mean["bound"] * (1 + 1e-9)
    first = next(mean for mean in means if mean["vector"] == "start")  # b = 1: the mean squared norm of a row
    assert (first["b"], first["share"]) == (1, 1.0)
    assert first["exact"] == pytest.approx(dense.squared_norms.mean())
    sparse = lemmas.squared_sums(sp.csr_array(dense.signed), np.ones(40), 4, 50)
    np.testing.assert_allclose(sparse, lemmas.squared_sums(dense.signed, np.ones(40), 4, 50))


@pytest.mark.parametrize(
    ("changed", "claim", "ruling"),
    [
        ({}, "lemma1", "holds"),
        ({"exact": 3.0}, "lemma1", "fails"),
        ({}, "lemma2", "holds"),
        ({"exact": 5.0}, "lemma2", "fails"),
        ({"share": 0.1, "exact": 0.1}, "lemma2", "trivial"),
        ({"vector": "steps"}, "lemma3", "holds"),
        ({"vector": "steps", "exact": 4.1}, "lemma3", "fails"),
    ],
)
def test_rulings_on_the_lemmas(changed: dict[str, Any], claim: str, ruling: str) -> None:
    spec = only(read_figure("minibatch_lemmas"), "rcv1")
    interval = {"estimate": 2.0, "low": 1.9, "high": 2.1, "runs": 100}
    mean = {"vector": "start", "b": 4, "share": 1.0, "exact": 2.0, "bound": 4.0, "sampled": interval, **changed}
    made = lemmas.make(with_spectra(spec, [one_panel()], means={"rcv1": [mean]}))
    claims = claims_of(made, "minibatch.")
    assert rulings(claims[claim], "rcv1") == {f"{mean['vector']} b=4": ruling}
    # no resampling: the interval is that of a mean of many mini-batches
    (value,) = claims[claim].nearest.statistic["rcv1"].values()
    assert value["method"] == "99.9 % normal"
    assert claims["lemma2" if claim == "lemma3" else "lemma3"].verdict == "not_testable"


def rho_figure(spec: FigureSpec, known: Mapping[str, Sequence[float]]) -> FigureResult:
    """The figure of runs that reach the target after these iterations, with b = 64."""
    efforts = {name: {"64": {"costs": costs, "reached": [True] * len(costs)}} for name, costs in known.items()}
    return rho.make(with_spectra(spec, [one_panel()], efforts={"rcv1": efforts}))


@pytest.mark.parametrize(
    ("rounds", "crude", "verdict"),
    [
        ((100.0, 102.0), (100.0, 102.0), "reproduced"),
        ((50.0, 51.0), (200.0, 204.0), "contradicted"),
        ((80.0, 84.0), (124.0, 128.0), "unclear"),
    ],
)
def test_rulings_on_repeated_rho_and_a_crude_bound(
    rounds: tuple[float, ...], crude: tuple[float, ...], verdict: str
) -> None:
    spec = only(read_figure("minibatch_rho"), "rcv1")
    spec.missing_data.clear()
    known = {rho.PRINTED: (100.0, 102.0), "2": rounds, "5": rounds, "crude": crude}
    claims = claims_of(rho_figure(spec, known), "minibatch.")
    assert {name: claim.verdict for name, claim in claims.items()} == {"rho": verdict, "crude": verdict}


def test_runs_of_repeated_rho() -> None:
    rows = rows_of(problem())
    start = rows.primal(rows.weights(np.zeros(rows.n)))
    efforts = rho.measured(problem(), {8: spectrum(rows).beta(8)}, 0.9 * start)
    assert set(efforts) == set(rho.VARIANTS)
    for effort in efforts.values():
        assert all(effort["8"]["reached"])
        assert set(effort["8"]["costs"]) < set(rho.evaluated(rho.MOST))


def test_runs_of_repeated_rho_are_counted_to_their_first_evaluation_at_the_target() -> None:
    rows = rows_of(problem())
    beta = spectrum(rows).beta(8)
    solver, above = AggressiveSdca(rows, 8, beta), [rows.primal(rows.weights(np.zeros(rows.n)))]
    for _ in range(30):
        solver.step()
        above.append(rows.primal(rows.weights(solver.mean)))
    # the mean falls below the target after 17 iterations, after which it is not evaluated
    target = (above[16] + above[17]) / 2
    assert min(above[:17]) > target > max(above[17:19])
    assert rho.iterations_to(AggressiveSdca(rows, 8, beta), target, 50) == 18.0
    assert rho.iterations_to(AggressiveSdca(rows, 8, beta), target, 17) is None


def test_ratios_of_repeated_rho_are_known_up_to_the_evaluations() -> None:
    assert list(rho.evaluated(24)) == [*range(1, 17), 18, 20, 22, 24]
    assert rho.MOST not in set(rho.evaluated(rho.MOST))  # the cost of a run that misses the target
    spec = only(read_figure("minibatch_rho"), "rcv1")
    known = {rho.PRINTED: (24.0, 24.0), "2": (18.0, 18.0), "5": (16.0, 16.0), "crude": (24.0, 24.0)}
    claims = claims_of(rho_figure(spec, known), "minibatch.")
    ratios = {
        name: claims[claim].nearest.statistic["rcv1"][f"{other} b=64"]["ratio"]
        for name, other, claim in (("2", "2", "rho"), ("5", "5", "rho"), ("crude", "1", "crude"))
    }
    ends = {name: [ratio[end] for end in ("low", "estimate", "high")] for name, ratio in ratios.items()}
    # 24 stands for 23 or 24 iterations, 18 for 17 or 18, 16 for itself
    assert ends["2"] == pytest.approx([23 / 18, 24 / 18, 24 / 17])
    assert ends["5"] == pytest.approx([23 / 16, 24 / 16, 24 / 16])
    assert ends["crude"] == pytest.approx([23 / 24, 1.0, 24 / 23])


def test_the_gap_of_the_mean_after_theorem_2_s_iterations() -> None:
    rows = rows_of(problem())
    gaps = theorem2.gaps_of(problem(), spectrum(rows))
    assert set(gaps) == {f"16 {epsilon:g}" for epsilon in theorem2.ACCURACIES}
    for key, values in gaps.items():
        assert all(0 <= gap <= float(key.split()[1]) for gap in values)


@pytest.mark.parametrize(
    ("gap", "ruling"),
    [((0.01, 0.02), "holds"), ((0.001, 0.002), "trivial"), ((0.6, 0.7), "fails"), ((0.4, 0.6), "unclear")],
)
def test_rulings_on_theorem_2(gap: tuple[float, float], ruling: str) -> None:
    spec = only(read_figure("minibatch_theorem2"), "rcv1")
    made = theorem2.make(with_spectra(spec, [one_panel()], gaps={"rcv1": {"16 0.5": list(gap)}}))
    (claim,) = made.claims
    outcomes = rulings(claim, "rcv1")
    assert outcomes["b=16 epsilon=0.5"] == ruling
    assert "it takes too long" in " ".join(claim.nearest.exceptions())
