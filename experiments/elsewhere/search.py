"""``python -m svm_cost_curves.experiments.elsewhere.search``: finds widths and C, and writes conf/preset/.

The search is that of docs/elsewhere.md: five folds, a fixed grid, LIBSVM (`sklearn.svm.SVC`) with a bias or LIBLINEAR
(`sklearn.svm.LinearSVC` with the hinge loss) without one. A data set with a row is left out, so the command goes on
where it was ended. ``dataset=web,splice`` searches these only, ``kernel=linear`` for this kernel only, ``again=true``
also those with a row.
"""

from __future__ import annotations

import re
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ...datasets import DataError, default_cache_dir, load
from ...datasets.types import Matrix
from ...solvers import SettingsError
from ...support.files import write_file
from ...support.text import printable
from ..configuration import choices
from ..configuration.composition import settings_of
from ..processes.command import run
from ..run.console import note

FOLDS: Final = 5
WIDTHS: Final = (2.0, 1 / 2, 1 / 8, 1 / 32, 1 / 128)
"""Values of sigma^2 as multiples of the median squared distance of two rows, the largest first."""
PENALTIES: Final = {"gaussian": (0.1, 1.0, 10.0, 100.0, 1000.0), "linear": (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)}
"""Values of C for each kernel, ascending."""
SIZE: Final = {"gaussian": 4000, "linear": 20000}
"""Training rows of a run, at most."""
ROWS: Final = {"gaussian": 2000, "linear": 4000}
"""Training rows of a search, at most."""
BOTH: Final = (
    *("adult", "web", "ijcnn1", "digits", "covtype_scaled", "mnist_3_5", "mnist_odd_even", "phishing", "mushrooms"),
    *("splice", "svmguide1", "german_numer", "australian", "diabetes", "breast_cancer", "skin_nonskin"),
    *("synthetic_noise", "synthetic_margin", "synthetic_low_norm"),
    *("reuters_acq", "reuters_earn", "reuters_grain", "reuters_money_fx"),
)
DATA_SETS: Final = {
    "gaussian": BOTH,
    "linear": (
        *BOTH,
        *("synthetic_rare", "synthetic_wide", "rcv1_ccat_subset", "newsgroups_autos_motorcycles"),
        *("newsgroups_baseball_hockey", "newsgroups_mac_pc", "newsgroups_christian_atheism", "svmlight_example1"),
    ),
}
"""Data sets of the protocol for each kernel."""
_HEAD: Final = """\
# Of svm_cost_curves.experiments.elsewhere.search (docs/elsewhere.md). Five-fold error with a {kernel} kernel.
source: protocol of docs/elsewhere.md
protocol: elsewhere_{kernel}
max_train: {size}
max_test: 10000
rows:
"""


@dataclass(frozen=True)
class Choice:
    """One grid point and its cross-validation error, in [0, 1]."""

    C: float
    sigma2: float | None
    """Variance of the Gaussian kernel; None: the kernel is linear."""
    error: float


def search(X: Matrix, y: NDArray[np.int8], kernel: str) -> Choice:
    """Return the setting with the least mean error; ties go to the smaller C, then to the larger width.

    Parameters
    ----------
    X : array or CSR matrix
        (n, d) training rows.
    y : (n,) int8
        Labels -1 and +1, at least `FOLDS` of each.
    kernel : str
        ``gaussian`` or ``linear``.
    """
    # errors that differ by rounding only are equal
    return min(_errors(X, y, kernel), key=lambda choice: (round(choice.error, 12), choice.C, -(choice.sigma2 or 0.0)))


def widths(D: NDArray[np.float64]) -> list[float]:
    """Return the values of sigma^2 for squared distances (n, n), with three significant digits, in descending order."""
    median = float(np.median(D[np.triu_indices(len(D), 1)]))
    return [float(f"{factor * median:.3g}") for factor in WIDTHS]


