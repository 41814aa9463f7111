"""``python -m svm_cost_curves.experiments.elsewhere.search``: finds widths and C, and writes conf/preset/.

They are those of docs/elsewhere.md. A data set with a row is left out, so the command goes on where it was ended.
``dataset=web,splice`` searches these only, ``kernel=linear`` for this kernel only, ``again=true`` also those with a
row.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import svm_cost_curves.experiments.processes.program_start  # noqa: F401
from svm_cost_curves.datasets import DataError, default_cache_dir, load
from svm_cost_curves.experiments.configuration import choices
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.elsewhere.grid import Choice, search
from svm_cost_curves.experiments.run.loaded import limited_threads
from svm_cost_curves.solvers import SettingsError
from svm_cost_curves.support.files import write_file
from svm_cost_curves.support.text import printable

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
rows:
"""


def main(words: Sequence[str]) -> int:
    """Search; return the exit status: 2 for a user's error, which is said on standard error."""
    try:
        given = _given(words)
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
    return {found[1]: line for line in lines if (found := re.match(r"  (\w+): ", line))}


def write_rows(path: Path, kernel: str, rows: dict[str, str]) -> None:
    """Write a table with its rows in the order of `DATA_SETS`."""
    lines = [rows[name] for name in DATA_SETS[kernel] if name in rows]
    write_file(path, (_HEAD.format(kernel=kernel) + "\n".join(lines) + "\n").encode())


def row_of(name: str, choice: Choice, n: int) -> str:
    """Return the line of a data set: the chosen values, and as a comment the error on so many rows."""
    values = f"kernel: linear, C: {choice.C}" if choice.sigma2 is None else f"sigma2: {choice.sigma2}, C: {choice.C}"
    return f"  {name}: {{{values}}} # {100 * choice.error:.2f} % of {n:,} rows"


def _search_all(kernel: str, names: Sequence[str], *, again: bool) -> None:
    path = choices.CONF / "preset" / f"elsewhere_{kernel}.yaml"
    for place, name in enumerate(names, start=1):
        rows = read_rows(path)
        head = f"{kernel} {place} of {len(names)}: {name}"
        if name in rows and not again:
            print(f"{head}: has a row", flush=True)
            continue
        started = time.perf_counter()
        words = [f"dataset={name}", f"protocol=elsewhere_{kernel}", f"dataset.max_train={ROWS[kernel]}"]
        spec = settings_of(words).dataset
        data = load(spec, cache_dir=default_cache_dir())
        with limited_threads(1):  # sums of one order: the same choice on any number of cores
            rows[name] = row_of(name, search(data.X, data.y, kernel), data.n)
        write_rows(path, kernel, rows)
        print(f"{head}:{rows[name].partition(':')[2]}, {time.perf_counter() - started:.0f} s", flush=True)


def _given(words: Sequence[str]) -> dict[str, str]:
    given = {"dataset": "", "kernel": ",".join(DATA_SETS), "again": "false"}
    for word in words:
        name, equals, value = word.partition("=")
        if name not in given or not equals:
            raise SettingsError(f"{word}: known are dataset=NAME,NAME kernel=gaussian|linear again=true")
        given[name] = value
    return given


def _check(name: str, values: Sequence[str], known: Sequence[str] | dict[str, tuple[str, ...]]) -> None:
    for value in values:
        if value not in known:
            raise SettingsError(f"{name}={value}: known are {', '.join(known)}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
