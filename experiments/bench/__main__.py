"""``python -m experiments.bench``: run the benchmarks, print the table, write it to docs/benchmarks.md on request."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

import experiments.processes.program_start  # noqa: F401
import solvers
from experiments import provenance
from experiments.bench import (
    asset,
    counting,
    exact,
    figure2,
    figures,
    full_size,
    gram,
    intelex,
    iteration,
    launching,
    libsvm,
    linear,
    minibatch,
    paper,
    ranks,
    recording,
    resume,
    sgd,
    simba,
    stream,
)
from experiments.bench.measure import Row


def main() -> int:
    """Run the requested benchmarks; return 0 if every requirement is met, else 1."""
    parser = argparse.ArgumentParser(prog="python -m experiments.bench", description=__doc__)
    parser.add_argument(
        "--only",
        default="1,2,3,5,6,8,9,10,11,12,13,14,15,16,17,18,19,20",
        help="benchmarks: 1, 2, 3 (with 4), 5 to 21",
    )
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of the short ones")
    parser.add_argument("--memory", type=float, default=18.0, help="GB that a Gram matrix may take")
    parser.add_argument("--data", default="adult,ijcnn1", help=f"of benchmark 20: of {', '.join(intelex.CASES)}")
    parser.add_argument("--write", type=Path, help="Markdown file to write the table into")
    arguments = parser.parse_args()
    memory = int(arguments.memory * 1e9)
    benchmarks: dict[str, Callable[[], list[Row]]] = {
        "1": lambda: iteration.rows(arguments.repeat, memory),
        "2": lambda: gram.rows(arguments.repeat, memory),
        "3": lambda: libsvm.rows(1 if arguments.repeat < 5 else 2, memory),
        "5": lambda: counting.rows(arguments.repeat),
        "6": figure2.rows,
        "7": paper.rows,
        "8": lambda: simba.rows(arguments.repeat),
        "9": lambda: linear.rows(arguments.repeat),
        "10": lambda: sgd.rows(arguments.repeat),
        "11": lambda: minibatch.rows(arguments.repeat),
        "12": lambda: ranks.rows(arguments.repeat),
        "13": lambda: asset.rows(arguments.repeat),
        "14": lambda: exact.rows(memory),
        "15": lambda: list(stream.rows(arguments.repeat)),
        "16": lambda: list(recording.rows()),
        "17": lambda: list(figures.rows(arguments.repeat)),
        "18": lambda: resume.rows(arguments.repeat),
        "19": lambda: list(launching.rows()),
        "20": lambda: intelex.rows(min(arguments.repeat, 3), arguments.data.split(",")),
        "21": lambda: list(full_size.rows()),
    }
    console = Console()
    made: list[Row] = []
    for name in arguments.only.split(","):
        console.print(f"benchmark {name} ...", style="dim")
        made += benchmarks[name]()
    console.print(_table(made))
    if arguments.write:
        arguments.write.write_text(_markdown(made), encoding="utf-8")
    return 0 if all(row.met for row in made) else 1


def _cells(row: Row) -> tuple[str, ...]:
    bar, met = "", ""
    if row.bar is not None:
        bar = f"{'at most' if row.at_most else 'at least'} {row.bar:g}"
        met = "yes" if row.met else "NO"
    return row.what, row.ours, row.theirs, f"{row.ratio:.3g}", bar, met, row.spread


HEADINGS = ("first / second", "first", "second", "ratio", "bar", "met", "spread of the ratio")


def _table(rows: list[Row]) -> Table:
    table = Table(*HEADINGS)
    for row in rows:
        table.add_row(*_cells(row))
    return table


def _markdown(rows: list[Row]) -> str:
    build = solvers.build_info()
    lines = [
        "# Benchmarks",
        "",
        "Each line is a ratio of two things timed in turn in one run; medians of the repetitions.",
        "",
        f"Made by `python -m experiments.bench {' '.join(sys.argv[1:])}` on {datetime.now(UTC):%Y-%m-%d}: "
        f"{provenance.cpu_model()}, {os.cpu_count()} cores; {build['compiler']}, {build['flags']}, inner loops in use: "
        f"{build['isa']}.",
        "",
        "| " + " | ".join(HEADINGS) + " |",
        "|" + " --- |" * len(HEADINGS),
        *("| " + " | ".join(_cells(row)) + " |" for row in rows),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