def main(arguments: Sequence[str]) -> int:
    """Search; return the exit status: 2 for a user's error, which is said on standard error."""
    try:
        given = _given(arguments)
        kernels = given["kernel"].split(",")
        chosen = given["dataset"].split(",") if given["dataset"] else list(DATA_SETS["linear"])
        _check("kernel", kernels, DATA_SETS)
        _check("dataset", chosen, DATA_SETS["linear"])
        _check("again", [given["again"]], ("true", "false"))
        for kernel in kernels:
            wanted = [name for name in DATA_SETS[kernel] if name in chosen]
            _search_all(kernel, wanted, again=given["again"] == "true")
    except (SettingsError, DataError, OSError) as error:
        print(printable(f"error: {error}"), file=sys.stderr)
        return 2
    return 0


def read_rows(path: Path) -> dict[str, str]:
    """Return the lines of a table's rows by data set; empty if there is no file."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {match[1]: line for line in lines if (match := re.match(r"  (\w+): ", line))}


def _errors(X: Matrix, y: NDArray[np.int8], kernel: str) -> Iterator[Choice]:
    # imported here: it takes seconds
    from sklearn.metrics.pairwise import euclidean_distances
    from sklearn.svm import SVC, LinearSVC

    if kernel == "linear":
        for C in PENALTIES[kernel]:
            model = LinearSVC(C=C, loss="hinge", fit_intercept=False, random_state=0)
            yield Choice(C, None, _mean_error(model, X, y))
        return
    D = euclidean_distances(X.astype(np.float64), squared=True)
    for sigma2 in widths(D):
        K = np.exp(D / (-2.0 * sigma2))
        for C in PENALTIES[kernel]:
            yield Choice(C, sigma2, _mean_error(SVC(C=C, kernel="precomputed"), K, y))


def _mean_error(model: Any, X: Matrix | NDArray[np.float64], y: NDArray[np.int8]) -> float:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # LIBLINEAR ends after 1,000 passes
        return 1.0 - float(np.mean(cross_val_score(model, X, y, cv=folds)))


def _search_all(kernel: str, names: Sequence[str], *, again: bool) -> None:
    path = choices.CONF / "preset" / f"elsewhere_{kernel}.yaml"
    for number, name in enumerate(names, start=1):
        rows = read_rows(path)
        head = f"{kernel} {number} of {len(names)}: {name}"
        if name in rows and not again:
            print(f"{head}: has a row", flush=True)
            continue
        started = time.perf_counter()
        spec = settings_of([f"dataset={name}", f"dataset.max_train={ROWS[kernel]}"]).dataset
        data = load(spec, cache_dir=default_cache_dir(), note=note)
        with threadpool_limits(limits=1):  # sums of one order: the same choice on any number of cores
            choice = search(data.X, data.y, kernel)
        width = "kernel: linear" if choice.sigma2 is None else f"sigma2: {choice.sigma2}"
        values = f"{{{width}, C: {choice.C}}} # {100 * choice.error:.2f} % of {data.n:,} rows"
        rows[name] = f"  {name}: {values}"
        lines = [rows[name] for name in DATA_SETS[kernel] if name in rows]
        write_file(path, (_HEAD.format(kernel=kernel, size=SIZE[kernel]) + "\n".join(lines) + "\n").encode())
        print(f"{head}: {values}, {time.perf_counter() - started:.0f} s", flush=True)


def _given(arguments: Sequence[str]) -> dict[str, str]:
    given = {"dataset": "", "kernel": ",".join(DATA_SETS), "again": "false"}
    for word in arguments:
        name, equals, value = word.partition("=")
        if name not in given or not equals:
            raise SettingsError(f"{word}: known are dataset=NAME,NAME kernel=gaussian|linear again=true")
        given[name] = value
    return given


def _check(name: str, values: Sequence[str], allowed: Sequence[str] | dict[str, tuple[str, ...]]) -> None:
    for value in values:
        if value not in allowed:
            raise SettingsError(f"{name}={value}: known are {', '.join(allowed)}")


if __name__ == "__main__":
    sys.exit(run(lambda: partial(main, sys.argv[1:])))
