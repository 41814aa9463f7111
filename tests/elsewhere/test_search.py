"""The search of docs/elsewhere.md, against scikit-learn's own, and its table of presets."""

from __future__ import annotations

import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC, LinearSVC

from svm_cost_curves.experiments.configuration import choices
from svm_cost_curves.experiments.configuration.choices import CONF
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.presets import options, read_tables
from svm_cost_curves.experiments.elsewhere import search
from svm_cost_curves.experiments.provenance import PROJECT_ROOT

generator = np.random.default_rng(0)
X = generator.normal(size=(40, 3)).astype(np.float32)
y = np.where(X[:, 0] * X[:, 1] + 0.3 * generator.normal(size=40) > 0, 1, -1).astype(np.int8)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def test_the_gaussian_choice_is_that_of_scikit_learns_grid_search() -> None:
    distances = ((X[:, None, :].astype(float) - X[None, :, :]) ** 2).sum(axis=2)
    median = np.median([distances[i, j] for i in range(40) for j in range(i)])
    widths = [float(f"{factor * median:.3g}") for factor in search.WIDTHS]
    # the first of equal settings is the one that it takes
    settings = [{"C": [C], "gamma": [0.5 / width]} for C in search.PENALTIES["gaussian"] for width in widths]
    grid = GridSearchCV(SVC(), settings, cv=FOLDS).fit(X.astype(float), y)
    choice = search.search(X, y, "gaussian")
    assert (choice.C, choice.sigma2) == (grid.best_params_["C"], pytest.approx(0.5 / grid.best_params_["gamma"]))
    assert choice.error == pytest.approx(1 - grid.best_score_)


def test_the_linear_choice_is_that_of_scikit_learns_grid_search() -> None:
    shifted = np.where(y > 0, X.T, X.T - 1).T
    model = LinearSVC(loss="hinge", fit_intercept=False, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        grid = GridSearchCV(model, {"C": search.PENALTIES["linear"]}, cv=FOLDS).fit(shifted, y)
    choice = search.search(shifted, y, "linear")
    assert (choice.C, choice.sigma2) == (grid.best_params_["C"], None)
    assert search.search(sparse.csr_matrix(shifted), y, "linear").C == choice.C


def test_ties_go_to_the_smaller_c_then_to_the_larger_width() -> None:
    apart = np.where(y > 0, X.T + 20, X.T - 20).T  # every setting separates them
    assert search.search(apart, y, "linear") == search.Choice(search.PENALTIES["linear"][0], None, 0.0)
    choice = search.search(apart, y, "gaussian")
    widths = search.widths(euclidean_distances(apart.astype(float), squared=True))
    assert (choice.C, choice.sigma2) == (search.PENALTIES["gaussian"][0], widths[0])


@pytest.fixture
def conf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of conf/ without rows of the protocol."""
    copy = Path(shutil.copytree(CONF, tmp_path / "conf"))
    for kernel in search.DATA_SETS:
        (copy / "preset" / f"elsewhere_{kernel}.yaml").unlink(missing_ok=True)
    monkeypatch.setattr(choices, "CONF", copy)
    return copy


def test_a_search_goes_on_where_it_was_ended(
    conf: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    searched: list[int] = []

    def counted(X: np.ndarray, y: np.ndarray, kernel: str) -> search.Choice:
        searched.append(len(y))
        return search.Choice(10.0, 2.5, 0.125)

    monkeypatch.setattr(search, "search", counted)
    words = ["kernel=gaussian", "dataset=digits"]
    assert search.main(words) == search.main(words) == 0
    assert searched == [1258]
    assert "digits: has a row" in capsys.readouterr().out
    table = (conf / "preset" / "elsewhere_gaussian.yaml").read_text()
    assert "\n  digits: {sigma2: 2.5, C: 10.0} # 12.50 % of 1,258 rows\n" in table
    ours, papers = (settings_of(["dataset=digits", *more]) for more in (["protocol=elsewhere_gaussian"], []))
    assert (ours.kernel.sigma2, ours.problem.C, ours.dataset.max_train) == (2.5, 10.0, 4000)
    assert ours.origins["kernel.sigma2"] == "protocol of docs/elsewhere.md"
    assert (papers.kernel.sigma2, papers.problem.C, papers.dataset.max_train) == (2.0, 1.0, None)


@pytest.mark.parametrize("word", ["dataset=adlt", "kernel=rbf", "again=maybe", "data=web", "web"])
def test_wrong_words_are_refused_with_one_line(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert search.main([word]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_page_lists_the_data_sets_and_the_grid() -> None:
    page = (PROJECT_ROOT / "docs" / "elsewhere.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?`) \| (both|linear) \|", page, re.MULTILINE)
    listed = {name: kernels for names, kernels in rows for name in re.findall(r"`(\w+)`", names)}
    assert [name for name, kernels in listed.items() if kernels == "both"] == sorted(
        search.DATA_SETS["gaussian"], key=list(listed).index
    )
    assert {*listed} == {*search.DATA_SETS["linear"]}
    assert f"| training rows of the search, at most | {search.ROWS['gaussian']:,} | {search.ROWS['linear']:,} |" in page
    C = [", ".join(f"{value:,g}" for value in search.PENALTIES[kernel]) for kernel in ("gaussian", "linear")]
    assert f"| C | {C[0]} | {C[1]} |" in page


@pytest.mark.parametrize("kernel", search.DATA_SETS)
def test_every_data_set_has_values_on_the_grid(kernel: str) -> None:
    file = f"elsewhere_{kernel}.yaml"
    rows = options({file: read_tables(CONF / "preset")[file]})
    assert [*rows] == [("data", f"elsewhere_{kernel}_{name}") for name in search.DATA_SETS[kernel]]
    for row in rows.values():
        assert row["unbiased"] == row["biased"]
        assert row["unbiased"]["C"] in search.PENALTIES[kernel]
        assert ("sigma2" in row["unbiased"]) == (kernel == "gaussian")
        assert row.get("kernel", "gaussian") == kernel


def test_the_values_of_the_protocol_replace_those_of_the_papers() -> None:
    """ASSET has its own presets for Adult, Table 2 of the SBP paper has one, and so has this project for ijcnn1."""
    chosen = [("asset", "adult", "gaussian"), ("sbp", "ijcnn1", "gaussian"), ("pegasos", "adult", "linear")]
    for algo, dataset, kernel in chosen:
        run = settings_of([f"algo={algo}", f"dataset={dataset}", f"protocol=elsewhere_{kernel}"])
        assert run.origins["problem.C"] == "protocol of docs/elsewhere.md"
        assert run.identity()["kernel"]["name"] == kernel
        assert run.problem.nu is None
        assert (run.dataset.max_train, run.dataset.max_test) == (search.SIZE[kernel], 10000)
