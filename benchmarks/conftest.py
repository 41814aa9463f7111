"""Benchmarks as pytest collects them: a benchmark adds rows to a table, which is printed at the end as Markdown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from threadpoolctl import threadpool_limits

from benchmarks.measure import HEADINGS, Comparisons
from svm_cost_curves import solvers
from svm_cost_curves.experiments import provenance

TABLE = pytest.StashKey[Comparisons]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption("--repeat", type=int, default=5, help="repetitions of a short comparison (default: 5)")
    parser.addoption("--scale", default="paper", help="scale of figure2: demo, quick or paper (default: paper)")


def pytest_configure(config: pytest.Config) -> None:
    """Begin the table."""
    config.stash[TABLE] = Comparisons(config.getoption("repeat"))


@pytest.fixture
def table(request: pytest.FixtureRequest) -> Comparisons:
    """Return the table of the session."""
    return request.config.stash[TABLE]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Let linear algebra use one thread."""
    with threadpool_limits(1):
        yield


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End with status 1 if a bar is missed."""
    if session.config.stash[TABLE].missed and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the machine, the build and the table."""
    rows, build = config.stash[TABLE].rows, solvers.build_info()
    if not rows:
        return
    lines = [
        "",
        f"{datetime.now(UTC):%Y-%m-%d}, {provenance.cpu_model()}, {os.cpu_count()} cores; {build['compiler']}, "
        f"{build['flags']}, inner loops in use: {build['isa']}.",
        "",
        *("| " + " | ".join(row) + " |" for row in (HEADINGS, ["---"] * len(HEADINGS), *rows)),
    ]
    for line in lines:
        terminalreporter.write_line(line)
