"""Jobs are begun, retried and reported when workers die, and outcomes are printed."""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.experiments.processes.outcome import Outcome, exit_code, outcomes_in
from svm_cost_curves.experiments.processes.pool import ATTEMPTS, Job, Report, run_jobs


class KilledError(Exception):
    """The process of a job died."""


@dataclass(frozen=True)
class Numbered:
    label: str

    def __call__(self, report: Report, /) -> Outcome:
        return Outcome(self.label, "finished")


@dataclass
class Plan:
    """A pool in which the process of each job dies so many times; jobs end at once."""

    size: int
    attempts: int
    deaths: list[int]
    begun: list[int] = field(default_factory=list)
    running: dict[int, Future[Outcome]] = field(default_factory=dict)
    stopped: list[signal.Signals] = field(default_factory=list)

    def submit(self, index: int, job: Job) -> Future[Outcome]:
        self.begun.append(index)
        future: Future[Outcome] = Future()
        if self.attempts * self.begun.count(index) <= self.deaths[index]:
            future.set_exception(KilledError())
        else:
            future.set_result(Outcome(job.label, "finished"))
        return future

    def reports(self) -> list[tuple[int, float | str]]:
        return [(index, 0.5) for index in self.begun[-1:]]

    def stop(self, indexes: Collection[int], number: signal.Signals) -> None:
        self.stopped.append(number)

    def death(self, error: BaseException) -> str | None:
        return "it died" if isinstance(error, KilledError) else None


def jobs(count: int) -> list[Numbered]:
    return [Numbered(str(index)) for index in range(count)]


@given(st.lists(st.integers(0, ATTEMPTS + 1), min_size=1, max_size=6), st.integers(1, 3))
def test_each_job_ends_once_and_is_begun_as_often_as_it_dies(deaths: list[int], size: int) -> None:
    pool = Plan(size, 1, deaths)
    events = list(run_jobs(jobs(len(deaths)), pool))
    ends = {event.index: event.outcome for event in events if event.outcome is not None}
    assert len(ends) == sum(event.outcome is not None for event in events) == len(deaths)
    for index, times in enumerate(deaths):
        assert ends[index].status == ("finished" if times < ATTEMPTS else "killed")
        assert ends[index].attempts == pool.begun.count(index) == min(times + 1, ATTEMPTS)
    assert sum("killed; attempt" in event.note for event in events) == len(pool.begun) - len(deaths)
    if size == 1:  # a killed job is retried before the waiting ones
        assert pool.begun == [index for index, times in enumerate(deaths) for _ in range(min(times + 1, ATTEMPTS))]


def test_a_pool_that_retries_by_itself_is_not_asked_again() -> None:
    pool = Plan(2, ATTEMPTS, [0, ATTEMPTS, 0])
    ends = {event.index: event.outcome for event in run_jobs(jobs(3), pool) if event.outcome is not None}
    assert [ends[index].status for index in range(3)] == ["finished", "killed", "finished"]
    assert [ends[index].attempts for index in range(3)] == [1, ATTEMPTS, 1]
    assert ends[1].line == f"1: killed: it died, {ATTEMPTS} times"
    assert pool.begun == [0, 1, 2]


class Held(Plan):
    """A pool whose jobs end when they are stopped, by what `end` does with their futures."""

    begin: Callable[[int, Future[Outcome]], None] = staticmethod(lambda index, future: None)
    end: Callable[[int, Future[Outcome]], None]

    def submit(self, index: int, job: Job) -> Future[Outcome]:
        self.running[index] = Future()
        self.begin(index, self.running[index])
        return self.running[index]

    def reports(self) -> list[tuple[int, float | str]]:
        return []

    def stop(self, indexes: Collection[int], number: signal.Signals) -> None:
        super().stop(indexes, number)
        for index in indexes:
            self.end(index, self.running[index])


def test_a_job_that_raises_has_failed_and_a_caller_that_leaves_stops_the_others() -> None:
    pool = Held(2, 1, [0, 0])
    pool.begin = lambda index, future: None if index else future.set_exception(ValueError("no"))
    pool.end = lambda index, future: future.set_result(Outcome(str(index), "interrupted"))
    events = run_jobs(jobs(2), pool)
    first = next(events)
    assert first.outcome is not None
    assert (first.outcome.status, first.outcome.message) == ("failed", "ValueError: no")
    events.close()
    assert pool.stopped == [signal.SIGINT]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_had_not_started_when_the_command_was_stopped_says_so(number: signal.Signals) -> None:
    pool = Held(1, 1, [0, 0])
    pool.begin = lambda index, future: signal.raise_signal(number)
    pool.end = lambda index, future: future.set_exception(RuntimeError("cancelled"))
    ends = []
    with pytest.raises(KeyboardInterrupt):
        ends.extend(event.outcome for event in run_jobs(jobs(2), pool))
    assert pool.stopped == [number]
    status = "interrupted" if number == signal.SIGINT else "terminated"
    assert [(end.label, end.status, end.message) for end in ends if end] == [("0", status, "not started")]


def test_a_line_has_the_first_line_of_the_message_if_there_is_one() -> None:
    assert Outcome("a run", "interrupted").line == "a run: interrupted"
    assert Outcome("a run", "failed", "ValueError: no\nand more").line == "a run: failed: ValueError: no"


def test_outcomes_survive_their_files_in_the_order_of_the_jobs(tmp_path: Path) -> None:
    outcomes = [Outcome(f"x{number}", "refused", "why", overrides=("a=1", "b=2")) for number in range(12)]
    for number in reversed(range(12)):
        outcomes[number].write(tmp_path, number)
    assert outcomes_in(tmp_path) == outcomes
    assert len([*tmp_path.iterdir()]) == 12


def test_exit_codes() -> None:
    def code(*names: Any) -> int:
        return exit_code([Outcome("x", name) for name in names])

    assert code() == code("finished", "found") == 0
    assert code("finished", "refused") == 2
    assert code("refused", "interrupted", "terminated") == 130
    assert code("refused", "terminated", "finished") == 75
    assert code("refused", "failed", "finished") == 1
